// The page: puts the parts together and keeps them in step with what people ask for.
import * as THREE from "three";
import "./style.css";
import { Bodies } from "./bodies";
import { boundsOf, poseOf, typicalSize } from "./bounds";
import { Film, picture, save } from "./capture";
import { css, palette as makePalette, type Palette } from "./colors";
import { colorings, forgetScales, paint, roundUp, type ColorBy, type Legend } from "./coloring";
import { FlowArrows } from "./flow";
import { clock, number, quantity } from "./format";
import { describeBody, describeContact, type Selection } from "./inspect";
import { drawChains, drawContacts, forgetForces, type ForceScale } from "./links";
import { Dots, Ribbons } from "./marks";
import { Player } from "./player";
import { Plots, quantities } from "./plots";
import { fetchModel, fetchStatus, fetchSteps, fetchTimes, type Frame, type Model, type Status, type Steps } from "./run";
import { CONTACT, Stage } from "./stage";
import { Tracks } from "./tracks";

const $ = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const MOST_STEPS = 4000;

interface Show {
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

const shownAtFirst: Show = { chains: false, contacts: false, tracks: false, walls: true, shadows: true, marks: true, images: true, flow: true, mesh: false };

class App {
    private model!: Model;
    private stage!: Stage;
    private bodies!: Bodies;
    private chains!: Ribbons;
    private dots!: Dots;
    private walls!: Ribbons;
    private arrows!: Ribbons;
    private lines!: Ribbons;
    private flow!: FlowArrows;
    private tracks!: Tracks;
    private plots!: Plots;
    private readonly player = new Player();
    private palette: Palette;
    private size = 1;
    private color: ColorBy = "speed";
    private scaleMax: number | null = null;
    private show: Show = { ...shownAtFirst };
    private opacity = 1;
    private section = { axis: -1, at: 0.5, flip: false };
    private selection: Selection = null;
    private following = false;
    private followed = new THREE.Vector3();
    private legend: Legend = { scale: null, names: [], note: "" };
    private force: ForceScale | null = null;
    private film: Film | null = null;
    private status: Status | null = null;
    private steps: Steps = { count: 0, stride: 1, columns: {} };
    private atEnd = false; // show new frames as they come
    private lastGrowth = 0;
    private hashTimer = 0;
    private dotsDrawn = 1;
    private waited = false; // the page was there before the run
    ready = false;

    constructor() {
        let theme: string | null = null;
        try {
            theme = localStorage.getItem("moraine-theme");
        } catch {
            // a browser that keeps nothing
        }
        const wanted = new URLSearchParams(location.hash.slice(1)).get("theme") ?? theme;
        const dark = wanted ? wanted === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        this.palette = makePalette(dark);
        if (innerWidth < 820) this.togglePanel(false);
    }

    async start(): Promise<void> {
        for (;;) {
            try {
                this.status = await fetchStatus();
                if (!this.status.message) break;
                this.waited = true;
                this.say(`Waiting for the run to start…`);
            } catch (error) {
                this.say(`No answer from moraine: ${(error as Error).message}`, true);
            }
            await new Promise((r) => setTimeout(r, 500));
        }
        this.model = await fetchModel();
        const model = this.model;
        document.title = `${model.title || model.file} – Moraine`;
        const small = document.createElement("small");
        small.textContent = model.title ? model.file : "";
        $("title").replaceChildren(model.title || model.file, small);
        this.player.times = await fetchTimes(0) as Float64Array<ArrayBuffer>;
        this.size = typicalSize(model);
        await this.build();
        this.controls();
        this.facts();
        this.say("");
        this.readHash();
        this.drawLines();
        this.applyColors();
        if (!this.player.count) this.say("This run has no frames yet.");
        this.player.seek(this.startFrame);
        this.atEnd = (this.waited || !!this.status?.writing) && this.startFrame >= this.player.count - 1;
        void this.loadSteps();
        this.badge();
        if (this.growing) this.poll();
        this.ready = true;
    }

    private startFrame = 0;

