// Plots of the step table, with a line at the time that is shown. A click moves the time.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Palette } from "./colors";
import { css } from "./colors";
import { number, quantity } from "./format";
import type { StepColumn, Steps } from "./run";

interface Quantity {
    id: string;
    title: string;
    unit: string;
    curves: { name: string; text: string; value: (c: Record<string, Float64Array>) => ArrayLike<number> }[];
    log: boolean;
}

const of = (name: string, text: string) => ({ name, text, value: (c: Record<string, Float64Array>) => c[name] ?? [] });

const known: Quantity[] = [
    { id: "energy", title: "Energy", unit: "J", log: false, curves: [of("kinetic_energy", "kinetic"), of("potential_energy", "potential"),
        { name: "total", text: "sum", value: (c) => Float64Array.from(c.kinetic_energy ?? [], (x, i) => x + c.potential_energy[i]) }] },
    { id: "residual", title: "Residual", unit: "1", log: true, curves: [of("residual", "")] },
    { id: "sweeps", title: "Sweeps", unit: "1", log: false, curves: [of("sweeps", "")] },
    { id: "contacts", title: "Contacts", unit: "1", log: false, curves: [of("contacts", "all"), of("touching", "with impulse")] },
    { id: "penetration", title: "Penetration", unit: "m", log: true, curves: [of("penetration", "")] },
];
const logarithmic = new Set(["scaled_residual", "cone_violation", "energy_defect"]);
const covered = new Set(["step", "time", "kinetic_energy", "potential_energy", "residual", "sweeps", "contacts", "touching", "penetration"]);

/** All quantities that a run has: those that belong together, then every other column. */
export function quantities(columns: StepColumn[]): Quantity[] {
    const names = new Set(columns.map((c) => c.name));
    const title = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll("_", " ");
    return [
        ...known.filter((q) => q.curves.some((c) => names.has(c.name))),
        ...columns.filter((c) => !covered.has(c.name)).map((c) => ({ id: c.name, title: title(c.name), unit: c.unit, log: logarithmic.has(c.name), curves: [of(c.name, "")] })),
    ];
}

class Plot {
    readonly element = document.createElement("div");
    private readonly chart: uPlot;
    private readonly line = document.createElement("div");
    private readonly readouts: HTMLOutputElement[] = [];
    private time = 0;

    constructor(readonly what: Quantity, palette: Palette, width: number, seek: (time: number) => void, close: () => void) {
        this.element.className = "plot";
        this.element.dataset.quantity = what.id;
        const head = document.createElement("header"), title = document.createElement("b"), keys = document.createElement("span");
        title.textContent = what.title;
        what.curves.forEach((c, i) => {
            const key = document.createElement("i"), value = document.createElement("output");
            key.textContent = c.text ? `${c.text} ` : "";
            key.style.color = css(palette.curve(i));
            key.append(value);
            this.readouts.push(value);
            keys.append(key);
        });
        const shut = document.createElement("button");
        shut.className = "close";
        shut.textContent = "×";
        shut.ariaLabel = `Close the plot of ${what.title}`;
        shut.onclick = close;
        head.append(title, keys, shut);
        this.element.append(head);
        const soft = css(palette.dark ? [152, 160, 173] : [107, 114, 128]), grid = css(palette.dark ? [43, 48, 58] : [236, 238, 241]);
        const axis = { stroke: soft, font: "10.5px system-ui, sans-serif", grid: { stroke: grid, width: 1 }, ticks: { show: false }, gap: 3 };
        this.chart = new uPlot({
            width, height: 104, legend: { show: false }, padding: [6, 14, 0, 0],
            cursor: { y: false, points: { size: 5 }, drag: { x: false, y: false } },
            scales: { x: { time: false }, y: what.log ? { distr: 3, range: (_u, low, high) => [Math.max(low, high * 1e-7) / 1.5 || 1e-16, high * 1.5 || 1] } : { range: (_u, low, high) => this.span(low, high) } },
            hooks: { draw: [() => this.setTime(this.time)] },
            axes: [{ ...axis, size: 20, space: 52, incrs: timeSteps, values: (u, ticks) => timeTicks(ticks, u.scales.x.max!) }, { ...axis, size: 46, space: 24, ...(what.log ? { splits: (u: uPlot) => decades(u.scales.y.min!, u.scales.y.max!) } : {}), values: (_u, ticks) => ticks.map((t) => (t == null ? "" : short(t))) }],
            series: [{}, ...what.curves.map((_, i) => ({ stroke: css(palette.curve(i)), width: 1.5, points: { show: false }, spanGaps: false }))],
        }, [[]], this.element);
        this.line.className = "now";
        this.chart.over.append(this.line);
        this.chart.over.addEventListener("click", (e) => seek(this.chart.posToVal(e.offsetX, "x")));
        this.chart.over.ariaLabel = `${what.title} over time`;
    }

    private span(low: number, high: number): [number, number] {
        if (!(high > low)) return [low - Math.max(1e-12, Math.abs(low) * 0.1), low + Math.max(1e-12, Math.abs(low) * 0.1)];
        const room = 0.06 * (high - low);
        return [low >= 0 && low < 0.3 * high ? 0 : low - room, high + room];
    }

