// The app: puts the parts together and keeps them in step with what people ask for.
import * as THREE from "three";
import { Bodies } from "./bodies";
import { ballsOf, boundsOf, poseOf, typicalSize } from "./bounds";
import { palette as makePalette, type Palette } from "./colors";
import { colorings, forgetScales, paint, roundUp, type ColorBy } from "./coloring";
import { addControls, showSettings } from "./controls";
import { FlowArrows } from "./flow";
import { clock } from "./format";
import { describeBody, describeContact, type Selection } from "./inspect";
import { LegendBox } from "./legend";
import { drawChains, drawContacts, forgetForces, type ForceScale } from "./links";
import { Live } from "./live";
import { Dots, Ribbons } from "./marks";
import { $, bare, fromFront, keepTheme, say, showClock, showFacts, showPanel, showRuler, showTitle, themeAtStart } from "./page";
import { Player } from "./player";
import { Plots, quantities } from "./plots";
import { probeOf } from "./probe";
import { Recorder } from "./recorder";
import { fetchModel, type Frame, type Model } from "./run";
import { drawLines, drawWalls, imagesOf, upOf } from "./scenery";
import { defaultSettings, defaultShow, readAddress, writeAddress, type Section, type Settings, type Show } from "./settings";
import { CONTACT, Stage } from "./stage";
import { Tracks } from "./tracks";

const MANY = 20000; // bodies, from which on it is worth asking whether the renderer is fast enough
const LONG = 30; // milliseconds for a picture

export class App {
    model!: Model;
    stage!: Stage;
    bodies!: Bodies;
    recorder!: Recorder;
    settings: Settings;
    palette: Palette;
    selection: Selection = null;
    ready = false;
    frameMilliseconds = 0; // spent on the last frame before it was drawn
    arrows!: Ribbons;
    readonly player = new Player();
    readonly live = new Live(this.player);
    readonly probe = probeOf(this);
    private chains!: Ribbons;
    private dots!: Dots;
    private walls!: Ribbons;
    private lines!: Ribbons;
    private flow!: FlowArrows;
    private tracks!: Tracks;
    private plots!: Plots;
    private readonly legend = new LegendBox($("legend"));
    private readonly shownAtFirst = defaultShow();
    private readonly choseShow = new URLSearchParams(location.hash.slice(1)).has("show"); // the address with which the page was opened
    private size = 1; // m, a typical radius
    private following = false;
    private readonly followed = new THREE.Vector3();
    private force: ForceScale | null = null;
    private dotsDrawn = 1;
    private addressTimer = 0;
    private becoming = false; // the model is being fetched again

    constructor() {
        const dark = themeAtStart();
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        this.palette = makePalette(dark);
        this.settings = defaultSettings(this.shownAtFirst);
        if (innerWidth < 820) showPanel(false);
    }

    async start(): Promise<void> {
        await this.live.begin();
        this.model = await fetchModel();
        showTitle(this.model);
        await this.build();
        const total = this.live.duration, natural = total >= 1.9 && total <= 60 ? 1 : total > 0 ? roundUp(total / 15) : 1;
        addControls(this, natural);
        addEventListener("hashchange", () => this.addressChanged());
        this.facts();
        say("");
        const frame = this.readAddress();
        this.apply();
        if (!this.player.count) say("This run has no frames yet.");
        else if (bare) this.fitTo([await this.player.frame(frame, false)]);
        this.player.seek(frame);
        const { live } = this;
        live.atEnd = (live.waited || !!live.status?.writing) && frame >= this.player.count - 1;
        live.onSteps = (steps) => this.plots.setSteps(steps);
        live.onChange = () => this.facts();
        void live.loadSteps();
        live.badge();
        if (live.growing) live.poll(this.model.generation);
        this.ready = true;
    }