    private async build(): Promise<void> {
        const model = this.model, g = new THREE.Vector3(...(model.gravity as [number, number, number]));
        const up = model.dimension === 2 || g.length() === 0 ? new THREE.Vector3(0, model.dimension === 2 ? 1 : 0, model.dimension === 2 ? 0 : 1) : mainAxis(g.negate());
        const stage = (this.stage = new Stage($<HTMLCanvasElement>("canvas"), model.dimension, up)), three = model.dimension === 3;
        const frames: Frame[] = [];
        if (this.player.count) frames.push(await this.player.frame(0, false));
        if (this.player.count > 1) frames.push(await this.player.frame(this.player.count - 1, false));
        const box = boundsOf(model, frames), cell = model.periodic;
        if (cell) box.low.set(cell.low[0], cell.low[1], 0), box.high.set(cell.high[0], cell.high[1], 0);
        stage.setBounds(box.low, box.high);
        this.bodies = new Bodies(model, stage.shared, stage.radius);
        Stage.asBodies(this.bodies.group);
        stage.scene.add(this.bodies.group);
        this.walls = new Ribbons(stage.shared, three, 1.2);
        this.chains = new Ribbons(stage.shared, three, three ? 1.8 : 3);
        this.dots = new Dots(stage.shared, three, three ? 1.9 : 4, 2e-4);
        this.arrows = new Ribbons(stage.shared, three, 3.5, 0, true);
        this.lines = new Ribbons(stage.shared, three, 2.8);
        this.flow = new FlowArrows(model, stage, this.arrows);
        this.tracks = new Tracks(stage.shared, three, model, this.player, () => stage.invalidate());
        stage.scene.add(this.walls.mesh, this.chains.mesh, this.dots.mesh, this.arrows.mesh, this.lines.mesh, this.tracks.mesh);
        for (const mark of [this.chains.mesh, this.dots.mesh]) mark.layers.set(0);
        stage.setPalette(this.palette);
        if (stage.software && model.bodies > 3000) shownAtFirst.shadows = this.show.shadows = false;
        stage.onPass = (scale, eye, shadows) => this.bodies.choose(this.size * scale, eye, shadows, stage.software);
        stage.onClick = (x, y) => this.pick(x, y);
        stage.onMove = () => {
            this.ruler();
            this.drawFlow();
            if (this.show.contacts && Math.abs(this.dotSize / this.dotsDrawn - 1) > 0.2) this.redraw();
            this.keepHash();
        };
        this.images();
        stage.fit();
        this.drawWalls();
        this.plots = new Plots($("plots"), $<HTMLSelectElement>("plot-add"), quantities(model.columns), this.palette, (t) => this.seekTime(t));
        this.player.onFrame = (f) => this.showFrame(f);
        this.player.onState = () => this.transport();
        this.player.onError = (text) => this.say(text, true);
        const total = this.duration, natural = total >= 1.9 && total <= 60 ? 1 : total > 0 ? roundUp(total / 15) : 1;
        const menu = $<HTMLSelectElement>("speed");
        for (const f of [0.1, 0.25, 0.5, 1, 2, 4, 10]) menu.append(new Option(`${number(f * natural, 3)}×`, String(f * natural), f === 1, f === 1));
        menu.title = "Seconds of the run per second";
        this.player.rate = natural;
    }

    /** Show everything there is now: bodies of a growing run may have left the first view. */
    private async fit(): Promise<void> {
        const shown = this.player.shown;
        if (shown && !this.model.periodic) {
            const { low, high } = boundsOf(this.model, [await this.player.frame(0, false), shown]);
            this.stage.setBounds(low, high);
            this.applySection();
        }
        this.stage.fit();
    }

    private get duration(): number {
        const t = this.player.times;
        return Math.max(t.length ? t[t.length - 1] - t[0] : 0, this.growing ? this.status?.end_time ?? 0 : 0);
    }

    /** Copies of a periodic domain around it. */
    private images(): void {
        const p = this.model.periodic, list = [new THREE.Vector3()];
        if (p && this.show.images) {
            const length = p.high.map((x, k) => (Number.isFinite(x) && Number.isFinite(p.low[k]) && x > p.low[k] ? x - p.low[k] : 0));
            for (let i = -1; i <= 1; i++)
                for (let j = -1; j <= 1; j++)
                    for (let k = -1; k <= 1; k++)
                        if ((i || j || k) && !(i && !length[0]) && !(j && !length[1]) && !(k && !length[2]))
                            list.push(new THREE.Vector3(i * length[0], j * (length[1] ?? 0), k * (length[2] ?? 0)));
        }
        this.stage.images = list;
    }

    private drawWalls(): void {
        const list = this.show.walls ? this.bodies.thinWalls : [];
        this.walls.begin(list.length);
        for (const w of list) this.walls.add({ from: w.from, to: w.to, color: this.palette.edge, radius: w.radius, pixels: 1.4 * this.stage.renderer.getPixelRatio(), body: w.body, owner: w.body });
        this.walls.end();
    }

