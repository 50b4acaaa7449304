// Ground without a GPU: planes in space and half-planes of the plane, drawn by the page into the same picture as its round
// bodies, as the shaders of ground do it. Along a row of pixels the inverse of the distance is linear, and what is seen of a plane
// is one stretch. Light changes slowly over the picture: it is computed at few nodes; fading and lines of the grid are exact where they
// matter, and linear in between.
import * as THREE from "three";
import type { Shared } from "./bodies";

export interface Ground {
    body: number;
    at: THREE.Vector3; // in the frame of the body
    turn: THREE.Quaternion;
    far: number; // it is drawn up to here, m
}

/** Where and what to draw. */
export interface Canvas {
    camera: THREE.Camera;
    width: number;
    height: number;
    colors: Uint32Array; // rows from top to bottom, on paper
    depth: Float32Array; // before the eye, m; in space
    place: Float32Array;
    turn: Float32Array;
    tint: Uint8Array;
}

type Linear = [number, number, number]; // of the picture: constant, per pixel to the right, per pixel down

const STRETCH = 16; // pixels in which colours are linear
const NODE = 32; // pixels between nodes of the light
const FADES = 2048;
const WHITE = 0xffffff; // 255 and a fraction of 16 bits

const mix = (a: number, b: number, t: number) => a + (b - a) * t;
const smoothstep = (a: number, b: number, x: number) => {
    const t = Math.min(1, Math.max(0, (x - a) / (b - a)));
    return t * t * (3 - 2 * t);
};
const linear = (c: number) => c * c * (0.305306 * c + 0.682171) + 0.012522 * c;
const encoded = (c: number) => Math.min(1, Math.max(0, 1.055 * Math.pow(Math.max(c, 0), 0.416667) - 0.055));
const word = (r: number, g: number, b: number) => ((r + 0.5) | ((g + 0.5) << 8) | ((b + 0.5) << 16) | 0xff000000) >>> 0;

/** The part of a row, in pixels from its begin, where linear things are not negative. */
class Stretch {
    low = 0;
    high = 0;
    begin(width: number): void {
        (this.low = 0), (this.high = width);
    }
    keep(at0: number, slope: number): void {
        if (slope > 0) this.low = Math.max(this.low, -at0 / slope);
        else if (slope < 0) this.high = Math.min(this.high, -at0 / slope);
        else if (at0 < 0) this.high = -1;
    }
    /** Pixels whose middles lie in it. */
    get first(): number {
        return Math.max(0, Math.ceil(this.low - 0.5));
    }
    get end(): number {
        return Math.floor(this.high + 0.5);
    }
}

export class Grounds {
    private readonly row = new Stretch();
    private readonly inner = new Stretch();
    private readonly fade = new Float32Array(FADES + 1);
    private nodes = new Float32Array();
    private light = new Float32Array(); // of one row: for each node red, green and blue of the ground, and of its lines
    private colors = new Uint32Array(); // of several
    private depth = new Float32Array();

    constructor(private readonly shared: Shared, readonly list: Ground[]) {}

    private vector(name: string): THREE.Vector3 {
        return this.shared[name].value as THREE.Vector3;
    }

    /** Its colour, each 0 to 1. */
    private tintOf(body: number, tint: Uint8Array): number[] {
        const chosen = body === this.shared.selected.value ? 0.75 : 0, accent = this.vector("accent").toArray();
        return [0, 1, 2].map((k) => mix(tint[4 * body + k] / 255, accent[k], chosen));
    }

    /** Where a ground is and how it lies; null if its body is not there. */
    private poseOf(ground: Ground, { place, turn }: Canvas): { origin: THREE.Vector3; axes: THREE.Vector3[] } | null {
        const b = 4 * ground.body;
        if (!(place[b + 3] > 0.5)) return null;
        const body = new THREE.Quaternion(turn[b], turn[b + 1], turn[b + 2], turn[b + 3]), whole = body.clone().multiply(ground.turn);
        const origin = ground.at.clone().applyQuaternion(body).add({ x: place[b], y: place[b + 1], z: place[b + 2] });
        return { origin, axes: [[1, 0, 0], [0, 1, 0], [0, 0, 1]].map(([x, y, z]) => new THREE.Vector3(x, y, z).applyQuaternion(whole)) };
    }

