// What stands around the bodies: thin walls, the cell of a periodic plane and its copies, triangles of floes.
import * as THREE from "three";
import type { Bodies } from "./bodies";
import type { Palette } from "./colors";
import type { Ribbons } from "./marks";
import type { Model } from "./run";

export function drawWalls(walls: Ribbons, bodies: Bodies, on: boolean, palette: Palette, pixelRatio: number): void {
    const list = on ? bodies.thinWalls : [];
    walls.begin(list.length);
    for (const w of list) walls.add({ from: w.from, to: w.to, color: palette.edge, radius: w.radius, pixels: 1.4 * pixelRatio, body: w.body, owner: w.body });
    walls.end();
}

/** The cell of a periodic plane, and the triangles that forces on floes are summed over. */
export function drawLines(lines: Ribbons, model: Model, mesh: boolean, palette: Palette, pixelRatio: number): void {
    const p = model.periodic, sides = mesh ? model.meshBody.length : 0;
    lines.begin(sides + 4);
    for (let i = 0; i < sides; i++) {
        const s = model.meshSides.subarray(4 * i, 4 * i + 4);
        lines.add({ from: [s[0], s[1], 0], to: [s[2], s[3], 0], color: palette.edge, opacity: 0.35, pixels: 0.4 * pixelRatio, body: model.meshBody[i] });
    }
    if (p) {
        const c = [[p.low[0], p.low[1]], [p.high[0], p.low[1]], [p.high[0], p.high[1]], [p.low[0], p.high[1]]];
        for (let i = 0; i < 4; i++) lines.add({ from: [...c[i], 0], to: [...c[(i + 1) % 4], 0], color: palette.accent, opacity: 0.7, pixels: 0.7 * pixelRatio });
    }
    lines.end();
}

/** Shifts at which a periodic domain is drawn; the first is none. */
export function imagesOf(model: Model, on: boolean): THREE.Vector3[] {
    const p = model.periodic, list = [new THREE.Vector3()];
    if (!p || !on) return list;
    const length = p.high.map((x, k) => (Number.isFinite(x) && Number.isFinite(p.low[k]) && x > p.low[k] ? x - p.low[k] : 0));
    for (let i = -1; i <= 1; i++)
        for (let j = -1; j <= 1; j++)
            for (let k = -1; k <= 1; k++)
                if ((i || j || k) && !(i && !length[0]) && !(j && !length[1]) && !(k && !length[2])) list.push(new THREE.Vector3(i * length[0], j * (length[1] ?? 0), k * (length[2] ?? 0)));
    return list;
}

/** The direction that is up: against gravity, or the last axis. */
export function upOf(model: Model): THREE.Vector3 {
    if (model.dimension === 2) return new THREE.Vector3(0, 1, 0);
    const g = new THREE.Vector3(...(model.gravity as [number, number, number]));
    if (g.length() === 0) return new THREE.Vector3(0, 0, 1);
    const u = g.negate().normalize();
    // The axis of space nearest to it, if it is near: a tilted table looks better than a tilted world.
    for (let k = 0; k < 3; k++) if (Math.abs(u.getComponent(k)) > 0.8) return new THREE.Vector3().setComponent(k, Math.sign(u.getComponent(k)));
    return u;
}