    /** The cell of a periodic plane, and the triangles that forces on floes are summed over. */
    private drawLines(): void {
        const p = this.model.periodic, m = this.model, ratio = this.stage.renderer.getPixelRatio();
        const mesh = this.show.mesh ? m.meshBody.length : 0;
        this.lines.begin(mesh + 4);
        for (let i = 0; i < mesh; i++) {
            const s = m.meshSides.subarray(4 * i, 4 * i + 4);
            this.lines.add({ from: [s[0], s[1], 0], to: [s[2], s[3], 0], color: this.palette.edge, opacity: 0.35, pixels: 0.4 * ratio, body: m.meshBody[i] });
        }
        if (p) {
            const c = [[p.low[0], p.low[1]], [p.high[0], p.low[1]], [p.high[0], p.high[1]], [p.low[0], p.high[1]]];
            for (let i = 0; i < 4; i++) this.lines.add({ from: [...c[i], 0], to: [...c[(i + 1) % 4], 0], color: this.palette.accent, opacity: 0.7, pixels: 0.7 * ratio });
        }
        this.lines.end();
    }

    private drawFlow(): void {
        if (this.player.shown) this.flow.update(this.player.shown.time, this.show.flow, this.palette);
    }

    // Frames

    private showFrame(frame: Frame): void {
        this.bodies.setFrame(frame);
        this.marks(frame);
        this.paintBodies(frame);
        this.drawFlow();
        this.follow(frame);
        this.inspect();
        this.plots.setTime(frame.time);
        const c = $("clock"), small = document.createElement("small");
        small.textContent = `step ${frame.step}, ${frame.contactCount} contact${frame.contactCount === 1 ? "" : "s"}`;
        c.replaceChildren(clock(frame.time, this.interval), small);
        this.stage.invalidate(true);
        this.keepHash();
        if (this.film) this.film.add(() => this.stage.draw());
    }

    private get interval(): number {
        const t = this.player.times;
        return t.length > 1 ? (t[t.length - 1] - t[0]) / (t.length - 1) : this.model.outputInterval;
    }

    private paintBodies(frame: Frame): void {
        this.legend = paint(this.model, frame, this.color, this.palette, { hold: true, max: this.scaleMax }, this.bodies.tint);
        this.bodies.tintChanged();
        this.drawLegend();
    }

    private marks(frame: Frame): void {
        const contact = this.selection?.kind === "contact" ? this.selection.contact : -1, ratio = this.stage.renderer.getPixelRatio();
        if (this.show.chains && frame.contacts) this.force = drawChains(this.model, frame, this.palette, this.chains, this.size, contact);
        this.chains.mesh.visible = this.show.chains && !!frame.contacts?.count;
        this.dotsDrawn = this.dotSize;
        if (this.show.contacts && frame.contacts) drawContacts(frame, this.palette, this.dots, ratio, this.dotSize, contact);
        this.dots.mesh.visible = this.show.contacts && !!frame.contacts?.count;
        this.tracks.show(this.show.tracks, this.palette);
    }

    /** Dots of contacts stay smaller than the bodies. */
    private get dotSize(): number {
        return Math.max(1.2, Math.min(4.2, (0.3 * this.size) / this.stage.metresPerPixel));
    }

    private follow(frame: Frame): void {
        if (!this.following || this.selection?.kind !== "body") return;
        const { position } = poseOf(this.model, frame, this.selection.body);
        if (!position.toArray().every(Number.isFinite)) return;
        this.stage.shift(position.clone().sub(this.followed));
        this.followed.copy(position);
    }

    private needs(): void {
        const before = this.player.needContacts;
        const frame = this.player.shown, few = !frame || frame.contactCount < 20000;
        this.player.needContacts = few || this.show.chains || this.show.contacts || this.selection !== null || !!colorings.find((c) => c.id === this.color)?.needsContacts;
        if (this.player.needContacts && !before && frame && !frame.contacts) this.player.refresh();
    }

    private redraw(): void {
        this.needs();
        const frame = this.player.shown;
        if (!frame) return;
        this.marks(frame);
        this.paintBodies(frame);
        this.stage.invalidate();
    }

    private seekTime(t: number): void {
        this.player.play(false);
        this.player.seekTime(t);
    }

    // Selection

    private pick(x: number, y: number): void {
        const n = this.stage.pick(x, y);
        this.select(n < 0 ? null : n >= CONTACT ? { kind: "contact", contact: n - CONTACT } : { kind: "body", body: n });
    }

    select(selection: Selection): void {
        this.selection = selection;
        this.following = false;
        this.stage.shared.selected.value = selection?.kind === "body" ? selection.body : -1;
        if (selection) $<HTMLDetailsElement>("selection-box").open = true;
        this.redraw();
        this.inspect();
        this.keepHash();
    }