    /** Under all bodies of the plane. */
    drawInPlane(sheet: Canvas): void {
        for (const ground of this.list) this.drawHalfPlane(ground, sheet);
    }

    private drawHalfPlane(ground: Ground, sheet: Canvas): void {
        const pose = this.poseOf(ground, sheet), { camera, width, height, colors } = sheet, { row, inner } = this;
        if (!pose) return;
        const p = camera.projectionMatrix.elements, e = camera.matrixWorld.elements, sx = 0.5 * width * p[0], sy = 0.5 * height * p[5], ox = 0.5 * width * (1 + p[12]), oy = 0.5 * height * (1 - p[13]);
        // How far a pixel is along a direction from the origin of the ground, m.
        const along = (d: THREE.Vector3): Linear => {
            const dx = d.x / sx, dy = -d.y / sy;
            return [d.x * (e[12] - pose.origin.x) + d.y * (e[13] - pose.origin.y) - dx * ox - dy * oy, dx, dy];
        };
        const side = along(pose.axes[0]), down = along(pose.axes[1].clone().negate()), metres = Math.abs(down[1]) + Math.abs(down[2]);
        const [b0, bx, by] = down.map((x) => x / metres), sharp = Math.hypot(bx, by), deepest = ground.far / metres;
        const paper = this.vector("paper").toArray(), ink = this.vector("ink").toArray(), tint = this.tintOf(ground.body, sheet.tint), base = paper.map((c, k) => 255 * mix(c, tint[k], 0.32));
        const solid = word(base[0], base[1], base[2]), line = ink.map((c) => 255 * c);
        for (let y = 0; y < height; y++) {
            const at = b0 + by * (y + 0.5), s = side[0] + side[2] * (y + 0.5);
            row.begin(width);
            row.keep(at + 0.5 * sharp, bx);
            row.keep(deepest - at, -bx);
            row.keep(s + ground.far, side[1]);
            row.keep(ground.far - s, -side[1]);
            (inner.low = row.low), (inner.high = row.high);
            inner.keep(at - 20, bx); // farther down it has one colour
            const first = row.first, end = row.end, from = Math.min(end, Math.max(first, inner.first)), to = Math.max(from, inner.end);
            if (end <= first) continue;
            colors.fill(solid, y * width + from, y * width + to);
            for (let x = first; x < end; x++) {
                if (x === from) x = to;
                if (x >= end) break;
                const below = at + bx * (x + 0.5), stripe = (x + 0.5 - (height - y - 0.5)) / 9, hatch = Math.abs(stripe - Math.floor(stripe) - 0.5) * 9;
                const dark = 0.4 * (1 - smoothstep(14, 20, below)) * (1 - smoothstep(0.4, 1.2, hatch)), darker = 0.8 * (1 - smoothstep(1.2, 2.2, below));
                const cover = Math.min(1, below / sharp + 0.5), i = y * width + x, under = colors[i];
                const channel = (k: number) => mix((under >>> (8 * k)) & 255, mix(mix(base[k], line[k], dark), line[k], darker), cover);
                colors[i] = word(channel(0), channel(1), channel(2));
            }
        }
    }

    /** Where nothing nearer has been drawn. Grounds hide what is behind them, also where one looks through them onto the paper. */
    drawInSpace(canvas: Canvas): void {
        if (this.list.length < 2) return this.list.forEach((ground) => this.drawPlane(ground, canvas, false));
        // Several are seen through each other: they get a picture of their own.
        const { colors, depth } = canvas, count = colors.length, [r, g, b] = this.vector("paper").toArray();
        if (this.colors.length !== count) (this.colors = new Uint32Array(count)), (this.depth = new Float32Array(count));
        const own = this.colors.fill(word(255 * r, 255 * g, 255 * b)), near = this.depth.fill(Infinity);
        for (const ground of this.list) this.drawPlane(ground, { ...canvas, colors: own, depth: near }, true);
        for (let i = 0; i < count; i++) if (near[i] < depth[i]) colors[i] = own[i];
    }

