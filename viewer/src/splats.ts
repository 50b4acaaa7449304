// Very many small round bodies without a GPU: drawn by the page's own thread into one picture with depth. Where nothing else
// is to be seen, that is what the page shows; else the scene shows it as a single triangle. A software renderer of the browser spends its time on vertices and on pixels that end up
// hidden; here a ball is a small table of its light and depth, and what lies behind full parts of the picture is skipped.
// In the plane discs are blended with smooth outlines, in space the nearest surface wins, as with the other brushes.
import * as THREE from "three";
import { material, type Shared } from "./bodies";
import * as G from "./shaders";

const TILE = 16; // pixels, side of the squares for which the farthest depth is known

const TINY = [2, 3]; // pixels, in the plane and in space: bodies of any shape that reach less far are drawn round

/** What may be drawn round. Items before `shapes` are bodies of other shapes: drawn only where they are tiny, else they hide others. */
export interface Rounds {
    body: Int32Array;
    place: Float32Array; // 3 each, in the frame of the body
    radius: Float32Array; // of a ball with the same volume
    inner: Float32Array; // of a ball inside
    outer: Float32Array; // of a ball around
    shapes: number;
    centred: boolean; // all places are zero
}

export interface Picture {
    camera: THREE.Camera;
    width: number;
    height: number;
    numbers: boolean; // of bodies, for picking, instead of colours
}

/** A round body of some size in pixels and some place within its pixel: rows of pixels from the first to the last. */
interface Sprite {
    born: number;
    low: number; // first row, relative to the pixel of the centre
    first: Int16Array; // first pixel of each row
    start: Int32Array; // its place in the tables; one more at the end
    light: Int32Array; // space: light, 0..256; plane: weight of what is under it
    tint: Int32Array; // plane: weight of the body's own colour
    rim: Int32Array; // plane: what the outline adds, packed
    bulge: Float32Array; // space: how far the surface is before the centre, in radii
}

/** Steps of radius and of place per pixel: fewer in space, where sprites change with each turn of the eye. */
const STEPS = { plane: { sizes: 16, phases: 4 }, space: { sizes: 4, phases: 2 } };

export class Splats {
    readonly mesh: THREE.Mesh;
    seen = new Uint8Array(); // 1 for bodies of other shapes that are not tiny, out of sight or hidden as a whole
    private width = 0;
    private height = 0;
    private colors = new Uint32Array(); // rows from top to bottom; premultiplied
    private image: ImageData | null = null; // the same
    private depth = new Float32Array();
    private farthest = new Float32Array(); // of each tile
    private readonly own: Shared = { colorMap: { value: null }, depthMap: { value: null }, hasDepth: { value: 0 } };
    private sprites: (Sprite | undefined)[] = [];
    private now = 0; // sprites that are older have other light
    private readonly steps: { sizes: number; phases: number };
    private lightKey = "";
    private pixelsPerUnit = 1; // pixels of 1 m at a distance of 1 m, or anywhere in the plane
    // Of each body: pixel, radius, depth, in the order of their layers.
    private at = new Float32Array();
    private layer = new Uint16Array();
    private order = new Uint32Array();
    private readonly layerStart = new Uint32Array(1025);

