// Shapes as triangles. A soup is a list of triangles with normals and rims: three numbers per corner that fall to zero on
// those sides of the triangle that are true edges of the shape, so that a shader can draw them at any zoom.
import { ShapeUtils, Vector2 } from "three";

export interface Soup {
    position: number[];
    normal: number[];
    rim: number[];
    cap: number[]; // -1, 0, 1: moved along the axis by the half length (capsules)
}

export const newSoup = (): Soup => ({ position: [], normal: [], rim: [], cap: [] });

type V = [number, number, number];

/** Add a triangle; sides[i] says whether the side opposite to corner i is a true edge. */
function triangle(soup: Soup, p: V[], n: V[], sides: boolean[], cap = 0): void {
    for (let i = 0; i < 3; i++) {
        soup.position.push(...p[i]);
        soup.normal.push(...n[i]);
        for (let k = 0; k < 3; k++) soup.rim.push(sides[k] ? (k === i ? 1 : 0) : 1);
        soup.cap.push(cap);
    }
}

const sub = (a: V, b: V): V => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const cross = (a: V, b: V): V => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
function unit(a: V): V {
    const n = Math.hypot(...a) || 1;
    return [a[0] / n, a[1] / n, a[2] / n];
}

/** A polygon whose corners are rounded outwards, as a polygon with short sides. Corners counter-clockwise. */
export function roundedOutline(points: Vector2[], radius: number): Vector2[] {
    if (!(radius > 0)) return points;
    const out: Vector2[] = [], n = points.length;
    for (let i = 0; i < n; i++) {
        const before = points[(i + n - 1) % n], at = points[i], after = points[(i + 1) % n];
        const a = Math.atan2(at.y - before.y, at.x - before.x) - Math.PI / 2, b = Math.atan2(after.y - at.y, after.x - at.x) - Math.PI / 2;
        let turn = b - a;
        while (turn > Math.PI) turn -= 2 * Math.PI;
        while (turn <= -Math.PI) turn += 2 * Math.PI;
        if (turn < 0) {
            // A hollow corner: the moved sides meet.
            const far = radius / Math.max(Math.cos(turn / 2), 0.2);
            out.push(new Vector2(at.x + far * Math.cos(a + turn / 2), at.y + far * Math.sin(a + turn / 2)));
            continue;
        }
        const pieces = Math.max(1, Math.ceil(turn / 0.26));
        for (let k = 0; k <= pieces; k++) {
            const angle = a + (turn * k) / pieces;
            out.push(new Vector2(at.x + radius * Math.cos(angle), at.y + radius * Math.sin(angle)));
        }
    }
    return out;
}

export function polygonSoup(points: Vector2[], radius: number): Soup {
    const soup = newSoup(), outline = roundedOutline(points, radius), n = outline.length, up: V = [0, 0, 1];
    const at = (i: number): V => [outline[i].x, outline[i].y, 0];
    const isSide = (i: number, j: number) => (i + 1) % n === j || (j + 1) % n === i;
    for (const [a, b, c] of ShapeUtils.triangulateShape(outline, []))
        triangle(soup, [at(a), at(b), at(c)], [up, up, up], [isSide(b, c), isSide(c, a), isSide(a, b)]);
    return soup;
}

/** Triangles with flat faces. Sides between triangles of one plane are no edges. */
export function facetSoup(vertices: ArrayLike<number>, indices: ArrayLike<number>): Soup {
    const soup = newSoup(), count = indices.length / 3, normals: V[] = [], sides = new Map<string, V[]>();
    const point = (i: number): V => [vertices[3 * i], vertices[3 * i + 1], vertices[3 * i + 2]];
    const key = (a: number, b: number) => (a < b ? `${a},${b}` : `${b},${a}`);
    for (let t = 0; t < count; t++) {
        const [a, b, c] = [indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]];
        const n = unit(cross(sub(point(b), point(a)), sub(point(c), point(a))));
        normals.push(n);
        for (const side of [key(a, b), key(b, c), key(c, a)]) sides.get(side)?.push(n) ?? sides.set(side, [n]);
    }
    const isEdge = (side: string) => {
        const n = sides.get(side)!;
        return n.length !== 2 || n[0][0] * n[1][0] + n[0][1] * n[1][1] + n[0][2] * n[1][2] < 0.985;
    };
    for (let t = 0; t < count; t++) {
        const [a, b, c] = [indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]], n = normals[t];
        triangle(soup, [point(a), point(b), point(c)], [n, n, n], [isEdge(key(b, c)), isEdge(key(c, a)), isEdge(key(a, b))]);
    }
    return soup;
}