    private async build(): Promise<void> {
        const { model, player } = this, three = model.dimension === 3;
        const stage = (this.stage = new Stage($<HTMLCanvasElement>("canvas"), model.dimension, upOf(model), bare));
        this.recorder = new Recorder(stage, player, () => model.file.replace(/\.h5$/, ""));
        const frames: Frame[] = [];
        if (player.count) frames.push(await player.frame(0, false));
        if (player.count > 1) frames.push(await player.frame(player.count - 1, false));
        const box = boundsOf(model, frames), cell = model.periodic;
        if (cell) box.low.set(cell.low[0], cell.low[1], 0), box.high.set(cell.high[0], cell.high[1], 0);
        stage.setBounds(box.low, box.high);
        this.makeBodies();
        this.walls = new Ribbons(stage.shared, three, 1.2);
        this.chains = new Ribbons(stage.shared, three, three ? 1.8 : 3);
        this.dots = new Dots(stage.shared, three, three ? 1.9 : 4, 2e-4);
        this.arrows = new Ribbons(stage.shared, three, 3.5, 0, true);
        this.lines = new Ribbons(stage.shared, three, 2.8);
        this.flow = new FlowArrows(model, stage, this.arrows);
        stage.scene.add(this.walls.mesh, this.chains.mesh, this.dots.mesh, this.arrows.mesh, this.lines.mesh);
        this.makeTracks();
        for (const mark of [this.chains.mesh, this.dots.mesh]) mark.layers.set(0);
        stage.setPalette(this.palette);
        if (stage.software && model.bodies > 3000 && !bare) this.shownAtFirst.shadows = false;
        stage.onPass = (pass) => this.bodies.choose(pass, stage.fine ? 1 : stage.software || this.model.bodies >= MANY ? 16 : 6);
        stage.onClick = (x, y) => this.pick(x, y);
        stage.onMove = () => this.viewChanged();
        stage.fit();
        this.plots = new Plots($("plots"), $<HTMLSelectElement>("plot-add"), quantities(model.columns), this.palette, (t) => this.seekTime(t));
        player.onFrame = (f) => this.frameCame(f);
        player.onState = () => this.transport();
        player.onError = (text) => say(text, true);
    }

    /** Everything that comes by itself is there: letters, arrows, tracks. */
    async settled(): Promise<void> {
        await document.fonts.ready;
        while (this.becoming || this.flow.busy || this.tracks.busy) await new Promise((r) => setTimeout(r, 20));
    }

    private makeBodies(): void {
        this.size = typicalSize(this.model);
        this.bodies = new Bodies(this.model, this.stage.shared, this.stage.radius, this.size);
        Stage.asBodies(this.bodies.group);
        this.stage.scene.add(this.bodies.group);
    }

    private makeTracks(): void {
        this.tracks = new Tracks(this.stage.shared, this.model.dimension === 3, this.model, this.player, () => this.stage.invalidate());
        this.stage.scene.add(this.tracks.mesh);
    }

    // Frames

    /** A frame of a run in which bodies are born may have more of them than the model that is known. */
    private frameCame(frame: Frame): void {
        if (frame.bodies <= this.model.bodies) this.showFrame(frame);
        else void this.newBodies().catch((e) => say((e as Error).message, true));
    }

    private async newBodies(): Promise<void> {
        if (this.becoming) return;
        this.becoming = true;
        try {
            const model = await fetchModel();
            if (model.generation !== this.model.generation) return location.reload();
            if (this.model.bodies < MANY) this.judged = false;
            this.model = model;
        } finally {
            this.becoming = false;
        }
        this.stage.scene.remove(this.bodies.group, this.tracks.mesh);
        this.bodies.dispose();
        this.tracks.dispose();
        this.makeBodies();
        this.makeTracks();
        this.facts();
        this.apply();
        if (this.player.shown) this.showFrame(this.player.shown);
    }

    private showFrame(frame: Frame): void {
        const start = performance.now();
        this.bodies.setFrame(frame);
        this.marks(frame);
        this.paintBodies(frame);
        this.drawFlow();
        this.follow(frame);
        if (this.selection) this.inspect();
        this.plots.setTime(frame.time);
        showClock(frame.time, this.interval, frame.step, frame.contactCount);
        this.stage.invalidate(true);
        if (!this.judged) this.judgeRenderer();
        this.keepAddress();
        this.frameMilliseconds = performance.now() - start;
        this.recorder.frame();
    }

    /** A GPU that is slow with so many bodies, and slower than the page would be, is treated like none: the page then draws small ones itself. */
    private judgeRenderer(): void {
        this.judged = true;
        const { stage } = this;
        if (bare || stage.software || this.model.bodies < MANY) return;
        const time = stage.pictureTime(LONG);
        if (time <= LONG) return;
        this.drawAlone(true);
        if (stage.pictureTime(0.8 * time) > 0.8 * time) this.drawAlone(false);
    }
    private drawAlone(alone: boolean): void {
        this.stage.software = alone;
        this.shownAtFirst.shadows = !alone;
        if (!this.choseShow) this.settings.show.shadows = !alone;
        this.apply();
    }
    private judged = false;

