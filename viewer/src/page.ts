// The words around the picture: small helpers that fill elements of index.html.
import { clock, number, quantity } from "./format";
import type { Model, Status } from "./run";

export const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;

/** A message over the picture; an empty one takes it away. */
export function say(text: string, wrong = false): void {
    const box = $("message");
    box.hidden = !text;
    box.textContent = text;
    box.classList.toggle("error", wrong);
}

export function showTitle(model: Model): void {
    document.title = `${model.title || model.file} – Moraine`;
    const small = document.createElement("small");
    small.textContent = model.title ? model.file : "";
    $("title").replaceChildren(model.title || model.file, small);
}

/** Only the picture, as good as it can be, for `moraine plot`: the address says `bare`, and what stands above it. */
const address = new URLSearchParams(location.hash.slice(1));
export const bare = address.has("bare");
export const fromFront = address.get("from") === "front"; // in space: look along y instead of from a corner
const caption = address.get("bare") ?? "";
if (bare) document.documentElement.classList.add("bare");

export function showClock(time: number, interval: number, step: number, contacts: number): void {
    const small = document.createElement("small");
    small.textContent = bare ? caption : `step ${step}, ${contacts} contact${contacts === 1 ? "" : "s"}`;
    $("clock").replaceChildren(clock(time, interval), small);
}

/** A bar of a round length beside the picture. */
export function showRuler(metresPerPixel: number): void {
    const target = 110 * metresPerPixel, p = Math.pow(10, Math.floor(Math.log10(target)));
    const length = [5, 2, 1].map((x) => x * p).find((x) => x <= target) ?? p, box = $("ruler");
    box.querySelector("span")!.textContent = quantity(length, "m", 3);
    box.querySelector("i")!.style.width = `${length / metresPerPixel}px`;
}

export function showFacts(model: Model, status: Status | null, frames: number): void {
    const kinds = new Map<string, number>();
    for (const k of model.shapeKind) kinds.set(model.shapeKinds[k], (kinds.get(model.shapeKinds[k]) ?? 0) + 1);
    const rows: [string, string][] = [
        ["file", model.file], ["scene", model.scene], ["bodies", `${model.bodies} in ${model.dimension}D`],
        ["shapes", [...kinds].map(([k, n]) => `${n} ${k}`).join(", ") || "none"],
        ["frames", String(frames)], ["steps", String(status?.steps ?? 0)], ["time step", quantity(model.timeStep, "s")],
        ["end", quantity(status?.end_time ?? 0, "s")], ["stepper", model.stepper], ["solver", `${model.solver}, to ${number(model.tolerance)}`],
    ];
    $("facts").replaceChildren(...rows.flatMap(([name, value]) => {
        const dt = document.createElement("dt"), dd = document.createElement("dd");
        dt.textContent = name, dd.textContent = value;
        return [dt, dd];
    }));
}

export function isPanelShown(): boolean {
    return !document.querySelector("main")!.classList.contains("wide");
}

export function showPanel(on: boolean): void {
    document.querySelector("main")!.classList.toggle("wide", !on);
    $("side").ariaPressed = String(on);
}

/** Light or dark: what the address says, what was chosen before, or what the system prefers. */
export function themeAtStart(): boolean {
    let kept: string | null = null;
    try {
        kept = localStorage.getItem("moraine-theme");
    } catch {
        // a browser that keeps nothing
    }
    const wanted = new URLSearchParams(location.hash.slice(1)).get("theme") ?? kept;
    return wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

export function keepTheme(dark: boolean): void {
    try {
        localStorage.setItem("moraine-theme", dark ? "dark" : "light");
    } catch {
        // a browser that keeps nothing
    }
}
