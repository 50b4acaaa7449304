// Colours of bodies: a value per body and the scale that explains it, or a list of names.
import { mapColors, type Palette, type Rgb } from "./colors";
import { DRIVEN, FREE, type Frame, type Model } from "./run";

export type ColorBy = "speed" | "spin" | "birth" | "material" | "island" | "pressure" | "plain";

export const colorings: { id: ColorBy; text: string; needsContacts: boolean }[] = [
    { id: "speed", text: "Speed", needsContacts: false },
    { id: "spin", text: "Spin", needsContacts: false },
    { id: "pressure", text: "Pressure", needsContacts: true },
    { id: "material", text: "Material", needsContacts: false },
    { id: "island", text: "Island", needsContacts: true },
    { id: "birth", text: "Birth", needsContacts: false },
    { id: "plain", text: "Plain", needsContacts: false },
];

export interface Scale {
    text: string;
    unit: string;
    low: number;
    high: number;
    map: Uint8Array;
}

export interface Legend {
    scale: Scale | null;
    names: { name: string; color: Rgb }[];
    note: string;
}

function speeds(model: Model, frame: Frame, out: Float32Array): void {
    const d = model.dimension, v = frame.velocity;
    for (let b = 0; b < model.bodies; b++) {
        const x = v[d * b], y = v[d * b + 1], z = d === 3 ? v[d * b + 2] : 0;
        out[b] = Math.sqrt(x * x + y * y + z * z);
    }
}

function spins(model: Model, frame: Frame, out: Float32Array): void {
    const w = frame.spin;
    if (model.dimension === 2) out.set(w.subarray(0, out.length));
    else for (let b = 0; b < model.bodies; b++) out[b] = Math.sqrt(w[3 * b] ** 2 + w[3 * b + 1] ** 2 + w[3 * b + 2] ** 2);
}

/** Mean stress of each body from its contacts (Love 1927, Weber 1966): p = -1/(d V) sum f . (x_c - x), f = impulse / h. */
export function pressures(model: Model, frame: Frame, out: Float32Array): void {
    out.fill(0);
    const c = frame.contacts, d = model.dimension, x = frame.position;
    if (!c) return;
    for (let i = 0; i < c.count; i++)
        for (let side = 0; side < 2; side++) {
            const b = c.bodies[2 * i + side];
            if (b < 0 || model.kind[b] !== FREE) continue;
            let work = 0;
            for (let k = 0; k < d; k++) work += c.impulse[3 * i + k] * (c.position[3 * i + k] - x[d * b + k]);
            out[b] += side === 0 ? -work : work;
        }
    for (let b = 0; b < model.bodies; b++) out[b] = model.volume[b] > 0 ? out[b] / (d * model.volume[b] * model.timeStep) : 0;
}

/** Free bodies joined by contacts that carry an impulse: the number of the first body of each island. */
export function islands(model: Model, frame: Frame): Int32Array {
    const parent = new Int32Array(model.bodies).map((_, i) => i), c = frame.contacts;
    const root = (i: number) => {
        while (parent[i] !== i) i = parent[i] = parent[parent[i]];
        return i;
    };
    for (let i = 0; c && i < c.count; i++) {
        const a = c.bodies[2 * i], b = c.bodies[2 * i + 1];
        if (a < 0 || b < 0 || !(c.normalImpulse[i] > 0) || model.kind[a] !== FREE || model.kind[b] !== FREE) continue;
        const ra = root(a), rb = root(b);
        if (ra < rb) parent[rb] = ra;
        else parent[ra] = rb;
    }
    for (let i = 0; i < model.bodies; i++) parent[i] = root(i);
    return parent;
}

/** Largest absolute values seen so far, so that a scale does not flicker from frame to frame. */
const held = new Map<string, number>();
export const forgetScales = () => held.clear();

/** Room that is used again for each frame. */
const samples = new Float32Array(8192);
let values = new Float32Array();

function upper(model: Model, frame: Frame): number {
    let n = 0;
    const stride = Math.max(1, Math.ceil(model.bodies / samples.length));
    for (let b = 0; b < model.bodies; b += stride) if (frame.active[b] && model.kind[b] === FREE && Number.isFinite(values[b])) samples[n++] = Math.abs(values[b]);
    if (!n) return 0;
    const list = samples.subarray(0, n).sort();
    // A single fast body must not make all others pale.
    return list.length > 50 ? list[Math.floor(0.995 * (list.length - 1))] : list[list.length - 1];
}