    private get interval(): number {
        const t = this.player.times;
        return t.length > 1 ? (t[t.length - 1] - t[0]) / (t.length - 1) : this.model.outputInterval;
    }

    private paintBodies(frame: Frame): void {
        const { color, scaleMax, show } = this.settings;
        const legend = paint(this.model, frame, color, this.palette, { hold: true, max: scaleMax }, this.bodies.tint);
        this.bodies.tintChanged();
        this.legend.show(this.model, legend, show, this.force, this.palette);
        $("scale-row").hidden = !legend.scale || color === "birth";
    }

    private marks(frame: Frame): void {
        const contact = this.selection?.kind === "contact" ? this.selection.contact : -1, ratio = this.stage.renderer.getPixelRatio(), { show } = this.settings;
        if (show.chains && frame.contacts) this.force = drawChains(this.model, frame, this.palette, this.chains, this.size, contact);
        this.chains.mesh.visible = show.chains && !!frame.contacts?.count;
        this.dotsDrawn = this.dotSize;
        if (show.contacts && frame.contacts) drawContacts(frame, this.palette, this.dots, ratio, this.dotSize, contact);
        this.dots.mesh.visible = show.contacts && !!frame.contacts?.count;
        this.tracks.show(show.tracks, this.palette);
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

    /** Contacts of large frames are fetched only where something needs them. */
    private needs(): void {
        const before = this.player.needContacts, { show, color } = this.settings;
        const frame = this.player.shown, few = !frame || frame.contactCount < 20000;
        this.player.needContacts = few || show.chains || show.contacts || this.selection !== null || !!colorings.find((c) => c.id === color)?.needsContacts;
        if (this.player.needContacts && !before && frame && !frame.contacts) this.player.refresh();
    }

    private redraw(): void {
        this.needs();
        const frame = this.player.shown;
        if (!frame || frame.bodies > this.model.bodies) return;
        this.marks(frame);
        this.paintBodies(frame);
        this.stage.invalidate();
    }

    private viewChanged(): void {
        showRuler(this.stage.metresPerPixel);
        this.drawFlow();
        if (this.settings.show.contacts && Math.abs(this.dotSize / this.dotsDrawn - 1) > 0.2) this.redraw();
        this.keepAddress();
    }

    /** Show everything there is now: bodies of a growing run may have left the first view. */
    async fit(): Promise<void> {
        const shown = this.player.shown;
        if (shown) this.fitTo([await this.player.frame(0, false), shown]);
        else this.stage.fit();
    }

    private fitTo(frames: Frame[]): void {
        if (!this.model.periodic) {
            const { low, high } = boundsOf(this.model, frames);
            this.stage.setBounds(low, high);
            this.applySection();
        }
        const [azimuth, height] = fromFront ? [0, 0.25] : [0.5, 0.38];
        this.stage.fit(azimuth, height);
        if (bare) this.stage.fitBalls(ballsOf(this.model, frames[0], this.stage.middle, this.stage.radius, fromFront), azimuth, height);
    }

    private drawWalls(): void {
        drawWalls(this.walls, this.bodies, this.settings.show.walls, this.palette, this.stage.renderer.getPixelRatio());
    }

    private drawLines(): void {
        drawLines(this.lines, this.model, this.settings.show.mesh, this.palette, this.stage.renderer.getPixelRatio());
    }

    private drawFlow(): void {
        if (this.player.shown) this.flow.update(this.player.shown.time, this.settings.show.flow, this.palette);
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
        this.keepAddress();
    }

    toggleFollow(): void {
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

    // Time

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
        this.recorder.moved();
    }

    private facts(): void {
        showFacts(this.model, this.live.status, this.player.count);
    }

    private seekTime(t: number): void {
        this.player.play(false);
        this.player.seekTime(t);
    }

    playPause(): void {
        this.live.atEnd = false;
        this.player.play(!this.player.playing);
    }

    step(n: number): void {
        this.player.play(false);
        this.player.seek(this.player.index + n);
        this.live.atEnd = n > 0 && this.player.index === this.player.count - 1;
    }

    scrub(index: number): void {
        this.player.play(false);
        this.player.seek(index);
        this.live.atEnd = this.player.index === this.player.count - 1;
    }

    toggleLoop(): void {
        this.player.loop = !this.player.loop;
        this.transport();
    }

    // Settings

    /** Everything as the settings have it. */
    private apply(): void {
        const { show } = this.settings;
        this.stage.images = imagesOf(this.model, show.images);
        this.drawWalls();
        this.drawLines();
        this.drawFlow();
        this.applyLook();
    }

    private applyLook(): void {
        const { show, opacity } = this.settings, { shared } = this.stage;
        showSettings(this);
        shared.opacity.value = opacity;
        shared.mark.value = show.marks ? 1 : 0;
        this.stage.wantShadows = show.shadows;
        this.bodies.group.visible = opacity > 0 || this.model.dimension === 3;
        this.applySection();
        this.redraw();
    }

    private applySection(): void {
        const { axis, at, flip } = this.settings.section, cut = this.stage.shared.cut.value as THREE.Vector4, n = new THREE.Vector3();
        if (axis < 0 || this.model.dimension === 2) cut.set(0, 0, 0, 0);
        else {
            n.setComponent(axis, flip ? -1 : 1);
            const low = this.stage.low.getComponent(axis), high = this.stage.high.getComponent(axis), place = low + at * (high - low);
            cut.set(n.x, n.y, n.z, flip ? -place : place);
        }
        this.bodies.setCut(cut.lengthSq() > 0);
        this.stage.invalidate(true);
    }

    setColor(color: ColorBy): void {
        this.settings.color = color;
        this.setScale(null);
    }

    setScale(max: number | null): void {
        this.settings.scaleMax = max;
        this.applyLook();
        this.keepAddress();
    }

    setOpacity(opacity: number): void {
        this.settings.opacity = opacity;
        this.applyLook();
        this.keepAddress();
    }

    setSection(change: Partial<Section>): void {
        Object.assign(this.settings.section, change);
        this.applyLook();
        this.keepAddress();
    }

    toggle(what: keyof Show, on = !this.settings.show[what]): void {
        const s = this.settings;
        s.show[what] = on;
        // Forces inside solid bodies cannot be seen: make the bodies glass, and solid again afterwards.
        if (this.model.dimension === 3 && (what === "chains" || what === "contacts")) {
            if (on && s.opacity === 1) s.opacity = 0.3;
            else if (!s.show.chains && !s.show.contacts && s.opacity === 0.3) s.opacity = 1;
        }
        this.apply();
        this.keepAddress();
    }

    setTheme(dark: boolean): void {
        document.documentElement.dataset.theme = dark ? "dark" : "light";
        keepTheme(dark);
        this.palette = makePalette(dark);
        this.stage.setPalette(this.palette);
        this.plots.setPalette(this.palette);
        this.apply();
        this.keepAddress();
    }

    // The address keeps what is shown

    address(): string {
        return writeAddress(this.settings, {
            frame: this.player.index, body: this.selection?.kind === "body" ? this.selection.body : undefined,
            theme: this.palette.dark ? "dark" : "light", view: this.stage.view,
        });
    }

    private keepAddress(): void {
        window.clearTimeout(this.addressTimer);
        this.addressTimer = window.setTimeout(() => {
            // An address that someone has just entered is read first: its event is still to come.
            if (location.hash !== this.knownHash) return;
            history.replaceState(null, "", `#${this.address()}`);
            this.knownHash = location.hash;
        }, 300);
    }
    private knownHash = location.hash;

    /** Take over settings, selection and view; returns the frame to show. */
    private readAddress(): number {
        const { settings, place } = readAddress(location.hash.slice(1), this.shownAtFirst);
        this.settings = settings;
        this.select(place.body !== undefined && place.body < this.model.bodies ? { kind: "body", body: place.body } : null);
        this.stage.fit();
        if (place.view) this.stage.view = place.view;
        return place.frame ?? (this.live.waited || this.live.status?.writing ? this.player.count - 1 : 0);
    }

    private addressChanged(): void {
        this.knownHash = location.hash;
        if (location.hash.slice(1) === this.address()) return;
        this.player.play(false);
        forgetScales();
        forgetForces();
        const { theme } = readAddress(location.hash.slice(1), this.shownAtFirst).place;
        if (theme && (theme === "dark") !== this.palette.dark) this.setTheme(theme === "dark");
        const frame = this.readAddress();
        this.apply();
        forgetScales(); // the frame that was shown until now has been painted once more
        this.player.seek(frame);
    }
}