    private drawPlane(ground: Ground, sheet: Canvas, several: boolean): void {
        const pose = this.poseOf(ground, sheet), { camera, width, height, colors, depth } = sheet, { row, inner, fade } = this;
        if (!pose) return;
        const { origin, axes: [sideways, forward, normal] } = pose, grid = this.shared.grid.value as number, reach = this.shared.reach.value as number;
        const p = camera.projectionMatrix.elements, e = camera.matrixWorld.elements, sx = 0.5 * width * p[0], sy = 0.5 * height * p[5], ox = 0.5 * width * (1 - p[8]), oy = 0.5 * height * (1 + p[9]);
        const eye = new THREE.Vector3(e[12], e[13], e[14]), toOrigin = origin.clone().sub(eye), toMiddle = this.vector("middle").clone().sub(eye);
        // Of the ray through a pixel, 1 m long before the eye: its part along a direction.
        const ray = (d: THREE.Vector3, scale: number): Linear => {
            const dx = (d.x * e[0] + d.y * e[1] + d.z * e[2]) / sx, dy = -(d.x * e[4] + d.y * e[5] + d.z * e[6]) / sy;
            return [-(d.x * e[8] + d.y * e[9] + d.z * e[10]) - dx * ox - dy * oy, dx, dy].map((x) => x * scale) as Linear;
        };
        const toPlane = normal.dot(toOrigin), isFloor = normal.dot(this.vector("up")) > 0.6, behind = toPlane > 0;
        if (!(Math.abs(toPlane) > 1e-9 * reach) || (behind && !isFloor)) return;
        // Inverse of the distance; both ways along the plane, in lines of its grid, from the foot of the eye.
        const Q = ray(normal, 1 / toPlane), A = ray(sideways, 1 / grid), B = ray(forward, 1 / grid), qx = Q[1], ax = A[1], bx = B[1], qy = Q[2], ay = A[2], by = B[2];
        const u0 = -sideways.dot(toOrigin) / grid, v0 = -forward.dot(toOrigin) / grid, um = sideways.dot(toMiddle) / grid, vm = forward.dot(toMiddle) / grid;
        const farLines = ground.far / grid, radius = (1.6 * reach) / grid, perFade = FADES / (radius * radius), most = behind ? 0.2 : 1, pane = 0.34;
        if (isFloor) for (let i = 0; i <= FADES; i++) fade[i] = most * (1 - smoothstep(0.35, 1.6, 1.6 * Math.sqrt(i / FADES)));
        const nearest = p[14] / (p[10] - 1), farthest = p[14] / (p[10] + 1);
        const low = this.vector("boxLow").toArray(), high = this.vector("boxHigh").toArray(), from = eye.toArray();
        const D = [0, 1, 2].map((k) => ray(new THREE.Vector3().setComponent(k, 1), 1)), beside = new Float64Array(6);
        const columns = this.placeNodes(ground, sheet, normal, ray, isFloor), { light } = this;
        const [pr, pg, pb] = this.vector("paper").toArray().map((x) => 255 * x);
        for (let y = 0; y < height; y++) {
            const yc = y + 0.5, q0 = Q[0] + qy * yc, a0 = A[0] + ay * yc, b0 = B[0] + by * yc;
            row.begin(width);
            row.keep(1 / nearest - q0, -qx);
            row.keep(q0 - 1 / farthest, qx);
            if (!(row.high > row.low)) continue;
            row.keep(a0 + (u0 + farLines) * q0, ax + (u0 + farLines) * qx);
            row.keep((farLines - u0) * q0 - a0, (farLines - u0) * qx - ax);
            row.keep(b0 + (v0 + farLines) * q0, bx + (v0 + farLines) * qx);
            row.keep((farLines - v0) * q0 - b0, (farLines - v0) * qx - bx);
            if (isFloor) this.keepDisc(a0 - um * q0, ax - um * qx, b0 - vm * q0, bx - vm * qx, radius * q0, radius * qx);
            else {
                (inner.low = row.low), (inner.high = row.high);
                for (let k = 0; k < 3; k++) {
                    const d0 = D[k][0] + D[k][2] * yc, dx = D[k][1], l = from[k] - low[k], h = high[k] - from[k];
                    row.keep(d0 + (l + 0.024 * reach) * q0, dx + (l + 0.024 * reach) * qx);
                    row.keep((h + 0.024 * reach) * q0 - d0, (h + 0.024 * reach) * qx - dx);
                    inner.keep(d0 + (l + 0.02 * reach) * q0, dx + (l + 0.02 * reach) * qx);
                    inner.keep((h + 0.02 * reach) * q0 - d0, (h + 0.02 * reach) * qx - dx);
                    (beside[2 * k] = d0), (beside[2 * k + 1] = dx);
                }
            }
            const first = row.first, end = Math.min(width, row.end), wide = end - first > 3 * STRETCH;
            if (end <= first) continue;
            const innerFirst = isFloor ? first : inner.first, innerEnd = isFloor ? end : inner.end;
            this.lightRow(y, columns);
            for (let xs = first; xs < end; xs += STRETCH) {
                const xe = Math.min(end, xs + STRETCH), last = Math.min(end - 1, xs + STRETCH), span = Math.max(1, last - xs);
                // Both ends: place, fading, metres of a pixel both ways.
                const cs = xs + 0.5, ce = last + 0.5, ts = 1 / (q0 + qx * cs), te = 1 / (q0 + qx * ce);
                const us = (a0 + ax * cs) * ts, ue = (a0 + ax * ce) * te, vs = (b0 + bx * cs) * ts, ve = (b0 + bx * ce) * te;
                const fus = ts * (Math.abs(ax - us * qx) + Math.abs(ay - us * qy)), fue = te * (Math.abs(ax - ue * qx) + Math.abs(ay - ue * qy));
                const fvs = ts * (Math.abs(bx - vs * qx) + Math.abs(by - vs * qy)), fve = te * (Math.abs(bx - ve * qx) + Math.abs(by - ve * qy));
                let alphaS = pane, alphaE = pane, even = xs >= innerFirst && xe <= innerEnd;
                if (isFloor) {
                    alphaS = fade[Math.min(FADES, ((us - um) * (us - um) + (vs - vm) * (vs - vm)) * perFade) | 0];
                    alphaE = fade[Math.min(FADES, ((ue - um) * (ue - um) + (ve - vm) * (ve - vm)) * perFade) | 0];
                    even = wide && Math.abs(alphaS - alphaE) < 0.08;
                }
                // Is there a line of the grid in it, and are they apart enough to be seen?
                const strongS = 1 - smoothstep(0.2, 0.6, Math.max(fus, fvs)), strongE = 1 - smoothstep(0.2, 0.6, Math.max(fue, fve));
                let linedU = false, linedV = false;
                if (strongS > 0 || strongE > 0) {
                    const du = 1.2 * Math.max(fus, fue), dv = 1.2 * Math.max(fvs, fve);
                    linedU = Math.ceil(u0 + Math.min(us, ue) - du) <= u0 + Math.max(us, ue) + du;
                    linedV = Math.ceil(v0 + Math.min(vs, ve) - dv) <= v0 + Math.max(vs, ve) + dv;
                }
                const ns = cs / NODE, ne = ce / NODE, is = 6 * Math.floor(ns), ie = 6 * Math.floor(ne), ws = ns - Math.floor(ns), we = ne - Math.floor(ne);
                const rs = light[is] + (light[is + 6] - light[is]) * ws, re = light[ie] + (light[ie + 6] - light[ie]) * we;
                const gs = light[is + 1] + (light[is + 7] - light[is + 1]) * ws, ge = light[ie + 1] + (light[ie + 7] - light[ie + 1]) * we;
                const bs = light[is + 2] + (light[is + 8] - light[is + 2]) * ws, be = light[ie + 2] + (light[ie + 8] - light[ie + 2]) * we;
                const start = y * width + xs, stop = y * width + xe;
                const lr = light[is + 3], lg = light[is + 4], lb = light[is + 5]; // lines are thin: their light at the node before will do
                const share = 1 / span, perU = 1 / (1.2 * fus), perV = 1 / (1.2 * fvs), dU = (1 / (1.2 * fue) - perU) * share, dV = (1 / (1.2 * fve) - perV) * share, ds = (strongE - strongS) * share;
                for (let i = start; several && even && i < stop; i++) even = depth[i] === Infinity; // else another ground is seen through it
                let q = q0 + qx * cs;
                if (even) {
                    const r0 = pr + (rs - pr) * alphaS, g0 = pg + (gs - pg) * alphaS, c0 = pb + (bs - pb) * alphaS, per = 65536 * share;
                    const dr = ((pr + (re - pr) * alphaE - r0) * per) | 0, dg = ((pg + (ge - pg) * alphaE - g0) * per) | 0, db = ((pb + (be - pb) * alphaE - c0) * per) | 0;
                    const toLine = 65536 * alphaS, or = (lr - rs) * toLine, og = (lg - gs) * toLine, ob = (lb - bs) * toLine;
                    let r = ((r0 + 0.5) * 65536) | 0, g = ((g0 + 0.5) * 65536) | 0, b = ((c0 + 0.5) * 65536) | 0;
                    if (!linedU && !linedV) {
                        for (let i = start; i < stop; i++, q += qx, r += dr, g += dg, b += db) {
                            if (!(depth[i] * q > 1)) continue;
                            colors[i] = (r >>> 16) | ((g >>> 8) & 0xff00) | (b & 0xff0000) | 0xff000000;
                            if (several) depth[i] = 1 / q;
                        }
                        continue;
                    }
                    for (let i = start, n = 0; i < stop; i++, n++, q += qx, r += dr, g += dg, b += db) {
                        if (!(depth[i] * q > 1)) continue;
                        let hr = r, hg = g, hb = b;
                        const t = 1 / q, x = cs + n;
                        let near = 1;
                        if (linedU) {
                            const u = u0 + (a0 + ax * x) * t;
                            near = Math.abs(u - Math.floor(u + 0.5)) * (perU + dU * n);
                        }
                        if (linedV) {
                            const v = v0 + (b0 + bx * x) * t;
                            near = Math.min(near, Math.abs(v - Math.floor(v + 0.5)) * (perV + dV * n));
                        }
                        if (near < 1) {
                            const w = (1 - near * near * (3 - 2 * near)) * (strongS + ds * n);
                            (hr = Math.min(WHITE, Math.max(0, r + or * w)) | 0), (hg = Math.min(WHITE, Math.max(0, g + og * w)) | 0), (hb = Math.min(WHITE, Math.max(0, b + ob * w)) | 0);
                        }
                        colors[i] = (hr >>> 16) | ((hg >>> 8) & 0xff00) | (hb & 0xff0000) | 0xff000000;
                        if (several) depth[i] = 1 / q;
                    }
                    continue;
                }
                const dr = (re - rs) * share, dg = (ge - gs) * share, db = (be - bs) * share;
                for (let i = start, n = 0; i < stop; i++, n++, q += qx) {
                    if (!(depth[i] * q > 1)) continue;
                    const t = 1 / q, x = cs + n, u = (a0 + ax * x) * t, v = (b0 + bx * x) * t;
                    let alpha = pane;
                    if (isFloor) alpha = fade[Math.min(FADES, ((u - um) * (u - um) + (v - vm) * (v - vm)) * perFade) | 0];
                    else if (xs < innerFirst || xe > innerEnd) {
                        let over = -Infinity;
                        for (let k = 0; k < 3; k++) {
                            const at = from[k] + (beside[2 * k] + beside[2 * k + 1] * x) * t;
                            over = Math.max(over, low[k] - at, at - high[k]);
                        }
                        alpha *= 1 - smoothstep(0.02, 0.024, over / reach);
                    }
                    if (!(alpha > 0.003)) continue;
                    let w = 0;
                    if (linedU || linedV) {
                        const lu = u0 + u, lv = v0 + v, near = Math.min(Math.abs(lu - Math.floor(lu + 0.5)) * (perU + dU * n), Math.abs(lv - Math.floor(lv + 0.5)) * (perV + dV * n));
                        if (near < 1) w = (1 - near * near * (3 - 2 * near)) * (strongS + ds * n);
                    }
                    let ur = pr, ug = pg, ub = pb;
                    if (several) {
                        (ur = colors[i] & 255), (ug = (colors[i] >>> 8) & 255), (ub = (colors[i] >>> 16) & 255);
                        depth[i] = t;
                    }
                    const r = rs + dr * n, g = gs + dg * n, b = bs + db * n;
                    colors[i] = (ur + (r + (lr - r) * w - ur) * alpha + 0.5) | ((ug + (g + (lg - g) * w - ug) * alpha + 0.5) << 8) | ((ub + (b + (lb - b) * w - ub) * alpha + 0.5) << 16) | 0xff000000;
                }
            }
        }
    }

