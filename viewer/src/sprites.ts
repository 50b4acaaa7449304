// Small round bodies as tables of pixels, one for each radius and each place of the centre within its pixel, in steps. All lie one
// after the other in the same arrays, so that a loop over very many bodies finds them without following references.
import type * as THREE from "three";
import type { Shared } from "./bodies";

/** Steps per pixel of the radius and of the place: fewer in space, where light changes with each turn of the eye. */
const STEPS = { plane: { sizes: 16, phases: 4 }, space: { sizes: 4, phases: 2 } };
const MOST = 1 << 22; // pixels that are kept

export class Sprites {
    /** Of each sprite: its first row relative to the pixel of the centre, the number of rows, then for each row its first pixel and
     *  where it begins in the tables, and where the last one ends. */
    rows = new Int32Array(1024);
    light = new Int32Array(8192); // space: light, 0..256; plane: weight of what is under it
    tint = new Int32Array(8192); // plane: weight of the body's own colour
    rim = new Int32Array(8192); // plane: what the outline adds, packed
    bulge = new Float32Array(8192); // space: how far the surface is before the centre, in radii
    table = new Int32Array(256).fill(-1); // for each key the place in `rows`
    readonly sizes: number;
    readonly phases: number;
    private usedRows = 0;
    private used = 0;
    private key = "";

    constructor(private readonly shared: Shared, private readonly three: boolean) {
        ({ sizes: this.sizes, phases: this.phases } = three ? STEPS.space : STEPS.plane);
    }

    /** Sprites hold for one direction of the light, as the eye sees it, and for one colour of outlines. */
    begin(): void {
        const s = this.shared, m = s.cameraWorld.value as THREE.Matrix4;
        const key = this.three ? m.elements.slice(0, 11).map((x) => x.toFixed(2)).join() : (s.edge.value as THREE.Vector3).toArray().join() + s.rims.value;
        if (key === this.key && this.used < MOST) return;
        this.key = key;
        this.used = this.usedRows = 0;
        this.table.fill(-1);
    }

    /** The place in `rows` of a new one. Arrays may be others afterwards. */
    make(key: number): number {
        const { sizes, phases, three } = this, size = Math.floor(key / (phases * phases)), radius = size / sizes;
        const cx = ((key % phases) + 0.5) / phases, cy = ((Math.floor(key / phases) % phases) + 0.5) / phases, reach = Math.ceil(radius + (three ? 0 : 0.5)) + 1;
        this.reserve(key, 2 * reach + 1);
        const { rows, light, tint, rim, bulge } = this, s = this.shared, m = (s.cameraWorld.value as THREE.Matrix4).elements;
        // Light and sky as the eye sees them.
        const seen = (d: THREE.Vector3) => [m[0] * d.x + m[1] * d.y + m[2] * d.z, m[4] * d.x + m[5] * d.y + m[6] * d.z, m[8] * d.x + m[9] * d.y + m[10] * d.z];
        const l = seen(s.lightDirection.value as THREE.Vector3), u = seen(s.up.value as THREE.Vector3), edge = (s.edge.value as THREE.Vector3).toArray();
        const wide = Math.min(s.rims.value as number, 0.18 * radius), head = this.usedRows;
        let low = 0, count = 0, j = this.used;
        for (let y = -reach; y <= reach; y++) {
            let n = 0;
            for (let x = -reach; x <= reach; x++) {
                const dx = x + 0.5 - cx, dy = y + 0.5 - cy, d = Math.sqrt(dx * dx + dy * dy);
                const inside = three ? d <= Math.max(radius, 0.5) : radius - d > -0.5;
                if (!inside) continue;
                if (!n++) (rows[head + 2 + 2 * count] = x), (rows[head + 3 + 2 * count] = j);
                if (three) {
                    const nx = dx / radius, ny = -dy / radius, nz = Math.sqrt(Math.max(0, 1 - nx * nx - ny * ny));
                    const key = Math.max(0, nx * l[0] + ny * l[1] + nz * l[2]), sky = 0.5 + 0.5 * (nx * u[0] + ny * u[1] + nz * u[2]);
                    light[j] = Math.min(256, Math.round(256 * Math.sqrt(0.26 + 0.22 * sky + 0.62 * key)));
                    bulge[j++] = nz;
                } else {
                    const cover = Math.min(1, radius - d + 0.5), t = Math.min(1, Math.max(0, radius - d - wide + 0.5));
                    const line = radius < 1.5 ? 0 : 0.85 * (1 - t * t * (3 - 2 * t)) * cover, c = edge.map((e) => Math.floor(255 * e * line));
                    light[j] = Math.floor(256 * (1 - cover));
                    tint[j] = Math.floor(256 * (cover - line));
                    rim[j++] = c[0] | (c[1] << 8) | (c[2] << 16) | (Math.floor(255 * line) << 24);
                }
            }
            if (!n && count) break;
            if (!n) continue;
            if (!count++) low = y;
        }
        rows[head] = low;
        rows[head + 1] = count;
        rows[head + 3 + 2 * count] = j;
        this.usedRows = head + 4 + 2 * count;
        this.used = j;
        return (this.table[key] = head);
    }

    /** Room for one more that is this wide. */
    private reserve(key: number, width: number): void {
        const grown = <T extends Int32Array | Float32Array>(a: T, least: number): T => {
            if (a.length >= least) return a;
            const b = new (a.constructor as new (n: number) => T)(Math.max(least, 2 * a.length));
            b.set(a);
            return b;
        };
        const had = this.table.length;
        this.table = grown(this.table, key + 1);
        this.table.fill(-1, had);
        this.rows = grown(this.rows, this.usedRows + 4 + 2 * width);
        this.light = grown(this.light, this.used + width * width);
        if (this.three) this.bulge = grown(this.bulge, this.used + width * width);
        else (this.tint = grown(this.tint, this.used + width * width)), (this.rim = grown(this.rim, this.used + width * width));
    }
}
