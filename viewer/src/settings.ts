// What people have chosen to see, and how the address of the page keeps it: a bookmark shows the same again.
import { colorings, type ColorBy } from "./coloring";

export interface Show {
    chains: boolean;
    contacts: boolean;
    tracks: boolean;
    walls: boolean;
    shadows: boolean;
    marks: boolean;
    images: boolean;
    flow: boolean;
    mesh: boolean;
}

export interface Section {
    axis: number; // 0, 1, 2; -1: none
    at: number; // share of the box
    flip: boolean;
}

export interface Settings {
    color: ColorBy;
    scaleMax: number | null; // top of the scale, given by hand
    show: Show;
    opacity: number; // of bodies
    section: Section;
}

export const defaultShow = (): Show => ({ chains: false, contacts: false, tracks: false, walls: true, shadows: true, marks: true, images: true, flow: true, mesh: false });

export const defaultSettings = (show: Show): Settings => ({ color: "speed", scaleMax: null, show: { ...show }, opacity: 1, section: { axis: -1, at: 0.5, flip: false } });

/** What else the address holds; missing where it does not say. */
export interface Place {
    frame?: number;
    body?: number;
    theme?: "light" | "dark";
    view?: number[];
}

export function writeAddress(s: Settings, place: Place): string {
    const h = new URLSearchParams();
    h.set("frame", String(place.frame ?? 0));
    h.set("color", s.color);
    if (s.scaleMax) h.set("max", String(s.scaleMax));
    h.set("show", Object.entries(s.show).filter(([, on]) => on).map(([name]) => name).join("."));
    if (s.opacity !== 1) h.set("opacity", String(s.opacity));
    if (s.section.axis >= 0) h.set("section", [s.section.axis, s.section.at, Number(s.section.flip)].join("_"));
    if (place.body !== undefined) h.set("body", String(place.body));
    if (place.theme) h.set("theme", place.theme);
    if (place.view) h.set("view", place.view.map((x) => Number(x.toPrecision(6))).join("_"));
    return h.toString();
}

/** Settings and place of an address; what it does not say, or says wrongly, is as at first. */
export function readAddress(hash: string, atFirst: Show): { settings: Settings; place: Place } {
    const h = new URLSearchParams(hash), s = defaultSettings(atFirst), place: Place = {};
    const number = (name: string) => (h.has(name) && h.get(name) !== "" ? Number(h.get(name)) : NaN);
    const color = colorings.find((c) => c.id === h.get("color"));
    if (color) s.color = color.id;
    if (number("max") > 0 && Number.isFinite(number("max"))) s.scaleMax = number("max");
    if (h.has("show")) {
        const on = new Set(h.get("show")!.split("."));
        for (const name of Object.keys(s.show) as (keyof Show)[]) s.show[name] = on.has(name);
    }
    if (number("opacity") >= 0 && number("opacity") <= 1) s.opacity = number("opacity");
    const section = h.get("section")?.split("_").map(Number);
    if (section?.length === 3 && [0, 1, 2].includes(section[0]) && section[1] >= 0 && section[1] <= 1) s.section = { axis: section[0], at: section[1], flip: !!section[2] };
    if (Number.isFinite(number("frame"))) place.frame = number("frame");
    if (Number.isInteger(number("body")) && number("body") >= 0) place.body = number("body");
    const theme = h.get("theme");
    if (theme === "light" || theme === "dark") place.theme = theme;
    const view = h.get("view")?.split("_").map(Number);
    if (view?.every(Number.isFinite)) place.view = view;
    return { settings: s, place };
}
