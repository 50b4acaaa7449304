// Contacts as dots by status, and forces as chains from centre to centre whose width is the normal impulse.
import type { Palette } from "./colors";
import type { Dots, Ribbons } from "./marks";
import { FREE, type Frame, type Model } from "./run";
import { CONTACT } from "./stage";

let strongest = 0; // held, so that widths of different frames compare
export const forgetForces = () => (strongest = 0);

export interface ForceScale {
    impulse: number; // N s drawn with full width
    radius: number; // m, half of that width
}

/** What two bodies press with through all their contacts: the sum of normal impulses at its centre of pressure. */
interface Link {
    a: number;
    b: number;
    impulse: number;
    at: [number, number, number];
    contact: number; // the strongest one
}

function linksOf(frame: Frame): Link[] {
    const c = frame.contacts!, list: Link[] = [];
    // Contacts of a pair of bodies stand one after the other.
    for (let i = 0; i < c.count; ) {
        const a = c.bodies[2 * i], b = c.bodies[2 * i + 1], link: Link = { a, b, impulse: 0, at: [0, 0, 0], contact: i };
        for (; i < c.count && c.bodies[2 * i] === a && c.bodies[2 * i + 1] === b; i++) {
            const p = c.normalImpulse[i];
            if (!(p > 0)) continue;
            link.impulse += p;
            for (let k = 0; k < 3; k++) link.at[k] += p * c.position[3 * i + k];
            if (p > c.normalImpulse[link.contact]) link.contact = i;
        }
        if (!(link.impulse > 0)) continue;
        for (let k = 0; k < 3; k++) link.at[k] /= link.impulse;
        list.push(link);
    }
    return list;
}

/** The impulse that is drawn with full width: near the largest, but not set by one blow. */
function reference(links: Link[]): number {
    if (!links.length) return 0;
    const list = links.map((l) => l.impulse).sort((x, y) => x - y);
    return list[Math.floor(0.98 * (list.length - 1))];
}

/** The point where a body itself is touched: in a periodic plane it may be an image of it that touches at `at`. */
function ownPoint(model: Model, centre: number[], at: number[]): number[] {
    const p = model.periodic;
    return p ? at.map((x, k) => (k < 2 ? x - (p.high[k] - p.low[k]) * Math.round((x - centre[k]) / (p.high[k] - p.low[k])) : x)) : at;
}

export function drawChains(model: Model, frame: Frame, palette: Palette, chains: Ribbons, size: number, selected: number): ForceScale | null {
    const c = frame.contacts, d = model.dimension;
    if (!c) {
        chains.begin(0);
        chains.end();
        return null;
    }
    const links = linksOf(frame), radius = 0.22 * size, three = d === 3;
    strongest = Math.max(0.9 * strongest, reference(links));
    if (!three) links.sort((x, y) => x.impulse - y.impulse); // strong ones on top
    chains.begin(2 * links.length);
    for (const link of links) {
        const share = Math.min(1.6, link.impulse / (strongest || 1)), t = Math.min(1, 0.25 + 1.2 * share);
        const color = link.contact === selected ? palette.accent : palette.chain.map((x, k) => x * t + palette.weak[k] * (1 - t));
        for (const body of [link.a, link.b]) {
            if (body < 0 || model.kind[body] !== FREE) continue;
            const centre = [frame.position[d * body], frame.position[d * body + 1], three ? frame.position[d * body + 2] : 0];
            chains.add({ from: centre, to: ownPoint(model, centre, link.at), color, opacity: 1, radius: radius * share, pixels: three ? 0.3 : 0.4, owner: CONTACT + link.contact });
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
