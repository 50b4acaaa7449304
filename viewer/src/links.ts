// Contacts as dots by status, and forces as chains from centre to centre whose width is the normal impulse.
import type { Palette } from "./colors";
import type { Dots, Ribbons } from "./marks";
import { FREE, type Frame, type Model } from "./run";
import { CONTACT } from "./stage";

let strongest = 0; // held, so that widths of different frames compare
export const forgetForces = () => (strongest = 0);

/** The impulse that is drawn with full width: near the largest, but not set by one blow. */
function reference(frame: Frame): number {
    const c = frame.contacts!, list: number[] = [], stride = Math.max(1, Math.floor(c.count / 20000));
    for (let i = 0; i < c.count; i += stride) if (c.normalImpulse[i] > 0) list.push(c.normalImpulse[i]);
    if (!list.length) return strongest;
    list.sort((a, b) => a - b);
    return list[Math.floor(0.98 * (list.length - 1))];
}

export interface ForceScale {
    impulse: number; // N s drawn with full width
    radius: number; // m, half of that width
}

export function drawChains(model: Model, frame: Frame, palette: Palette, chains: Ribbons, size: number, selected: number): ForceScale | null {
    const c = frame.contacts, d = model.dimension;
    if (!c) {
        chains.begin(0);
        chains.end();
        return null;
    }
    strongest = Math.max(0.9 * strongest, reference(frame));
    const radius = 0.3 * size;
    chains.begin(2 * c.count);
    const order = Array.from({ length: c.count }, (_, i) => i);
    if (d === 2) order.sort((a, b) => c.normalImpulse[a] - c.normalImpulse[b]); // strong ones on top
    for (const i of order) {
        const p = c.normalImpulse[i];
        if (!(p > 0)) continue;
        const share = Math.min(1.5, p / (strongest || 1)), at = c.position.subarray(3 * i, 3 * i + 3);
        for (let side = 0; side < 2; side++) {
            const b = c.bodies[2 * i + side];
            if (b < 0 || model.kind[b] !== FREE) continue;
            const centre = [frame.position[d * b], frame.position[d * b + 1], d === 3 ? frame.position[d * b + 2] : 0];
            chains.add({ from: centre, to: at, color: i === selected ? palette.accent : palette.chain, opacity: Math.min(1, 0.25 + 0.9 * share),
                radius: radius * share, pixels: 0.35, owner: CONTACT + i });
        }
    }
    chains.end();
    return { impulse: strongest, radius };
}

export function drawContacts(frame: Frame, palette: Palette, dots: Dots, ratio: number, most: number, selected: number): void {
    const c = frame.contacts, colors = [palette.open, palette.stick, palette.slip];
    dots.begin(c?.count ?? 0);
    for (let i = 0; c && i < c.count; i++)
        dots.add(c.position[3 * i], c.position[3 * i + 1], c.position[3 * i + 2], i === selected ? palette.accent : colors[c.status[i]] ?? palette.open,
            ratio * (i === selected ? Math.max(5, most) : c.status[i] === 0 ? 0.7 * most : most), CONTACT + i);
    dots.end();
}
