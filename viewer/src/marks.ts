// Lines and dots over the bodies: chains of forces, contacts, tracks, thin walls, arrows. Buffers grow with what is drawn.
import * as THREE from "three";
import { material, squareIndices, type Shared } from "./bodies";
import * as G from "./shaders";

/** Marks of one corner (points) or of four (squares) that carry the same numbers. */
class Marks {
    readonly mesh: THREE.Mesh | THREE.Points;
    private readonly geometry = new THREE.BufferGeometry();
    private capacity = 0;
    protected at = 0;
    protected arrays: Record<string, Float32Array | Int32Array | Uint8Array> = {};

    constructor(private readonly corners: 1 | 4, private readonly layout: [string, number, "f32" | "i32" | "u8"][], mat: THREE.RawShaderMaterial, order: number) {
        this.mesh = corners === 4 ? new THREE.Mesh(this.geometry, mat) : new THREE.Points(this.geometry, mat);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = order;
        this.geometry.boundingSphere = new THREE.Sphere();
        this.begin(0);
        this.end();
    }

    /** Start anew with room for `most` of them. */
    begin(most: number): void {
        this.at = 0;
        if (most <= this.capacity && this.capacity > 0) return;
        this.geometry.dispose();
        this.capacity = Math.max(64, most, Math.min(2 * this.capacity, most + 16384));
        for (const [name, n, type] of this.layout) {
            const length = this.corners * n * this.capacity, a = type === "f32" ? new Float32Array(length) : type === "i32" ? new Int32Array(length) : new Uint8Array(length);
            this.arrays[name] = a;
            const attribute = new THREE.BufferAttribute(a, n, type === "u8");
            attribute.setUsage(THREE.DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
        }
        if (this.corners === 4) this.geometry.setIndex(new THREE.BufferAttribute(squareIndices(this.capacity), 1));
    }

    end(): void {
        this.geometry.setDrawRange(0, this.corners === 4 ? 6 * this.at : this.at);
        this.mesh.visible = this.at > 0;
        for (const [name, n] of this.layout) {
            const attribute = this.geometry.getAttribute(name) as THREE.BufferAttribute;
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, this.corners * n * this.at);
            attribute.needsUpdate = true;
        }
    }

    dispose(): void {
        this.geometry.dispose();
        (this.mesh.material as THREE.Material).dispose();
    }
}

export interface Line {
    from: ArrayLike<number>;
    to: ArrayLike<number>;
    color: ArrayLike<number>; // 0..255
    opacity?: number;
    radius?: number; // half width, m
    pixels?: number; // least half width
    body?: number; // ends are in the frame of this body
    owner?: number; // number for picking
}

export class Ribbons extends Marks {
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        const mat = material(shared, G.ribbonVertex, G.ribbonFragment, three && !onTop, { lift: { value: lift } });
        mat.side = THREE.DoubleSide;
        super(4, [["from", 3, "f32"], ["to", 3, "f32"], ["paint", 4, "u8"], ["width", 2, "f32"], ["body", 1, "i32"], ["owner", 1, "i32"]], mat, order);
    }
    add(line: Line): void {
        const { from, to, paint, width, body, owner } = this.arrays, f = line.from, t = line.to, c = line.color, opacity = 255 * (line.opacity ?? 1);
        const radius = line.radius ?? 0, pixels = line.pixels ?? 1, b = line.body ?? -1, o = line.owner ?? -1;
        // The same at all four corners.
        for (let i = 4 * this.at, end = i + 4; i < end; i++) {
            from[3 * i] = f[0], from[3 * i + 1] = f[1], from[3 * i + 2] = f[2];
            to[3 * i] = t[0], to[3 * i + 1] = t[1], to[3 * i + 2] = t[2];
            paint[4 * i] = c[0], paint[4 * i + 1] = c[1], paint[4 * i + 2] = c[2], paint[4 * i + 3] = opacity;
            width[2 * i] = radius, width[2 * i + 1] = pixels;
            body[i] = b, owner[i] = o;
        }
        this.at++;
    }
}

export class Dots extends Marks {
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        super(1, [["at", 3, "f32"], ["paint", 4, "u8"], ["size", 1, "f32"], ["owner", 1, "i32"]], material(shared, G.dotVertex, G.dotFragment, three && !onTop, { lift: { value: lift } }), order);
    }
    add(x: number, y: number, z: number, color: ArrayLike<number>, half: number, number: number): void {
        const { at, paint, size, owner } = this.arrays;
        const i = this.at++;
        at[3 * i] = x, at[3 * i + 1] = y, at[3 * i + 2] = z;
        paint[4 * i] = color[0], paint[4 * i + 1] = color[1], paint[4 * i + 2] = color[2], paint[4 * i + 3] = 255;
        size[i] = half, owner[i] = number;
    }
}