    setData(steps: Steps): void {
        const t = steps.columns.time ?? new Float64Array();
        const ys = this.what.curves.map((c) => {
            const v = c.value(steps.columns);
            return this.what.log ? Array.from(v, (x) => (x > 0 ? x : null)) : Array.from(v, (x) => (Number.isFinite(x) ? x : null));
        });
        this.chart.setData([Array.from(t), ...ys] as uPlot.AlignedData);
        this.setTime(this.time);
    }

    setTime(time: number): void {
        this.time = time;
        const x = this.chart.data[0] as number[];
        this.line.hidden = !x.length;
        if (!x.length) return;
        const pos = this.chart.valToPos(time, "x");
        // Its width as the chart knows it: to ask the page would lay it out anew, for each plot and each frame.
        this.line.style.transform = `translateX(${Math.max(0, Math.min(pos, this.chart.bbox.width / uPlot.pxRatio))}px)`;
        let low = 0, high = x.length - 1;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (x[middle] < time - 1e-12 * Math.abs(time)) low = middle + 1;
            else high = middle;
        }
        this.readouts.forEach((readout, i) => {
            const v = (this.chart.data[i + 1] as (number | null)[])[low];
            const text = v == null ? "–" : this.what.unit === "1" ? number(v, 3) : quantity(v, this.what.unit, 3);
            if (readout.textContent !== text) readout.textContent = text;
        });
        this.element.dataset.row = String(low);
    }

    resize(width: number): void {
        this.chart.setSize({ width, height: 104 });
        this.setTime(this.time);
    }

    dispose(): void {
        this.chart.destroy();
        this.element.remove();
    }
}

const timeSteps = [...Array.from({ length: 16 }, (_, i) => 10 ** (i - 12)).flatMap((p) => [p, 2 * p, 5 * p]).filter((x) => x < 60),
    60, 120, 300, 600, 1800, 3600, 7200, 14400, 21600, 43200, 86400, 2 * 86400, 5 * 86400, 10 * 86400, 20 * 86400, 50 * 86400, 100 * 86400, 365 * 86400];

/** Times in the unit that suits the whole: it stands at the first tick after zero. */
function timeTicks(ticks: number[], end: number): string[] {
    const [factor, unit] = end > 3 * 86400 ? [86400, "d"] : end > 3 * 3600 ? [3600, "h"] : end > 900 ? [60, "min"] : [1, "s"];
    const t0 = ticks[0];
    return ticks.map((t, i) => number(t / factor, 4) + (i === (t0 > 0 ? 0 : 1) ? ` ${unit}` : ""));
}

/** Powers of ten within a range, not more than five. */
function decades(low: number, high: number): number[] {
    const from = Math.ceil(Math.log10(low) - 1e-9), to = Math.floor(Math.log10(high) + 1e-9), step = Math.max(1, Math.ceil((to - from) / 4)), list: number[] = [];
    for (let e = from; e <= to; e += step) list.push(Math.pow(10, e));
    return list;
}

function short(x: number): string {
    const a = Math.abs(x);
    if (a >= 1e9) return number(x / 1e9, 3) + "G";
    if (a >= 1e6) return number(x / 1e6, 3) + "M";
    if (a >= 1e4) return number(x / 1e3, 3) + "k";
    if (a > 0 && a < 1e-3) return x.toExponential(0).replace("-", "−").replace("e-", "e−");
    return number(x, 3);
}

export class Plots {
    private plots: Plot[] = [];
    private steps: Steps = { count: 0, stride: 1, columns: {} };
    private time = 0;
    shown: string[];

    constructor(private readonly root: HTMLElement, private readonly menu: HTMLSelectElement, private readonly all: Quantity[], private palette: Palette, private readonly seek: (t: number) => void) {
        this.shown = all.slice(0, 5).map((q) => q.id);
        menu.onchange = () => {
            if (menu.value) this.shown.push(menu.value);
            this.build();
        };
        new ResizeObserver(() => {
            if (this.width > 50) this.plots.forEach((p) => p.resize(this.width));
        }).observe(root);
        this.build();
    }

    private get width(): number {
        return this.root.clientWidth;
    }

    setPalette(palette: Palette): void {
        this.palette = palette;
        this.build();
    }

    private build(): void {
        this.plots.forEach((p) => p.dispose());
        this.plots = this.shown.map((id) => this.all.find((q) => q.id === id)).filter((q): q is Quantity => !!q).map((q) =>
            new Plot(q, this.palette, this.width || 300, this.seek, () => {
                this.shown = this.shown.filter((id) => id !== q.id);
                this.build();
            }));
        this.root.replaceChildren(...this.plots.map((p) => p.element));
        this.menu.replaceChildren(new Option("choose…", ""), ...this.all.filter((q) => !this.shown.includes(q.id)).map((q) => new Option(q.title, q.id)));
        this.setSteps(this.steps);
        this.setTime(this.time);
    }

    setSteps(steps: Steps): void {
        this.steps = steps;
        this.plots.forEach((p) => p.setData(steps));
    }

    setTime(time: number): void {
        this.time = time;
        this.plots.forEach((p) => p.setTime(time));
    }
}