    private toggleFollow(): void {
        if (this.selection?.kind !== "body" || !this.player.shown) return;
        this.following = !this.following;
        this.followed.copy(poseOf(this.model, this.player.shown, this.selection.body).position);
        this.inspect();
    }

    private inspect(): void {
        const frame = this.player.shown, s = this.selection, box = $("selection");
        if (!frame || !s) {
            const hint = document.createElement("p");
            hint.className = "hint";
            hint.textContent = "Click a body or a contact.";
            box.replaceChildren(hint);
        } else if (s.kind === "body") {
            box.replaceChildren(...describeBody(this.model, frame, s.body, this.following, {
                follow: () => this.toggleFollow(), pick: (contact) => this.select({ kind: "contact", contact }),
            }));
        } else box.replaceChildren(...describeContact(this.model, frame, s.contact, (body) => this.select({ kind: "body", body })));
    }

    // What people see around the picture

    private drawLegend(): void {
        const box = $("legend"), nodes: Node[] = [], { scale, names, note } = this.legend;
        const item = (list: HTMLElement, color: string, text: string, shape = "") => {
            const li = document.createElement("li"), i = document.createElement("i");
            i.className = shape;
            i.style.background = color;
            li.append(i, text);
            list.append(li);
        };
        if (scale) {
            const bar = document.createElement("div"), what = document.createElement("div"), strip = document.createElement("canvas"), ends = document.createElement("div");
            bar.className = "bar", what.className = "what", ends.className = "ends";
            what.textContent = scale.text + (scale.unit ? `, ${scale.unit}` : "");
            strip.width = 256, strip.height = 1;
            const context = strip.getContext("2d")!, row = context.createImageData(256, 1);
            for (let i = 0; i < 256; i++) row.data.set([scale.map[3 * i], scale.map[3 * i + 1], scale.map[3 * i + 2], 255], 4 * i);
            context.putImageData(row, 0, 0);
            for (const x of [scale.low, (scale.low + scale.high) / 2, scale.high]) {
                const span = document.createElement("span");
                span.textContent = number(x, 3);
                ends.append(span);
            }
            bar.append(what, strip, ends);
            nodes.push(bar);
        }
        const list = document.createElement("ul");
        for (const n of names) item(list, css(n.color), n.name);
        if (note) {
            const li = document.createElement("li");
            li.textContent = note;
            list.append(li);
        }
        if (this.show.contacts) for (const [c, text] of [[this.palette.stick, "stick"], [this.palette.slip, "slip"], [this.palette.open, "open"]] as const) item(list, css(c), text, "dot");
        if (this.show.chains && this.force && this.force.impulse > 0) item(list, css(this.palette.chain), `normal force, full width ${quantity(this.force.impulse / this.model.timeStep, "N", 2)}`, "line");
        for (const f of this.show.flow ? this.model.environment?.flows ?? [] : []) item(list, css(this.palette.curve(f.name === "wind" ? 0 : 2)), `${f.name}, up to ${number(f.largest, 3)} m/s`, "line");
        if (list.children.length) nodes.push(list);
        box.replaceChildren(...nodes);
        $("scale-row").hidden = !scale || this.color === "birth";
    }

    private ruler(): void {
        const m = this.stage.metresPerPixel, target = 110 * m, p = Math.pow(10, Math.floor(Math.log10(target)));
        const length = [5, 2, 1].map((x) => x * p).find((x) => x <= target) ?? p, box = $("ruler");
        box.querySelector("span")!.textContent = quantity(length, "m", 3);
        box.querySelector("i")!.style.width = `${length / m}px`;
    }

    private transport(): void {
        const p = this.player, play = $("play");
        play.querySelector("use")!.setAttribute("href", p.playing ? "#i-pause" : "#i-play");
        play.ariaLabel = p.playing ? "Pause" : "Play";
        const scrub = $<HTMLInputElement>("scrub");
        scrub.max = String(Math.max(0, p.count - 1));
        scrub.value = String(p.index);
        scrub.setAttribute("aria-valuetext", p.count ? `frame ${p.index + 1} of ${p.count}, ${clock(p.time, this.interval)}` : "no frames");
        $("where").textContent = p.count ? `${p.index + 1} / ${p.count}` : "no frames";
        $("loop").ariaPressed = String(p.loop);
        if (this.film && !p.playing && p.index === p.count - 1) void this.endFilm();
    }