/** The next of 1, 2, 5 times a power of ten. */
export function roundUp(x: number): number {
    if (!(x > 0)) return 1;
    const p = Math.pow(10, Math.floor(Math.log10(x)));
    for (const m of [1, 1.5, 2, 3, 4, 5, 6, 8, 10]) if (m * p >= x * 0.999) return m * p;
    return 10 * p;
}

const jitter = (b: number) => {
    const x = Math.sin(b * 12.9898 + 4.1) * 43758.5453;
    return x - Math.floor(x);
};

export interface ScaleChoice {
    hold: boolean;
    max: number | null; // given by hand
}

export function paint(model: Model, frame: Frame, by: ColorBy, palette: Palette, choice: ScaleChoice, tint: Uint8Array): Legend {
    const n = model.bodies, legend: Legend = { scale: null, names: [], note: "" };
    const set = (b: number, c: ArrayLike<number>) => {
        tint[4 * b] = c[0], tint[4 * b + 1] = c[1], tint[4 * b + 2] = c[2];
    };
    const obstacles = (b: number) => {
        if (model.kind[b] === FREE) return false;
        set(b, model.kind[b] === DRIVEN ? palette.driven : palette.obstacle);
        return true;
    };
    if (by === "speed" || by === "spin" || by === "pressure" || by === "birth") {
        if (values.length !== n) values = new Float32Array(n);
        let text = "speed", unit = "m/s", low = 0, map = palette.sequential, high = 0;
        if (by === "speed") speeds(model, frame, values);
        else if (by === "spin") {
            spins(model, frame, values);
            text = model.dimension === 2 ? "spin" : "spin rate", unit = "rad/s";
        } else if (by === "pressure") {
            pressures(model, frame, values);
            text = "pressure in the body", unit = model.dimension === 2 ? "N/m" : "Pa";
        } else {
            let first = Infinity, last = -Infinity;
            for (let b = 0; b < n; b++) if (model.kind[b] === FREE) (first = Math.min(first, model.birth[b])), (last = Math.max(last, model.birth[b]));
            const together = !(last > first);
            for (let b = 0; b < n; b++) values[b] = together ? b : model.birth[b];
            text = together ? "number of the body" : "time of birth", unit = together ? "" : "s";
            low = together ? 0 : first, high = together ? Math.max(1, n - 1) : last;
        }
        if (by !== "birth") {
            high = upper(model, frame);
            if (choice.hold) held.set(by, (high = Math.max(high, held.get(by) ?? 0)));
            high = choice.max ?? roundUp(high);
            if (by === "spin" && model.dimension === 2) (low = -high), (map = palette.diverging);
        }
        mapColors(map, values, low, high, new Uint32Array(tint.buffer, tint.byteOffset, n));
        for (let b = 0; b < n; b++) obstacles(b);
        legend.scale = { text, unit, low, high, map };
        return legend;
    }
    if (by === "island") {
        const island = islands(model, frame), size = new Int32Array(n);
        let count = 0;
        for (let b = 0; b < n; b++) if (model.kind[b] === FREE && frame.active[b] && size[island[b]]++ === 1) count++;
        for (let b = 0; b < n; b++) if (!obstacles(b)) set(b, size[island[b]] > 1 ? palette.category(island[b]) : palette.faint);
        legend.note = `${count} island${count === 1 ? "" : "s"} of touching bodies`;
        return legend;
    }
    const seen = new Map<number, Rgb>();
    for (let b = 0; b < n; b++) {
        if (obstacles(b)) continue;
        const m = by === "plain" ? 0 : model.bodyMaterial[b], s = 0.94 + 0.12 * jitter(b);
        let c = seen.get(m);
        if (!c) seen.set(m, (c = palette.material(m)));
        for (let k = 0; k < 3; k++) tint[4 * b + k] = Math.min(255, c[k] * s);
    }
    if (by === "material")
        for (const m of [...seen.keys()].sort((a, b) => a - b)) legend.names.push({ name: model.materials[m]?.name || "no material", color: palette.material(m) });
    return legend;
}
