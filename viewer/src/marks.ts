// Lines and dots over the bodies: chains of forces, contacts, tracks, thin walls, arrows. Buffers grow with what is drawn.
import * as THREE from "three";
import { material, square, type Shared } from "./bodies";
import * as G from "./shaders";

class Instanced {
    readonly mesh: THREE.Mesh;
    private readonly geometry: THREE.InstancedBufferGeometry;
    private capacity = 0;
    protected arrays: Record<string, Float32Array | Int32Array> = {};

    constructor(private readonly layout: [string, number, boolean][], geometry: THREE.InstancedBufferGeometry, mat: THREE.RawShaderMaterial, order: number) {
        this.geometry = geometry;
        geometry.instanceCount = 0;
        this.mesh = new THREE.Mesh(geometry, mat);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = order;
    }

    protected room(count: number): void {
        if (count <= this.capacity && this.capacity > 0) return;
        this.geometry.dispose();
        this.capacity = Math.max(64, count, Math.min(2 * this.capacity, count + 65536));
        for (const [name, n, whole] of this.layout) {
            const a = whole ? new Int32Array(n * this.capacity) : new Float32Array(n * this.capacity);
            this.arrays[name] = a;
            const attribute = new THREE.InstancedBufferAttribute(a, n);
            attribute.setUsage(THREE.DynamicDrawUsage);
            this.geometry.setAttribute(name, attribute);
        }
    }

    protected finish(count: number): void {
        this.geometry.instanceCount = count;
        this.mesh.visible = count > 0;
        for (const [name, n] of this.layout) {
            const attribute = this.geometry.getAttribute(name) as THREE.InstancedBufferAttribute;
            attribute.clearUpdateRanges();
            attribute.addUpdateRange(0, n * count);
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

export class Ribbons extends Instanced {
    private at = 0;
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        const g = new THREE.InstancedBufferGeometry();
        g.setAttribute("position", new THREE.BufferAttribute(new Float32Array([0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0]), 3));
        g.setIndex([0, 1, 2, 0, 2, 3]);
        const mat = material(shared, G.ribbonVertex, G.ribbonFragment, three && !onTop, { lift: { value: lift } });
        mat.side = THREE.DoubleSide;
        super([["from", 3, false], ["to", 3, false], ["paint", 4, false], ["width", 2, false], ["body", 1, true], ["owner", 1, true]], g, mat, order);
        this.begin(0);
        this.end();
    }
    begin(most: number): void {
        this.room(most);
        this.at = 0;
    }
    add(line: Line): void {
        const i = this.at++, a = this.arrays;
        for (let k = 0; k < 3; k++) {
            a.from[3 * i + k] = line.from[k];
            a.to[3 * i + k] = line.to[k];
            a.paint[4 * i + k] = line.color[k] / 255;
        }
        a.paint[4 * i + 3] = line.opacity ?? 1;
        a.width[2 * i] = line.radius ?? 0;
        a.width[2 * i + 1] = line.pixels ?? 1;
        a.body[i] = line.body ?? -1;
        a.owner[i] = line.owner ?? -1;
    }
    end(): void {
        this.finish(this.at);
    }
}

export class Dots extends Instanced {
    private at = 0;
    constructor(shared: Shared, three: boolean, order: number, lift = 0, onTop = false) {
        const mat = material(shared, G.dotVertex, G.dotFragment, three && !onTop, { lift: { value: lift } });
        super([["at", 3, false], ["paint", 4, false], ["size", 1, false], ["owner", 1, true]], square(), mat, order);
        this.begin(0);
        this.end();
    }
    begin(most: number): void {
        this.room(most);
        this.at = 0;
    }
    add(x: number, y: number, z: number, color: ArrayLike<number>, size: number, owner: number): void {
        const i = this.at++, a = this.arrays;
        a.at[3 * i] = x, a.at[3 * i + 1] = y, a.at[3 * i + 2] = z;
        for (let k = 0; k < 3; k++) a.paint[4 * i + k] = color[k] / 255;
        a.paint[4 * i + 3] = 1;
        a.size[i] = size;
        a.owner[i] = owner;
    }
    end(): void {
        this.finish(this.at);
    }
}