    private facts(): void {
        const m = this.model, list = $("facts");
        const kinds = new Map<string, number>();
        for (const k of m.shapeKind) kinds.set(m.shapeKinds[k], (kinds.get(m.shapeKinds[k]) ?? 0) + 1);
        const rows: [string, string][] = [
            ["file", m.file], ["scene", m.scene], ["bodies", `${m.bodies} in ${m.dimension}D`],
            ["shapes", [...kinds].map(([k, n]) => `${n} ${k}`).join(", ") || "none"],
            ["frames", String(this.player.count)], ["steps", String(this.status?.steps ?? 0)], ["time step", quantity(m.timeStep, "s")],
            ["end", quantity(this.status?.end_time ?? 0, "s")], ["stepper", m.stepper], ["solver", `${m.solver}, to ${number(m.tolerance)}`],
        ];
        list.replaceChildren(...rows.flatMap(([name, value]) => {
            const dt = document.createElement("dt"), dd = document.createElement("dd");
            dt.textContent = name, dd.textContent = value;
            return [dt, dd];
        }));
    }

    say(text: string, wrong = false): void {
        const box = $("message");
        box.hidden = !text;
        box.textContent = text;
        box.classList.toggle("error", wrong);
    }

    // Controls

    private applyColors(): void {
        for (const b of document.querySelectorAll<HTMLButtonElement>("#colors button")) b.ariaChecked = String(b.value === this.color);
        for (const i of document.querySelectorAll<HTMLInputElement>("#switches input")) i.checked = this.show[i.value as keyof Show];
        $<HTMLInputElement>("opacity").value = String(this.opacity);
        this.stage.shared.opacity.value = this.opacity;
        this.stage.wantShadows = this.show.shadows;
        this.stage.shared.mark.value = this.show.marks ? 1 : 0;
        this.bodies.group.visible = this.opacity > 0 || this.model.dimension === 3;
        this.applySection();
        this.redraw();
    }

    private setColor(color: ColorBy): void {
        this.color = color;
        this.scaleMax = null;
        $<HTMLInputElement>("scale-max").value = "";
        this.applyColors();
        this.keepHash();
    }

    private toggle(what: keyof Show, on = !this.show[what]): void {
        this.show[what] = on;
        // Forces inside solid bodies cannot be seen: make the bodies glass, and solid again afterwards.
        if (this.model.dimension === 3 && (what === "chains" || what === "contacts")) {
            if (on && this.opacity === 1) this.opacity = 0.3;
            else if (!this.show.chains && !this.show.contacts && this.opacity === 0.3) this.opacity = 1;
        }
        if (what === "images") this.images();
        if (what === "walls") this.drawWalls();
        if (what === "mesh") this.drawLines();
        if (what === "flow") this.drawFlow();
        this.applyColors();
        this.keepHash();
    }

    private applySection(): void {
        const { axis, at, flip } = this.section, cut = this.stage.shared.cut.value as THREE.Vector4, n = new THREE.Vector3();
        for (const b of document.querySelectorAll<HTMLButtonElement>("#section-axis button")) b.ariaChecked = String(Number(b.value) === axis);
        if (axis < 0) cut.set(0, 0, 0, 0);
        else {
            n.setComponent(axis, flip ? -1 : 1);
            const low = this.stage.low.getComponent(axis), high = this.stage.high.getComponent(axis), place = low + at * (high - low);
            cut.set(n.x, n.y, n.z, flip ? -place : place);
        }
        this.bodies.setCut(axis >= 0);
        this.stage.invalidate(true);
    }

    private setTheme(dark: boolean): void {
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        try {
            localStorage.setItem("moraine-theme", dark ? "dark" : "light");
        } catch {
            // a browser that keeps nothing
        }
        this.palette = makePalette(dark);
        this.stage.setPalette(this.palette);
        this.plots.setPalette(this.palette);
        this.drawWalls();
        this.drawLines();
        this.drawFlow();
        this.redraw();
        this.keepHash();
    }

    private togglePanel(on = document.querySelector("main")!.classList.contains("wide")): void {
        document.querySelector("main")!.classList.toggle("wide", !on);
        $("side").ariaPressed = String(on);
    }