    constructor(private readonly shared: Shared, private readonly three: boolean) {
        this.steps = three ? STEPS.space : STEPS.plane;
        const g = new THREE.BufferGeometry();
        g.setAttribute("position", new THREE.BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
        const mat = material({ pass: shared.pass }, G.splatVertex, three ? G.splatFragment : G.flatSplatFragment, three, this.own);
        mat.blending = THREE.CustomBlending;
        (mat.blendSrc = THREE.OneFactor), (mat.blendDst = THREE.OneMinusSrcAlphaFactor);
        this.mesh = new THREE.Mesh(g, mat);
        this.mesh.frustumCulled = false;
        this.mesh.renderOrder = 2;
    }

    /** Draw these bodies, from item `first` on. */
    draw(rounds: Rounds, first: number, place: Float32Array, turn: Float32Array, tint: Uint8Array, picture: Picture): void {
        const { camera, width, height } = picture, p = camera.projectionMatrix.elements;
        this.resize(width, height);
        this.pixelsPerUnit = 0.5 * height * p[5];
        this.colors.fill(0);
        if (this.seen.length !== place.length >> 2) this.seen = new Uint8Array(place.length >> 2);
        else this.seen.fill(0);
        this.numbers = picture.numbers;
        this.lights();
        const count = this.project(rounds, first, place, turn, camera);
        if (this.three) this.balls(rounds, tint, count);
        else this.discs(rounds, tint, count);
    }
    private numbers = false;

    /** After drawing: the picture on its paper, or, where others are in the scene too, nothing: then it is for the renderer. */
    finish(others: boolean): ImageData | null {
        if (!others && !this.numbers) {
            this.layOnPaper();
            return this.image;
        }
        (this.own.colorMap.value as THREE.Texture).needsUpdate = true;
        this.own.hasDepth.value = others ? 1 : 0;
        if (this.three && others) (this.own.depthMap.value as THREE.Texture).needsUpdate = true;
        return null;
    }

    private layOnPaper(): void {
        const { colors } = this, [r, g, b] = (this.shared.paper.value as THREE.Vector3).toArray().map((x) => Math.round(255 * x));
        const rb = r | (b << 16), ga = g | 0xff0000, paper = (rb | (ga << 8)) >>> 0;
        for (let p = 0; p < colors.length; p++) {
            const c = colors[p], rest = 256 - (c >>> 24);
            if (rest === 256) colors[p] = paper;
            else if (rest > 1) colors[p] = (c + ((Math.imul(rb, rest) >>> 8) & 0xff00ff) + (Math.imul(ga, rest) & 0xff00ff00)) | 0xff000000;
        }
    }

    private resize(width: number, height: number): void {
        if (width === this.width && height === this.height) return;
        (this.width = width), (this.height = height);
        this.colors = new Uint32Array(width * height);
        this.image = new ImageData(new Uint8ClampedArray(this.colors.buffer), width, height);
        (this.own.colorMap.value as THREE.Texture | null)?.dispose();
        this.own.colorMap.value = new THREE.DataTexture(new Uint8Array(this.colors.buffer), width, height, THREE.RGBAFormat, THREE.UnsignedByteType);
        if (!this.three) return;
        this.depth = new Float32Array(width * height);
        this.farthest = new Float32Array(Math.ceil(width / TILE) * Math.ceil(height / TILE));
        (this.own.depthMap.value as THREE.Texture | null)?.dispose();
        this.own.depthMap.value = new THREE.DataTexture(this.depth, width, height, THREE.RedFormat, THREE.FloatType);
        this.own.depthMap.value.needsUpdate = true;
    }

    /** Sprites hold for one direction of the light, as the eye sees it, and for one colour of outlines. */
    private lights(): void {
        const s = this.shared, m = s.cameraWorld.value as THREE.Matrix4;
        const key = this.three ? m.elements.slice(0, 11).map((x) => x.toFixed(2)).join() : (s.edge.value as THREE.Vector3).toArray().join() + s.rims.value;
        if (key === this.lightKey) return;
        this.lightKey = key;
        this.now++;
    }

    /** Centres and radii in pixels and depths, near ones first; returns how many can be seen at all. */
    private project(rounds: Rounds, begin: number, place: Float32Array, turn: Float32Array, camera: THREE.Camera): number {
        const n = rounds.body.length, { body, centred, outer } = rounds, { width, height, three } = this;
        if (this.at.length < 4 * n) (this.at = new Float32Array(4 * n)), (this.layer = new Uint16Array(n)), (this.order = new Uint32Array(n));
        const { at, layer, order } = this, v = camera.matrixWorldInverse.elements, p = camera.projectionMatrix.elements, flat = p[11] === 0;
        const sx = 0.5 * width * p[0], sy = 0.5 * height * p[5], ox = 0.5 * width * (flat ? 1 + p[12] : 1 - p[8]), oy = 0.5 * height * (flat ? 1 - p[13] : 1 + p[9]);
        let count = 0, low = Infinity, high = -Infinity;
        for (let i = begin; i < n; i++) {
            const b = 4 * body[i];
            if (!(place[b + 3] > 0.5)) continue;
            let x = place[b], y = place[b + 1], z = place[b + 2];
            if (!centred) {
                const lx = rounds.place[3 * i], ly = rounds.place[3 * i + 1], lz = rounds.place[3 * i + 2], qx = turn[b], qy = turn[b + 1], qz = turn[b + 2], qw = turn[b + 3];
                const cx = qy * lz - qz * ly + qw * lx, cy = qz * lx - qx * lz + qw * ly, cz = qx * ly - qy * lx + qw * lz;
                x += lx + 2 * (qy * cz - qz * cy), y += ly + 2 * (qz * cx - qx * cz), z += lz + 2 * (qx * cy - qy * cx);
            }
            const far = flat ? 1 : -(v[2] * x + v[6] * y + v[10] * z + v[14]), r = outer[i], pixels = (r * sy) / far;
            if (!(far > r)) {
                // About the eye: nothing that is drawn round, but another shape may be seen.
                if (far > -r && i < rounds.shapes) this.seen[body[i]] = 1;
                continue;
            }
            const px = ox + (sx * (v[0] * x + v[4] * y + v[8] * z + v[12])) / far, py = oy - (sy * (v[1] * x + v[5] * y + v[9] * z + v[13])) / far;
            if (!(px + pixels > -1 && px - pixels < width + 1 && py + pixels > -1 && py - pixels < height + 1)) continue;
            const k = 4 * count;
            (at[k] = px), (at[k + 1] = py), (at[k + 2] = far), (at[k + 3] = i);
            order[count++] = count - 1;
            if (far < low) low = far;
            if (far > high) high = far;
        }
        if (!three) return count;
        const start = this.layerStart.fill(0), layers = start.length - 1, scale = high > low ? (layers - 1) / (high - low) : 0;
        for (let i = 0; i < count; i++) {
            layer[i] = (at[4 * i + 2] - low) * scale;
            start[layer[i] + 1]++;
        }
        for (let k = 0; k < layers; k++) start[k + 1] += start[k];
        for (let i = 0; i < count; i++) order[start[layer[i]]++] = i;
        return count;
    }

    /** What is written for a body, as one word. */
    private wordOf(tint: Uint8Array, body: number): number {
        if (this.numbers) return (body + 1) | 0xff000000;
        const a = this.shared.accent.value as THREE.Vector3, mix = (k: number, accent: number) => Math.round(0.25 * tint[4 * body + k] + 0.75 * 255 * accent);
        return mix(0, a.x) | (mix(1, a.y) << 8) | (mix(2, a.z) << 16) | 0xff000000;
    }

    private balls(rounds: Rounds, tint: Uint8Array, count: number): void {
        const { at, order, colors, depth, width, height, farthest, seen, numbers } = this, across = Math.ceil(width / TILE);
        const words = new Uint32Array(tint.buffer, tint.byteOffset, tint.length >> 2), sy = this.pixelsPerUnit, selected = this.shared.selected.value as number;
        depth.fill(Infinity);
        farthest.fill(Infinity);
        let next = Math.max(512, count >> 5);
        for (let n = 0; n < count; n++) {
            if (n === next) this.measureTiles(), (next *= 2);
            const k = 4 * order[n], far = at[k + 2], i = at[k + 3], outer = rounds.outer[i], reach = (outer * sy) / far, near = far - outer, px = at[k], py = at[k + 1];
            // Hidden as a whole?
            const x0 = Math.max(0, px - reach) / TILE | 0, x1 = Math.min(width - 1, px + reach) / TILE | 0, y0 = Math.max(0, py - reach) / TILE | 0, y1 = Math.min(height - 1, py + reach) / TILE | 0;
            let hidden = true;
            for (let y = y0; y <= y1 && hidden; y++) for (let x = x0; x <= x1; x++) if (near < farthest[y * across + x]) { hidden = false; break; }
            if (hidden) continue;
            const b = rounds.body[i], other = i < rounds.shapes && reach >= TINY[1], radius = other ? rounds.inner[i] : rounds.radius[i], pixels = (radius * sy) / far;
            if (other) {
                seen[b] = 1;
                if (pixels < TINY[1]) continue;
            }
            const ix = Math.floor(px), iy = Math.floor(py), s = this.sprite(pixels, px - ix, py - iy);
            const plain = numbers || other, color = other ? 0 : numbers || b === selected ? this.wordOf(tint, b) : words[b], rb = color & 0xff00ff, g = color & 0xff00;
            const { first, start, light, bulge } = s, rows = first.length;
            for (let row = 0; row < rows; row++) {
                const y = iy + s.low + row;
                if (y < 0 || y >= height) continue;
                let from = ix + first[row], j = start[row], to = from + start[row + 1] - j;
                if (from < 0) (j -= from), (from = 0);
                if (to > width) to = width;
                for (let p = y * width + from, end = y * width + to; p < end; p++, j++) {
                    const z = far - radius * bulge[j];
                    if (z >= depth[p]) continue;
                    depth[p] = z;
                    const l = light[j];
                    colors[p] = plain ? color : ((Math.imul(rb, l) >>> 8) & 0xff00ff) | ((Math.imul(g, l) >>> 8) & 0xff00) | 0xff000000;
                }
            }
        }
    }

    private measureTiles(): void {
        const { depth, farthest, width, height } = this, across = Math.ceil(width / TILE);
        farthest.fill(0);
        for (let y = 0; y < height; y++) {
            const row = (y / TILE | 0) * across;
            for (let tile = 0; tile < across; tile++) {
                let most = farthest[row + tile];
                if (most === Infinity) continue;
                const end = y * width + Math.min(width, (tile + 1) * TILE);
                for (let p = y * width + tile * TILE; p < end; p++) if (depth[p] > most) most = depth[p];
                farthest[row + tile] = most;
            }
        }
    }

    private discs(rounds: Rounds, tint: Uint8Array, count: number): void {
        const { at, colors, width, height, seen, numbers } = this, sy = this.pixelsPerUnit, selected = this.shared.selected.value as number;
        const words = new Uint32Array(tint.buffer, tint.byteOffset, tint.length >> 2);
        for (let n = 0; n < count; n++) {
            const k = 4 * n, i = at[k + 3], px = at[k], py = at[k + 1], ix = Math.floor(px), iy = Math.floor(py);
            const b = rounds.body[i];
            if (i < rounds.shapes && rounds.outer[i] * sy >= TINY[0]) {
                seen[b] = 1;
                continue;
            }
            const s = this.sprite(rounds.radius[i] * sy, px - ix, py - iy);
            const color = numbers || b === selected ? this.wordOf(tint, b) : words[b], rb = color & 0xff00ff, ga = ((color >>> 8) & 0xff) | 0xff0000;
            const { first, start, light, tint: own, rim } = s, rows = first.length;
            for (let row = 0; row < rows; row++) {
                const y = iy + s.low + row;
                if (y < 0 || y >= height) continue;
                let from = ix + first[row], j = start[row], to = from + start[row + 1] - j;
                if (from < 0) (j -= from), (from = 0);
                if (to > width) to = width;
                for (let p = y * width + from, end = y * width + to; p < end; p++, j++) {
                    const under = colors[p], w0 = light[j], w1 = own[j];
                    if (numbers) {
                        if (w0 < 128) colors[p] = color;
                        continue;
                    }
                    // Two channels at a time; weights add up to 256 at most, so none runs into the other.
                    const a = ((Math.imul(under & 0xff00ff, w0) + Math.imul(rb, w1)) >>> 8) & 0xff00ff;
                    const c = (Math.imul((under >>> 8) & 0xff00ff, w0) + Math.imul(ga, w1)) & 0xff00ff00;
                    colors[p] = (a | c) + rim[j];
                }
            }
        }
    }

    /** For a radius in pixels, and a place within a pixel. */
    private sprite(pixels: number, x: number, y: number): Sprite {
        const { sizes, phases } = this.steps, size = Math.max(1, Math.round(pixels * sizes)), px = (x * phases) | 0, py = (y * phases) | 0;
        const key = (size * phases + py) * phases + px, old = this.sprites[key];
        if (old && old.born === this.now) return old;
        return (this.sprites[key] = this.make(size / sizes, (px + 0.5) / phases, (py + 0.5) / phases));
    }

    private make(radius: number, cx: number, cy: number): Sprite {
        const reach = Math.ceil(radius + (this.three ? 0 : 0.5)) + 1, first: number[] = [], start = [0];
        const light: number[] = [], own: number[] = [], rim: number[] = [], bulge: number[] = [];
        const s = this.shared, m = (s.cameraWorld.value as THREE.Matrix4).elements, L = s.lightDirection.value as THREE.Vector3, up = s.up.value as THREE.Vector3;
        // Light and sky as the eye sees them.
        const seen = (d: THREE.Vector3) => [m[0] * d.x + m[1] * d.y + m[2] * d.z, m[4] * d.x + m[5] * d.y + m[6] * d.z, m[8] * d.x + m[9] * d.y + m[10] * d.z];
        const l = seen(L), u = seen(up), edge = (s.edge.value as THREE.Vector3).toArray();
        const wide = Math.min(s.rims.value as number, 0.18 * radius);
        let low = 0;
        for (let y = -reach; y <= reach; y++) {
            let from = 0, n = 0;
            for (let x = -reach; x <= reach; x++) {
                const dx = x + 0.5 - cx, dy = y + 0.5 - cy, d = Math.sqrt(dx * dx + dy * dy);
                const inside = this.three ? d <= Math.max(radius, 0.5) : radius - d > -0.5;
                if (!inside) continue;
                if (!n++) from = x;
                if (this.three) {
                    const nx = dx / radius, ny = -dy / radius, nz = Math.sqrt(Math.max(0, 1 - nx * nx - ny * ny));
                    const key = Math.max(0, nx * l[0] + ny * l[1] + nz * l[2]), sky = 0.5 + 0.5 * (nx * u[0] + ny * u[1] + nz * u[2]);
                    light.push(Math.min(256, Math.round(256 * Math.sqrt(0.26 + 0.22 * sky + 0.62 * key))));
                    bulge.push(nz);
                } else {
                    const cover = Math.min(1, radius - d + 0.5), t = Math.min(1, Math.max(0, radius - d - wide + 0.5));
                    const line = radius < 1.5 ? 0 : 0.85 * (1 - t * t * (3 - 2 * t)) * cover, c = edge.map((e) => Math.floor(255 * e * line));
                    const under = Math.floor(256 * (1 - cover)), mine = Math.floor(256 * (cover - line));
                    light.push(under);
                    own.push(mine);
                    rim.push(((c[0] | (c[1] << 8) | (c[2] << 16)) >>> 0) + Math.floor(255 * line) * 0x1000000);
                }
            }
            if (!n && !first.length) continue;
            if (!n) break;
            if (!first.length) low = y;
            first.push(from);
            start.push(start[start.length - 1] + n);
        }
        return {
            born: this.now, low, first: Int16Array.from(first), start: Int32Array.from(start), light: Int32Array.from(light), tint: Int32Array.from(own),
            rim: Int32Array.from(rim, (x) => x | 0), bulge: Float32Array.from(bulge),
        };
    }

    dispose(): void {
        this.mesh.geometry.dispose();
        (this.mesh.material as THREE.Material).dispose();
        for (const name of ["colorMap", "depthMap"]) (this.own[name].value as THREE.Texture | null)?.dispose();
    }
}
