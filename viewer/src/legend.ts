// What colours, dots, widths and arrows mean.
import { css, type Palette } from "./colors";
import type { Legend } from "./coloring";
import { number, quantity, scaleUnit } from "./format";
import type { ForceScale } from "./links";
import type { Model } from "./run";
import type { Show } from "./settings";

/** Keeps the element as it is while it would say the same: this runs for each frame. */
export class LegendBox {
    private said = "";

    constructor(private readonly box: HTMLElement) {}

    show(model: Model, legend: Legend, show: Show, force: ForceScale | null, palette: Palette): void {
        const { scale, names, note } = legend;
        const width = show.chains && force && force.impulse > 0 ? `normal force, full width ${quantity(force.impulse / model.timeStep, "N", 2)}` : "";
        const flows = show.flow ? model.environment?.flows ?? [] : [];
        const key = JSON.stringify([scale && [scale.text, scale.unit, scale.low, scale.high], names, note, show.contacts, width, flows, palette.dark]);
        if (key === this.said) return;
        this.said = key;
        const nodes: Node[] = [], list = document.createElement("ul");
        const item = (color: string, text: string, shape = "") => {
            const li = document.createElement("li"), i = document.createElement("i");
            i.className = shape;
            i.style.background = color;
            li.append(i, text);
            list.append(li);
        };
        if (scale) nodes.push(bar(scale));
        for (const n of names) item(css(n.color), n.name);
        if (note) {
            const li = document.createElement("li");
            li.textContent = note;
            list.append(li);
        }
        if (show.contacts) for (const [c, text] of [[palette.stick, "stick"], [palette.slip, "slip"], [palette.open, "open"]] as const) item(css(c), text, "dot");
        if (width) item(css(palette.chain), width, "line");
        for (const f of flows) item(css(palette.curve(f.name === "wind" ? 0 : 2)), `${f.name}, up to ${number(f.largest, 3)} m/s`, "line");
        if (list.children.length) nodes.push(list);
        this.box.replaceChildren(...nodes);
    }
}

function bar(scale: NonNullable<Legend["scale"]>): HTMLElement {
    const box = document.createElement("div"), what = document.createElement("div"), strip = document.createElement("canvas"), ends = document.createElement("div");
    box.className = "bar", what.className = "what", ends.className = "ends";
    const [factor, unit] = scaleUnit(Math.max(Math.abs(scale.low), Math.abs(scale.high)), scale.unit);
    what.textContent = scale.text + (unit ? `, ${unit}` : "");
    strip.width = 256, strip.height = 1;
    const context = strip.getContext("2d")!, row = context.createImageData(256, 1);
    for (let i = 0; i < 256; i++) row.data.set([scale.map[3 * i], scale.map[3 * i + 1], scale.map[3 * i + 2], 255], 4 * i);
    context.putImageData(row, 0, 0);
    for (const x of [scale.low, (scale.low + scale.high) / 2, scale.high]) {
        const span = document.createElement("span");
        span.textContent = number(x / factor, 3);
        ends.append(span);
    }
    box.append(what, strip, ends);
    return box;
}