    private controls(): void {
        const p = this.player, model = this.model, chips = $("colors"), births = model.birth.some((b) => b > 0);
        colorings.forEach((c, i) => {
            const b = document.createElement("button");
            b.textContent = c.id === "birth" && !births ? "Number" : c.text;
            b.value = c.id;
            b.role = "radio";
            b.title = `Key ${i + 1}`;
            b.onclick = () => this.setColor(c.id);
            chips.append(b);
        });
        const switches: [keyof Show, string, boolean][] = [
            ["chains", "Force chains", true], ["contacts", "Contacts", true], ["tracks", "Tracks", true], ["walls", "Thin walls", this.bodies.thinWalls.length > 0],
            ["marks", "Turning marks", true], ["shadows", "Shadows", model.dimension === 3], ["images", "Periodic images", !!model.periodic], ["flow", "Wind and current", !!model.environment?.flows?.length], ["mesh", "Floe mesh", model.meshBody.length > 0],
        ];
        for (const [id, text, useful] of switches) {
            if (!useful) continue;
            const label = document.createElement("label"), input = document.createElement("input");
            input.type = "checkbox";
            input.value = id;
            input.onchange = () => this.toggle(id, input.checked);
            label.append(input, text);
            $("switches").append(label);
        }
        $("section-box").hidden = model.dimension !== 3;
        ["none", "x", "y", "z"].forEach((name, i) => {
            const b = document.createElement("button");
            b.textContent = name;
            b.value = String(i - 1);
            b.role = "radio";
            b.onclick = () => {
                this.section.axis = i - 1;
                this.applySection();
                this.keepHash();
            };
            $("section-axis").append(b);
        });
        $<HTMLInputElement>("section-at").oninput = (e) => {
            this.section.at = Number((e.target as HTMLInputElement).value);
            if (this.section.axis < 0) this.section.axis = 1;
            this.applySection();
            this.keepHash();
        };
        $<HTMLInputElement>("section-flip").onchange = (e) => {
            this.section.flip = (e.target as HTMLInputElement).checked;
            this.applySection();
            this.keepHash();
        };
        $<HTMLInputElement>("opacity").oninput = (e) => {
            this.opacity = Number((e.target as HTMLInputElement).value);
            this.applyColors();
            this.keepHash();
        };
        $<HTMLInputElement>("scale-max").onchange = (e) => {
            const x = Number((e.target as HTMLInputElement).value);
            this.scaleMax = x > 0 && Number.isFinite(x) ? x : null;
            if (!this.scaleMax) (e.target as HTMLInputElement).value = "";
            this.redraw();
        };
        $("play").onclick = () => this.playPause();
        $("back").onclick = () => this.step(-1);
        $("next").onclick = () => this.step(1);
        $("loop").onclick = () => this.toggleLoop();
        $<HTMLInputElement>("scrub").oninput = (e) => {
            p.play(false);
            p.seek(Number((e.target as HTMLInputElement).value));
            this.atEnd = p.index === p.count - 1;
        };
        $<HTMLSelectElement>("speed").onchange = (e) => (p.rate = Number((e.target as HTMLSelectElement).value));
        $("fit").onclick = () => void this.fit();
        $("shot").onclick = () => void this.shot();
        $("film").onclick = () => void this.toggleFilm();
        $("theme").onclick = () => this.setTheme(!this.palette.dark);
        $("help").onclick = () => $<HTMLDialogElement>("keys").showModal();
        $("side").onclick = () => this.togglePanel();
        document.addEventListener("keydown", (e) => this.key(e));
        addEventListener("hashchange", () => {
            if (location.hash.slice(1) === this.hash()) return;
            const theme = new URLSearchParams(location.hash.slice(1)).get("theme");
            this.player.play(false);
            forgetScales();
            forgetForces();
            this.readHash();
            if (theme && (theme === "dark") !== this.palette.dark) this.setTheme(theme === "dark");
            this.drawWalls();
            this.drawLines();
            this.images();
            this.applyColors();
            this.player.seek(this.startFrame);
        });
    }

    private playPause(): void {
        this.atEnd = false;
        this.player.play(!this.player.playing);
    }

    private step(n: number): void {
        this.player.play(false);
        this.player.seek(this.player.index + n);
        this.atEnd = n > 0 && this.player.index === this.player.count - 1;
    }

    private toggleLoop(): void {
        this.player.loop = !this.player.loop;
        this.transport();
    }