/** A box of half sides 1. */
export function boxSoup(): Soup {
    const vertices: number[] = [];
    for (let i = 0; i < 8; i++) vertices.push(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    return facetSoup(vertices, [0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4, 2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5]);
}

/** The side of a frustum about z between z = -half and half, seen from outside. */
export function frustumSoup(low: number, high: number, half: number, pieces: number, soup = newSoup(), rims = true): Soup {
    const slope = (low - high) / (2 * half), norm = Math.hypot(1, slope);
    for (let i = 0; i < pieces; i++) {
        const a = (2 * Math.PI * i) / pieces, b = (2 * Math.PI * (i + 1)) / pieces;
        const p = (r: number, t: number, z: number): V => [r * Math.cos(t), r * Math.sin(t), z];
        const n = (t: number): V => [Math.cos(t) / norm, Math.sin(t) / norm, slope / norm];
        triangle(soup, [p(low, a, -half), p(low, b, -half), p(high, b, half)], [n(a), n(b), n(b)], [false, false, rims]);
        triangle(soup, [p(low, a, -half), p(high, b, half), p(high, a, half)], [n(a), n(b), n(a)], [rims, false, false]);
    }
    return soup;
}

/** A cylinder of radius 1 and half height 1. */
export function cylinderSoup(pieces = 28): Soup {
    const soup = frustumSoup(1, 1, 1, pieces);
    for (const z of [-1, 1])
        for (let i = 0; i < pieces; i++) {
            const a = (2 * Math.PI * i * z) / pieces, b = (2 * Math.PI * (i + 1) * z) / pieces, n: V = [0, 0, z];
            triangle(soup, [[0, 0, z], [Math.cos(a), Math.sin(a), z], [Math.cos(b), Math.sin(b), z]], [n, n, n], [true, false, false]);
        }
    return soup;
}

/** A capsule of radius 1 whose ends are moved by `cap` times the half length. */
export function capsuleSoup(pieces = 20): Soup {
    const soup = newSoup(), rings = 5;
    const at = (t: number, f: number): V => [Math.cos(f) * Math.cos(t), Math.cos(f) * Math.sin(t), Math.sin(f)];
    const quad = (p: V[], caps: number[]) => {
        for (const [i, j, k] of [[0, 1, 2], [0, 2, 3]]) {
            triangle(soup, [p[i], p[j], p[k]], [p[i], p[j], p[k]], [false, false, false]);
            soup.cap.splice(-3, 3, caps[i], caps[j], caps[k]);
        }
    };
    for (let i = 0; i < pieces; i++) {
        const a = (2 * Math.PI * i) / pieces, b = (2 * Math.PI * (i + 1)) / pieces;
        quad([at(a, 0), at(b, 0), at(b, 0), at(a, 0)], [-1, -1, 1, 1]);
        for (let r = 0; r < rings; r++) {
            const f = (0.5 * Math.PI * r) / rings, g = (0.5 * Math.PI * (r + 1)) / rings;
            quad([at(a, f), at(b, f), at(b, g), at(a, g)], [1, 1, 1, 1]);
            quad([at(a, -g), at(b, -g), at(b, -f), at(a, -f)], [-1, -1, -1, -1]);
        }
    }
    return soup;
}

/** The rim of a ring: solid outside `radius`. */
export function ringSoup(radius: number, band: number, pieces = 144): Soup {
    const soup = newSoup(), up: V = [0, 0, 1];
    for (let i = 0; i < pieces; i++) {
        const a = (2 * Math.PI * i) / pieces, b = (2 * Math.PI * (i + 1)) / pieces, r = radius + band;
        const p = (s: number, t: number): V => [s * Math.cos(t), s * Math.sin(t), 0];
        triangle(soup, [p(radius, a), p(r, a), p(r, b)], [up, up, up], [true, false, false]);
        triangle(soup, [p(radius, a), p(r, b), p(radius, b)], [up, up, up], [false, true, false]);
    }
    return soup;
}

/** Stretch a soup by three sizes, and move its caps by the fourth. */
export function sized(soup: Soup, size: ArrayLike<number>): Soup {
    if (size[0] === 1 && size[1] === 1 && size[2] === 1 && size[3] === 0) return soup;
    const position = soup.position.map((x, i) => x * size[i % 3] + (i % 3 === 2 ? soup.cap[(i - 2) / 3] * size[3] : 0));
    return { ...soup, position };
}

/** Place a soup: turn by a quaternion w x y z, then move. */
export function placed(soup: Soup, rotation: ArrayLike<number>, position: ArrayLike<number>): Soup {
    const [w, x, y, z] = [rotation[0], rotation[1], rotation[2], rotation[3]];
    const turn = (a: number[], i: number): V => {
        const v: V = [a[i], a[i + 1], a[i + 2]], c = cross([x, y, z], v);
        const d = cross([x, y, z], [c[0] + w * v[0], c[1] + w * v[1], c[2] + w * v[2]]);
        return [v[0] + 2 * d[0], v[1] + 2 * d[1], v[2] + 2 * d[2]];
    };
    const out: Soup = { position: [], normal: [], rim: soup.rim, cap: soup.cap };
    for (let i = 0; i < soup.position.length; i += 3) {
        const p = turn(soup.position, i), n = turn(soup.normal, i);
        out.position.push(p[0] + position[0], p[1] + position[1], p[2] + position[2]);
        out.normal.push(...n);
    }
    return out;
}
