// Very many small round bodies without a GPU: drawn by the page's own thread into one picture with depth. Where nothing else but grounds
// is to be seen, that is what the page shows; else the scene shows it as a single triangle. A software renderer of the browser spends its time on vertices and on pixels that end up
// hidden; here a ball is a small table of its light and depth, and what lies behind full parts of the picture is skipped.
// In the plane discs are blended with smooth outlines, in space the nearest surface wins, as with the other brushes.
import * as THREE from "three";
import { material, type Shared } from "./bodies";
import type { Canvas, Grounds } from "./ground";
import * as G from "./shaders";
import { Sprites } from "./sprites";

const TILE = 3; // squares of this power of two of pixels know how far they reach at most

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
    alone: boolean; // nothing else will be seen, but grounds
}

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
    private hole = new Int32Array(); // of each tile: a pixel that was farther, 0 for none
    private across = 0; // tiles in a row
    private readonly sprites: Sprites;
    private pixelsPerUnit = 1; // pixels of 1 m at a distance of 1 m, or anywhere in the plane
    // Of each item that may be seen: pixel, distance, radius of a ball around, number; then the same with near ones first.
    private found = new Float32Array();
    private sorted = new Float32Array();
    private layer = new Uint16Array();
    private readonly layerStart = new Uint32Array(1025);

    constructor(private readonly shared: Shared, private readonly three: boolean, private readonly grounds: Grounds) {
        this.sprites = new Sprites(shared, three);
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
        this.onPaper = picture.alone && !picture.numbers;
        this.sheet = { camera, width, height, colors: this.colors, depth: this.depth, place, turn, tint };
        this.colors.fill(this.onPaper ? this.paper() : 0);
        if (this.onPaper && !this.three) this.grounds.drawInPlane(this.sheet);
        if (this.seen.length !== place.length >> 2) this.seen = new Uint8Array(place.length >> 2);
        else this.seen.fill(0);
        this.numbers = picture.numbers;
        this.sprites.begin();
        const count = this.project(rounds, first, place, turn, camera);
        if (this.three) this.balls(rounds, tint, count);
        else this.discs(rounds, tint, count);
    }
    private numbers = false;
    private onPaper = false;
    private sheet: Canvas | null = null; // what is drawn on

    /** After drawing: the picture with its grounds on its paper, or, where others are in the scene too, nothing: then it is for the renderer. */
    finish(others: boolean): ImageData | null {
        if (!others && !this.numbers) {
            if (!this.onPaper) this.layOnPaper();
            if (this.three) this.grounds.drawInSpace(this.sheet!);
            return this.image;
        }
        (this.own.colorMap.value as THREE.Texture).needsUpdate = true;
        this.own.hasDepth.value = others ? 1 : 0;
        if (this.three && others) (this.own.depthMap.value as THREE.Texture).needsUpdate = true;
        return null;
    }

    private paper(): number {
        const [r, g, b] = (this.shared.paper.value as THREE.Vector3).toArray().map((x) => Math.round(255 * x));
        return (r | (g << 8) | (b << 16) | 0xff000000) >>> 0;
    }

    private layOnPaper(): void {
        const { colors } = this, under = (this.under.length === colors.length ? this.under : (this.under = new Uint32Array(colors.length))).fill(this.paper());
        if (!this.three) this.grounds.drawInPlane({ ...this.sheet!, colors: under });
        for (let p = 0; p < colors.length; p++) {
            const c = colors[p], u = under[p], rest = 256 - (c >>> 24);
            if (rest === 256) colors[p] = u;
            else if (rest > 1) colors[p] = (c + ((Math.imul(u & 0xff00ff, rest) >>> 8) & 0xff00ff) + (Math.imul((u >>> 8) & 0xff00ff, rest) & 0xff00ff00)) | 0xff000000;
        }
    }
    private under = new Uint32Array();

    private resize(width: number, height: number): void {
        if (width === this.width && height === this.height) return;
        (this.width = width), (this.height = height);
        this.colors = new Uint32Array(width * height);
        this.image = new ImageData(new Uint8ClampedArray(this.colors.buffer), width, height);
        (this.own.colorMap.value as THREE.Texture | null)?.dispose();
        this.own.colorMap.value = new THREE.DataTexture(new Uint8Array(this.colors.buffer), width, height, THREE.RGBAFormat, THREE.UnsignedByteType);
        if (!this.three) return;
        this.depth = new Float32Array(width * height);
        this.across = ((width - 1) >> TILE) + 1;
        this.farthest = new Float32Array(this.across * (((height - 1) >> TILE) + 1));
        this.hole = new Int32Array(this.farthest.length);
        (this.own.depthMap.value as THREE.Texture | null)?.dispose();
        this.own.depthMap.value = new THREE.DataTexture(this.depth, width, height, THREE.RedFormat, THREE.FloatType);
        this.own.depthMap.value.needsUpdate = true;
    }

    /** Centres and radii in pixels and depths, near ones first; returns how many can be seen at all. */
    private project(rounds: Rounds, begin: number, place: Float32Array, turn: Float32Array, camera: THREE.Camera): number {
        const n = rounds.body.length, { body, centred, outer } = rounds, { width, height, three } = this;
        if (this.found.length < 5 * n) this.found = new Float32Array(5 * n);
        if (three && this.layer.length < n) (this.sorted = new Float32Array(5 * n)), (this.layer = new Uint16Array(n));
        const { found, sorted, layer } = this, v = camera.matrixWorldInverse.elements, p = camera.projectionMatrix.elements, flat = p[11] === 0;
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
            const k = 5 * count++;
            (found[k] = px), (found[k + 1] = py), (found[k + 2] = far), (found[k + 3] = r), (found[k + 4] = i);
            if (far < low) low = far;
            if (far > high) high = far;
        }
        if (!three) return count;
        const start = this.layerStart.fill(0), layers = start.length - 1, scale = high > low ? (layers - 1) / (high - low) : 0;
        for (let i = 0; i < count; i++) {
            layer[i] = (found[5 * i + 2] - low) * scale;
            start[layer[i] + 1]++;
        }
        for (let k = 0; k < layers; k++) start[k + 1] += start[k];
        // Moved, not numbered: what is read in order does not wait for memory.
        for (let i = 0, k = 0; i < count; i++, k += 5) {
            const to = 5 * start[layer[i]]++;
            (sorted[to] = found[k]), (sorted[to + 1] = found[k + 1]), (sorted[to + 2] = found[k + 2]), (sorted[to + 3] = found[k + 3]), (sorted[to + 4] = found[k + 4]);
        }
        return count;
    }

    /** What is written for a body, as one word. */
    private wordOf(tint: Uint8Array, body: number): number {
        if (this.numbers) return (body + 1) | 0xff000000;
        const a = this.shared.accent.value as THREE.Vector3, mix = (k: number, accent: number) => Math.round(0.25 * tint[4 * body + k] + 0.75 * 255 * accent);
        return mix(0, a.x) | (mix(1, a.y) << 8) | (mix(2, a.z) << 16) | 0xff000000;
    }

    private balls(rounds: Rounds, tint: Uint8Array, count: number): void {
        const { sorted, colors, depth, width, height, seen, numbers, sprites } = this, { sizes, phases } = sprites;
        const words = new Uint32Array(tint.buffer, tint.byteOffset, tint.length >> 2), sy = this.pixelsPerUnit, selected = this.shared.selected.value as number;
        let { table, rows, light, bulge } = sprites;
        depth.fill(Infinity);
        this.farthest.fill(Infinity);
        this.hole.fill(0);
        for (let n = 0; n < count; n++) {
            const k = 5 * n, px = sorted[k], py = sorted[k + 1], far = sorted[k + 2], outer = sorted[k + 3], i = sorted[k + 4], reach = (outer * sy) / far;
            if (this.isHidden(px - reach, py - reach, px + reach, py + reach, far - outer)) continue;
            const b = rounds.body[i], other = i < rounds.shapes && reach >= TINY[1], radius = other ? rounds.inner[i] : rounds.radius[i], pixels = (radius * sy) / far;
            if (other) {
                seen[b] = 1;
                if (pixels < TINY[1]) continue;
            }
            const ix = Math.floor(px), iy = Math.floor(py), size = Math.max(1, Math.round(pixels * sizes));
            const key = (size * phases + (((py - iy) * phases) | 0)) * phases + (((px - ix) * phases) | 0);
            let head = key < table.length ? table[key] : -1;
            if (head < 0) (head = sprites.make(key)), ({ table, rows, light, bulge } = sprites);
            const plain = numbers || other, color = other ? 0 : numbers || b === selected ? this.wordOf(tint, b) : words[b], rb = color & 0xff00ff, g = color & 0xff00;
            const top = iy + rows[head], first = Math.max(0, -top), last = Math.min(rows[head + 1], height - top);
            for (let row = first, at = head + 2 + 2 * first; row < last; row++, at += 2) {
                let from = ix + rows[at], j = rows[at + 1], to = from + rows[at + 3] - j;
                if (from < 0) (j -= from), (from = 0);
                if (to > width) to = width;
                const line = (top + row) * width;
                for (let p = line + from, end = line + to; p < end; p++, j++) {
                    const z = far - radius * bulge[j];
                    if (z >= depth[p]) continue;
                    depth[p] = z;
                    const l = light[j];
                    colors[p] = plain ? color : ((Math.imul(rb, l) >>> 8) & 0xff00ff) | ((Math.imul(g, l) >>> 8) & 0xff00) | 0xff000000;
                }
            }
        }
    }

    /** Is all of a rectangle nearer than this? Each tile keeps a bound of its depths, and a pixel that was too far when it was last looked at. */
    private isHidden(left: number, top: number, right: number, bottom: number, near: number): boolean {
        const { depth, farthest, hole, width, height, across } = this;
        const x0 = Math.max(0, left) >> TILE, x1 = Math.min(width - 1, right) >> TILE, y0 = Math.max(0, top) >> TILE, y1 = Math.min(height - 1, bottom) >> TILE;
        for (let y = y0; y <= y1; y++)
            for (let x = x0; x <= x1; x++) {
                const tile = y * across + x;
                if (near >= farthest[tile]) continue;
                if (depth[hole[tile]] > near && hole[tile]) return false;
                const xEnd = Math.min(width, (x + 1) << TILE), yEnd = Math.min(height, (y + 1) << TILE);
                let most = 0;
                for (let row = y << TILE; row < yEnd; row++)
                    for (let p = row * width + (x << TILE), end = row * width + xEnd; p < end; p++) {
                        const d = depth[p];
                        if (d > near) {
                            hole[tile] = p;
                            return false;
                        }
                        if (d > most) most = d;
                    }
                farthest[tile] = most;
            }
        return true;
    }

    private discs(rounds: Rounds, tint: Uint8Array, count: number): void {
        const { found, colors, width, height, seen, numbers, sprites } = this, { sizes, phases } = sprites, sy = this.pixelsPerUnit, selected = this.shared.selected.value as number;
        const words = new Uint32Array(tint.buffer, tint.byteOffset, tint.length >> 2);
        let { table, rows, light, tint: own, rim } = sprites;
        for (let n = 0; n < count; n++) {
            const k = 5 * n, px = found[k], py = found[k + 1], i = found[k + 4], b = rounds.body[i], ix = Math.floor(px), iy = Math.floor(py);
            if (i < rounds.shapes && found[k + 3] * sy >= TINY[0]) {
                seen[b] = 1;
                continue;
            }
            const size = Math.max(1, Math.round(rounds.radius[i] * sy * sizes)), key = (size * phases + (((py - iy) * phases) | 0)) * phases + (((px - ix) * phases) | 0);
            let head = key < table.length ? table[key] : -1;
            if (head < 0) (head = sprites.make(key)), ({ table, rows, light, tint: own, rim } = sprites);
            const color = numbers || b === selected ? this.wordOf(tint, b) : words[b], rb = color & 0xff00ff, ga = ((color >>> 8) & 0xff) | 0xff0000;
            const top = iy + rows[head], first = Math.max(0, -top), last = Math.min(rows[head + 1], height - top);
            for (let row = first, at = head + 2 + 2 * first; row < last; row++, at += 2) {
                let from = ix + rows[at], j = rows[at + 1], to = from + rows[at + 3] - j;
                if (from < 0) (j -= from), (from = 0);
                if (to > width) to = width;
                const line = (top + row) * width;
                for (let p = line + from, end = line + to; p < end; p++, j++) {
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

    dispose(): void {
        this.mesh.geometry.dispose();
        (this.mesh.material as THREE.Material).dispose();
        for (const name of ["colorMap", "depthMap"]) (this.own[name].value as THREE.Texture | null)?.dispose();
    }
}