    private key(e: KeyboardEvent): void {
        const target = e.target as HTMLElement;
        if (e.ctrlKey || e.metaKey || e.altKey || $<HTMLDialogElement>("keys").open) return;
        if (target.matches("input[type=text], select")) return;
        if (target.matches("input[type=range]") && target.id !== "scrub" && e.key.startsWith("Arrow")) return;
        if (e.key === " " && target.matches("button, summary, input[type=checkbox]")) return;
        const many = e.shiftKey ? 10 : 1, speed = $<HTMLSelectElement>("speed");
        const faster = (n: number) => {
            speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + n));
            this.player.rate = Number(speed.value);
        };
        const actions: Record<string, () => void> = {
            " ": () => this.playPause(), ArrowLeft: () => this.step(-many), ArrowRight: () => this.step(many), ArrowUp: () => faster(1), ArrowDown: () => faster(-1),
            Home: () => this.step(-Infinity), End: () => this.step(Infinity), l: () => this.toggleLoop(), f: () => void this.fit(),
            c: () => this.toggle("contacts"), n: () => this.toggle("chains"), t: () => this.toggle("tracks"), o: () => this.toggleFollow(),
            s: () => void this.shot(), r: () => void this.toggleFilm(), d: () => this.setTheme(!this.palette.dark), b: () => this.togglePanel(),
            "?": () => $<HTMLDialogElement>("keys").showModal(), Escape: () => this.select(null),
            x: () => this.stage.fit(Math.PI / 2, 0), y: () => this.stage.fit(0, 0), z: () => this.stage.fit(0, Math.PI / 2 - 1e-3),
        };
        colorings.forEach((c, i) => (actions[String(i + 1)] = () => this.setColor(c.id)));
        const action = actions[e.key];
        if (!action) return;
        e.preventDefault();
        action();
    }

    private get name(): string {
        return this.model.file.replace(/\.h5$/, "");
    }

    private async shot(): Promise<void> {
        save(await picture($("stage"), this.stage.canvas, () => this.stage.draw()), `${this.name}-${String(this.player.index).padStart(4, "0")}.png`);
    }

    /** A film runs from the shown frame to the last one, or until it is stopped. */
    private async toggleFilm(): Promise<void> {
        if (this.film) return this.endFilm();
        if (!Film.possible) return this.say("This browser cannot record films.", true);
        if (this.player.index === this.player.count - 1) this.player.seek(0);
        this.film = new Film($("stage"), this.stage.canvas);
        $("film").ariaPressed = "true";
        this.player.play(true);
    }

    private async endFilm(): Promise<void> {
        const film = this.film;
        if (!film) return;
        this.film = null;
        this.player.play(false);
        $("film").ariaPressed = "false";
        const blob = await film.stop();
        save(blob, `${this.name}.${film.type.includes("mp4") ? "mp4" : "webm"}`);
    }

    // A run that grows

    private get growing(): boolean {
        const s = this.status, t = this.player.times;
        return !!s && (s.writing || !t.length || (s.end_time !== null && t[t.length - 1] < s.end_time * (1 - 1e-9)));
    }

    private badge(): void {
        const badge = $("badge"), s = this.status;
        const t = this.player.times, complete = !!s && s.end_time !== null && t.length > 0 && t[t.length - 1] >= s.end_time * (1 - 1e-9);
        badge.hidden = !s || (complete && !s.writing);
        badge.className = `badge ${s?.writing ? "live" : "ended"}`;
        badge.textContent = s?.writing ? `live, ${s.end_time ? Math.floor(100 * Math.min(1, (t[t.length - 1] ?? 0) / s.end_time)) : 0} %` : "stopped before its end";
    }

    private poll(): void {
        const again = () => setTimeout(() => this.poll(), document.hidden ? 5000 : this.status?.writing ? 700 : 2500);
        if (document.hidden) return void again();
        void this.update().catch((e) => this.say(`No answer from moraine: ${(e as Error).message}`, true)).then(() => {
            if (this.growing) again();
        });
    }

    private async update(): Promise<void> {
        const status = await fetchStatus(), before = this.player.count;
        if (status.message) return;
        this.status = status;
        if (status.generation !== this.model.generation) return location.reload();
        if (status.frames < before) {
            // The run was taken up from an earlier checkpoint.
            this.player.clear();
            this.player.times = await fetchTimes(0) as Float64Array<ArrayBuffer>;
            this.player.seek(Math.min(this.player.index, status.frames - 1));
            this.steps = { count: 0, stride: 1, columns: {} };
        } else if (status.frames > before) {
            const more = await fetchTimes(before), all = new Float64Array(before + more.length);
            all.set(this.player.times);
            all.set(more, before);
            this.player.times = all;
            if (!before) this.say("");
            if (this.atEnd && !this.player.playing) this.player.seek(all.length - 1);
            else this.transport();
        }
        this.badge();
        if (status.steps !== this.steps.count && performance.now() - this.lastGrowth > (this.steps.stride > 1 ? 10000 : 900)) await this.loadSteps();
        this.facts();
    }

    private async loadSteps(): Promise<void> {
        this.lastGrowth = performance.now();
        const known = this.steps.stride === 1 ? this.steps.count : 0;
        try {
            const more = await fetchSteps(known, MOST_STEPS);
            if (known && more.stride === 1 && known + more.count <= 2 * MOST_STEPS) {
                const columns: Record<string, Float64Array> = {};
                for (const [name, a] of Object.entries(more.columns)) {
                    columns[name] = new Float64Array(known + a.length);
                    columns[name].set(this.steps.columns[name]);
                    columns[name].set(a, known);
                }
                this.steps = { count: known + more.count, stride: 1, columns };
            } else this.steps = known ? await fetchSteps(0, MOST_STEPS) : more;
            this.plots.setSteps(this.steps);
        } catch (error) {
            this.say((error as Error).message, true);
        }
    }

    // The address keeps what is shown

    private hash(): string {
        const h = new URLSearchParams();
        h.set("frame", String(this.player.index));
        h.set("color", this.color);
        const on = Object.entries(this.show).filter(([, v]) => v).map(([k]) => k);
        h.set("show", on.join("."));
        if (this.opacity !== 1) h.set("opacity", String(this.opacity));
        if (this.section.axis >= 0) h.set("section", [this.section.axis, this.section.at, Number(this.section.flip)].join("_"));
        if (this.selection?.kind === "body") h.set("body", String(this.selection.body));
        h.set("theme", this.palette.dark ? "dark" : "light");
        h.set("view", this.stage.view.map((x) => Number(x.toPrecision(6))).join("_"));
        return h.toString();
    }

    private keepHash(): void {
        window.clearTimeout(this.hashTimer);
        this.hashTimer = window.setTimeout(() => history.replaceState(null, "", `#${this.hash()}`), 300);
    }

    private readHash(): void {
        const h = new URLSearchParams(location.hash.slice(1)), color = h.get("color");
        const frame = Number(h.get("frame"));
        this.startFrame = h.has("frame") && Number.isFinite(frame) ? frame : this.waited || this.status?.writing ? this.player.count - 1 : 0;
        this.color = colorings.some((c) => c.id === color) ? (color as ColorBy) : "speed";
        const on = h.has("show") ? new Set(h.get("show")!.split(".")) : null;
        for (const k of Object.keys(this.show) as (keyof Show)[]) this.show[k] = on ? on.has(k) : shownAtFirst[k];
        const opacity = Number(h.get("opacity") ?? 1);
        this.opacity = opacity >= 0 && opacity <= 1 ? opacity : 1;
        const section = h.get("section")?.split("_").map(Number);
        this.section = section?.length === 3 && [0, 1, 2].includes(section[0]) ? { axis: section[0], at: section[1], flip: !!section[2] } : { axis: -1, at: 0.5, flip: false };
        $<HTMLInputElement>("section-at").value = String(this.section.at);
        $<HTMLInputElement>("section-flip").checked = this.section.flip;
        const body = Number(h.get("body") ?? -1);
        this.select(Number.isInteger(body) && body >= 0 && body < this.model.bodies ? { kind: "body", body } : null);
        const view = h.get("view")?.split("_").map(Number);
        this.stage.fit();
        if (view) this.stage.view = view;
    }

    /** For tests: what is really on the screen. */
    get probe() {
        return {
            visible: () => [...this.stage.visible()],
            place: (body: number) => {
                const p = poseOf(this.model, this.player.shown!, body).position;
                return this.stage.project(p.x, p.y, p.z);
            },
            placeOfContact: (i: number) => {
                const c = this.player.shown!.contacts!.position;
                return this.stage.project(c[3 * i], c[3 * i + 1], c[3 * i + 2]);
            },
            frame: () => this.player.shown, model: () => this.model, player: this.player, stage: this.stage,
            picture: async () => {
                const blob = await picture($("stage"), this.stage.canvas, () => this.stage.draw());
                return new Promise<string>((done) => {
                    const reader = new FileReader();
                    reader.onload = () => done(reader.result as string);
                    reader.readAsDataURL(blob);
                });
            },
        };
    }
}

/** The axis of space nearest to a direction, if it is near; otherwise the direction itself. */
function mainAxis(v: THREE.Vector3): THREE.Vector3 {
    const u = v.clone().normalize();
    for (let k = 0; k < 3; k++) if (Math.abs(u.getComponent(k)) > 0.8) return new THREE.Vector3().setComponent(k, Math.sign(u.getComponent(k)));
    return u;
}

const app = new App();
(window as any).moraine = app;
forgetScales();
forgetForces();
app.start().catch((error) => app.say(`The run cannot be shown: ${(error as Error).message}`, true));
