// Where things are: the box that a first view shows.
import * as THREE from "three";
import { FREE, type Frame, type Model } from "./run";

/** Points that span a shape, in its own frame; none for shapes without an end. */
function spanning(model: Model, s: number): number[][] {
    const [radius, top, hx, hy, hz] = model.shapeSize.subarray(5 * s, 5 * s + 5), out: number[][] = [];
    const corners = (x: number, y: number, z: number) => {
        for (let i = 0; i < 8; i++) out.push([i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z]);
    };
    switch (model.shapeKinds[model.shapeKind[s]]) {
        case "half-plane":
        case "plane": break;
        case "box": corners(hx, hy, hz); break;
        case "cylinder":
        case "tube": corners(radius, radius, hz); break;
        case "funnel": corners(Math.max(radius, top), Math.max(radius, top), hz); break;
        case "capsule": corners(radius, radius, hz + radius); break;
        case "ring": corners(1.06 * radius, 1.06 * radius, 0); break;
        case "disc":
        case "sphere": corners(radius, radius, model.dimension === 3 ? radius : 0); break;
        default:
            for (let v = model.vertexStart[s]; v < model.vertexStart[s + 1]; v++) out.push(Array.from(model.vertices.subarray(3 * v, 3 * v + 3)));
    }
    return out;
}

export function poseOf(model: Model, frame: Frame, body: number): { position: THREE.Vector3; rotation: THREE.Quaternion } {
    const d = model.dimension, p = frame.position, r = frame.rotation;
    return {
        position: new THREE.Vector3(p[d * body], p[d * body + 1], d === 3 ? p[d * body + 2] : 0),
        rotation: d === 2 ? new THREE.Quaternion(0, 0, Math.sin(r[body] / 2), Math.cos(r[body] / 2))
            : new THREE.Quaternion(r[4 * body + 1], r[4 * body + 2], r[4 * body + 3], r[4 * body]),
    };
}

/** Box of the free bodies of these frames, without the few that flew far away, and of the obstacles near them. */
export function boundsOf(model: Model, frames: Frame[]): { low: THREE.Vector3; high: THREE.Vector3 } {
    const low = new THREE.Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), d = model.dimension;
    if (d === 2) low.z = high.z = 0;
    for (const frame of frames)
        for (let k = 0; k < d; k++) {
            const allLows = new Float32Array(model.bodies), allHighs = new Float32Array(model.bodies);
            let n = 0;
            for (let b = 0; b < model.bodies; b++) {
                if (model.kind[b] !== FREE || (!frame.active[b] && frame !== frames[0])) continue;
                // A body that is not there yet will come where it begins.
                const at = frame.active[b] ? frame.position[d * b + k] : model.place[3 * b + k];
                if (!Number.isFinite(model.reach[b]) || !Number.isFinite(at)) continue;
                allLows[n] = at - model.reach[b];
                allHighs[n++] = at + model.reach[b];
            }
            if (!n) continue;
            const lows = allLows.subarray(0, n).sort(), highs = allHighs.subarray(0, n).sort();
            const trim = lows.length > 200 ? Math.floor(0.005 * lows.length) : 0;
            low.setComponent(k, Math.min(low.getComponent(k), lows[trim]));
            high.setComponent(k, Math.max(high.getComponent(k), highs[highs.length - 1 - trim]));
        }
    const some = low.x <= high.x, size = some ? high.clone().sub(low) : new THREE.Vector3();
    const room = 0.45 * Math.max(size.x, size.y, d === 3 ? size.z : 0);
    if (d === 2) size.z = 0;
    const near = new THREE.Box3(low.clone().subScalar(room), high.clone().addScalar(room)), p = new THREE.Vector3(), q = new THREE.Quaternion();
    for (let s = 0; s < model.shapeCount; s++) {
        const b = model.shapeBody[s];
        if (model.kind[b] === FREE || !frames.length) continue;
        const { position, rotation } = poseOf(model, frames[0], b), r = model.shapeRotation, at = model.shapePosition;
        q.set(r[4 * s + 1], r[4 * s + 2], r[4 * s + 3], r[4 * s]);
        for (const [x, y, z] of spanning(model, s)) {
            p.set(x, y, z).applyQuaternion(q).add({ x: at[3 * s], y: at[3 * s + 1], z: at[3 * s + 2] }).applyQuaternion(rotation).add(position);
            if (some) p.clamp(near.min, near.max);
            low.min(p);
            high.max(p);
        }
    }
    for (let k = 0; k < 3; k++)
        if (!(low.getComponent(k) <= high.getComponent(k))) low.setComponent(k, k < d ? -1 : 0), high.setComponent(k, k < d ? 1 : 0);
    return { low, high };
}

/** A typical radius of the free bodies. */
export function typicalSize(model: Model): number {
    const bounded = (r: number) => r > 0 && Number.isFinite(r);
    let list = model.reach.filter((r, b) => model.kind[b] === FREE && bounded(r));
    if (!list.length) list = model.reach.filter(bounded);
    list.sort();
    return list.length ? list[list.length >> 1] : 1;
}

/** Balls around the bodies of a frame that are in sight: x, y, z, radius; with `behind` only those behind the middle. Of a ground that is
 *  paved with small fixed bodies only the part near the free ones counts. */
export function ballsOf(model: Model, frame: Frame, middle: THREE.Vector3, radius: number, behind: boolean): Float32Array {
    const list: number[] = [], p = new THREE.Vector3(), centre = new THREE.Vector3();
    const inSight = (b: number) => frame.active[b] && Number.isFinite(model.reach[b]) && p.copy(poseOf(model, frame, b).position).distanceTo(middle) + model.reach[b] < 1.2 * radius;
    let free = 0, spread = 0;
    for (let b = 0; b < model.bodies; b++) if (model.kind[b] === FREE && inSight(b)) centre.add(p), free++;
    centre.multiplyScalar(1 / Math.max(1, free));
    for (let b = 0; b < model.bodies; b++) if (model.kind[b] === FREE && inSight(b)) spread = Math.max(spread, p.distanceTo(centre) + model.reach[b]);
    for (let b = 0; b < model.bodies; b++) {
        if (!inSight(b) || (behind && p.y + model.reach[b] < middle.y)) continue;
        if (free && model.kind[b] !== FREE && model.reach[b] < 0.3 * spread && p.distanceTo(centre) > 1.25 * spread) continue;
        list.push(p.x, p.y, p.z, model.reach[b]);
    }
    return new Float32Array(list);
}