    /** Keep of a row what lies in a disc: where the square of two linear things is at most that of a third, which is positive. */
    private keepDisc(a0: number, a1: number, b0: number, b1: number, c0: number, c1: number): void {
        const { row } = this, a = a1 * a1 + b1 * b1 - c1 * c1, b = a0 * a1 + b0 * b1 - c0 * c1, c = a0 * a0 + b0 * b0 - c0 * c0, d = b * b - a * c;
        if (a > 0) {
            if (d < 0) row.high = -1;
            else (row.low = Math.max(row.low, (-b - Math.sqrt(d)) / a)), (row.high = Math.min(row.high, (-b + Math.sqrt(d)) / a));
        } else if (a < 0 && d >= 0) {
            // A branch of a hyperbola: the other one is behind the eye.
            const r = Math.sqrt(d);
            if (c1 > 0) row.low = Math.max(row.low, (-b - r) / a);
            else row.high = Math.min(row.high, (-b + r) / a);
        }
    }

    /** Light of the ground and of its lines, which depends on the direction of the ray alone. Returns the number of nodes in a row. */
    private placeNodes(ground: Ground, { width, height, tint }: Canvas, normal: THREE.Vector3, ray: (d: THREE.Vector3, scale: number) => Linear, isFloor: boolean): number {
        const columns = Math.ceil(width / NODE) + 2, rows = Math.ceil(height / NODE) + 2;
        if (this.nodes.length !== 6 * columns * rows) (this.nodes = new Float32Array(6 * columns * rows)), (this.light = new Float32Array(6 * columns));
        const own = this.tintOf(ground.body, tint), paper = this.vector("paper").toArray(), edge = this.vector("edge").toArray(), toLight = this.vector("lightDirection");
        const plain = own.map((c, k) => mix(c, paper[k], isFloor ? 0.35 : 0)), lines = plain.map((c, k) => mix(c, edge[k], 0.14)), bases = [...plain, ...lines].map(linear);
        const key = Math.max(0, normal.dot(toLight)), sky = 0.5 + 0.5 * normal.dot(this.vector("up")), warm = [1, 0.97, 0.92], dark = [0.22, 0.2, 0.19], bright = [0.5, 0.55, 0.62];
        const steady = warm.map((w, k) => 0.92 * w * key + 0.78 * mix(dark[k], bright[k], sky)), d = [0, 1, 2].map((k) => ray(new THREE.Vector3().setComponent(k, 1), 1));
        const toEye = new THREE.Vector3(), half = new THREE.Vector3(), along = (k: number, i: number, j: number) => -(d[k][0] + d[k][1] * NODE * i + d[k][2] * NODE * j);
        for (let j = 0, n = 0; j < rows; j++)
            for (let i = 0; i < columns; i++) {
                toEye.set(along(0, i, j), along(1, i, j), along(2, i, j)).normalize();
                const facing = Math.max(0, normal.dot(toEye)), glance = Math.max(0, normal.dot(half.copy(toLight).add(toEye).normalize()));
                const more = (key > 0 ? 0.16 * Math.pow(glance, 42) : 0) + 0.1 * sky * Math.pow(1 - facing, 4);
                for (let k = 0; k < 6; k++) this.nodes[n++] = 255 * encoded(bases[k] * (steady[k % 3] + 0.1 * facing) + more);
            }
        return columns;
    }

    private lightRow(y: number, columns: number): void {
        const { nodes, light } = this, at = (y + 0.5) / NODE, j = Math.floor(at), w = at - j, n = 6 * columns, above = j * n, below = above + n;
        for (let i = 0; i < n; i++) light[i] = nodes[above + i] + (nodes[below + i] - nodes[above + i]) * w;
    }
}
