// Lines and dots over the bodies: chains of forces, contacts, tracks, thin walls, arrows. Buffers grow with what is drawn.
import * as THREE from "three";
import { material, squareIndices, type Shared } from "./bodies";
import * as G from "./shaders";

/** Squares whose four corners carry the same numbers. */
class Squares {
    readonly mesh: THREE.Mesh;
    private readonly geometry = new THREE.BufferGeometry();
    private capacity = 0;
    protected at = 0;
    protected arrays: Record<string, Float32Array | Int32Array | Uint8Array> = {};

    constructor(private readonly layout: [string, number, "f32" | "i32" | "u8"][], mat: THREE.RawShaderMaterial, order: number) {
        this.mesh = new THREE.Mesh(this.geometry, mat);
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
            const length = 4 * n * this.capacity, a = type === "f32" ? new Float32Array(length) : type === "i32" ? new Int32Array(length) : new Uint8Array(length);
            this.arrays[name] = a;
            const attribute = new THREE.BufferAttribute(a, n, type === "u8");
            attribute.setUsage(THREE.DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
        }
        this.geometry.setIndex(new THREE.BufferAttribute(squareIndices(this.capacity), 1));
    }

    /** Numbers of the square under way, the same at its four corners. */
    protected put(name: string, n: number, values: ArrayLike<number>): void {
        const a = this.arrays[name], from = 4 * n * this.at;
        for (let k = 0; k < n; k++) a[from + k] = a[from + n + k] = a[from + 2 * n + k] = a[from + 3 * n + k] = values[k];
    }

    end(): void {
        this.geometry.setDrawRange(0, 6 * this.at);
        this.mesh.visible = this.at > 0;
        for (const [name, n] of this.layout) {
            const attribute = this.geometry.getAttribute(name) as THREE.BufferAttribute;
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, 4 * n * this.at);
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

export class Ribbons extends Squares {
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        const mat = material(shared, G.ribbonVertex, G.ribbonFragment, three && !onTop, { lift: { value: lift } });
        mat.side = THREE.DoubleSide;
        super([["from", 3, "f32"], ["to", 3, "f32"], ["paint", 4, "u8"], ["width", 2, "f32"], ["body", 1, "i32"], ["owner", 1, "i32"]], mat, order);
    }
    add(line: Line): void {
        const c = line.color;
        this.put("from", 3, line.from);
        this.put("to", 3, line.to);
        this.put("paint", 4, [c[0], c[1], c[2], 255 * (line.opacity ?? 1)]);
        this.put("width", 2, [line.radius ?? 0, line.pixels ?? 1]);
        this.put("body", 1, [line.body ?? -1]);
        this.put("owner", 1, [line.owner ?? -1]);
        this.at++;
    }
}

export class Dots extends Squares {
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        super([["at", 3, "f32"], ["paint", 4, "u8"], ["size", 1, "f32"], ["owner", 1, "i32"]], material(shared, G.dotVertex, G.dotFragment, three && !onTop, { lift: { value: lift } }), order);
    }
    add(x: number, y: number, z: number, color: ArrayLike<number>, size: number, owner: number): void {
        this.put("at", 3, [x, y, z]);
        this.put("paint", 4, [color[0], color[1], color[2], 255]);
        this.put("size", 1, [size]);
        this.put("owner", 1, [owner]);
        this.at++;
    }
}
