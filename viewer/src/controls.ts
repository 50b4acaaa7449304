// Buttons, switches and keys: each does one thing of the app.
import type { App } from "./app";
import { colorings } from "./coloring";
import { number } from "./format";
import { $, isPanelShown, showPanel } from "./page";
import type { Show } from "./settings";

function chip(parent: string, text: string, value: string, title: string, act: () => void): void {
    const b = document.createElement("button");
    b.textContent = text;
    b.value = value;
    b.role = "radio";
    b.title = title;
    b.onclick = act;
    $(parent).append(b);
}

function colorControls(app: App): void {
    const births = app.model.birth.some((b) => b > 0);
    colorings.forEach((c, i) => chip("colors", c.id === "birth" && !births ? "Number" : c.text, c.id, `Key ${i + 1}`, () => app.setColor(c.id)));
    $<HTMLInputElement>("scale-max").onchange = (e) => {
        const x = Number((e.target as HTMLInputElement).value);
        app.setScale(x > 0 && Number.isFinite(x) ? x : null);
    };
}

function showControls(app: App): void {
    const m = app.model;
    const switches: [keyof Show, string, boolean][] = [
        ["chains", "Force chains", true], ["contacts", "Contacts", true], ["tracks", "Tracks", true], ["walls", "Thin walls", app.bodies.thinWalls.length > 0],
        ["marks", "Turning marks", true], ["shadows", "Shadows", m.dimension === 3], ["images", "Periodic images", !!m.periodic], ["flow", "Wind and current", !!m.environment?.flows?.length], ["mesh", "Floe mesh", m.meshBody.length > 0],
    ];
    for (const [id, text, useful] of switches) {
        if (!useful) continue;
        const label = document.createElement("label"), input = document.createElement("input");
        input.type = "checkbox";
        input.value = id;
        input.onchange = () => app.toggle(id, input.checked);
        label.append(input, text);
        $("switches").append(label);
    }
    $<HTMLInputElement>("opacity").oninput = (e) => app.setOpacity(Number((e.target as HTMLInputElement).value));
}

function sectionControls(app: App): void {
    $("section-box").hidden = app.model.dimension !== 3;
    ["none", "x", "y", "z"].forEach((name, i) => chip("section-axis", name, String(i - 1), "", () => app.setSection({ axis: i - 1 })));
    $<HTMLInputElement>("section-at").oninput = (e) => app.setSection({ at: Number((e.target as HTMLInputElement).value), axis: app.settings.section.axis < 0 ? 1 : app.settings.section.axis });
    $<HTMLInputElement>("section-flip").onchange = (e) => app.setSection({ flip: (e.target as HTMLInputElement).checked });
}

function speedControls(app: App, natural: number): void {
    const menu = $<HTMLSelectElement>("speed");
    for (const f of [0.1, 0.25, 0.5, 1, 2, 4, 10]) menu.append(new Option(`${number(f * natural, 3)}×`, String(f * natural), f === 1, f === 1));
    menu.title = "Seconds of the run per second";
    menu.onchange = () => (app.player.rate = Number(menu.value));
    app.player.rate = natural;
}

export function addControls(app: App, naturalSpeed: number): void {
    colorControls(app);
    showControls(app);
    sectionControls(app);
    speedControls(app, naturalSpeed);
    $("play").onclick = () => app.playPause();
    $("back").onclick = () => app.step(-1);
    $("next").onclick = () => app.step(1);
    $("loop").onclick = () => app.toggleLoop();
    $<HTMLInputElement>("scrub").oninput = (e) => app.scrub(Number((e.target as HTMLInputElement).value));
    $("fit").onclick = () => void app.fit();
    $("shot").onclick = () => void app.recorder.shot();
    $("film").onclick = (e) => app.recorder.toggle(e.shiftKey);
    $("theme").onclick = () => app.setTheme(!app.palette.dark);
    $("help").onclick = () => $<HTMLDialogElement>("keys").showModal();
    $("side").onclick = () => showPanel(!isPanelShown());
    document.addEventListener("keydown", (e) => onKey(app, e));
}

function onKey(app: App, e: KeyboardEvent): void {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || $<HTMLDialogElement>("keys").open) return;
    if (target.matches("input[type=text], select")) return;
    if (target.matches("input[type=range]") && target.id !== "scrub" && e.key.startsWith("Arrow")) return;
    if (e.key === " " && target.matches("button, summary, input[type=checkbox]")) return;
    const many = e.shiftKey ? 10 : 1, speed = $<HTMLSelectElement>("speed");
    const faster = (n: number) => {
        speed.selectedIndex = Math.max(0, Math.min(speed.length - 1, speed.selectedIndex + n));
        app.player.rate = Number(speed.value);
    };
    const actions: Record<string, () => void> = {
        " ": () => app.playPause(), ArrowLeft: () => app.step(-many), ArrowRight: () => app.step(many), ArrowUp: () => faster(1), ArrowDown: () => faster(-1),
        Home: () => app.step(-Infinity), End: () => app.step(Infinity), l: () => app.toggleLoop(), f: () => void app.fit(),
        c: () => app.toggle("contacts"), n: () => app.toggle("chains"), t: () => app.toggle("tracks"), o: () => app.toggleFollow(),
        s: () => void app.recorder.shot(), r: () => app.recorder.toggle(false), R: () => app.recorder.toggle(true), d: () => app.setTheme(!app.palette.dark), b: () => showPanel(!isPanelShown()),
        "?": () => $<HTMLDialogElement>("keys").showModal(), Escape: () => app.select(null),
        x: () => app.stage.fit(Math.PI / 2, 0), y: () => app.stage.fit(0, 0), z: () => app.stage.fit(0, Math.PI / 2 - 1e-3),
    };
    colorings.forEach((c, i) => (actions[String(i + 1)] = () => app.setColor(c.id)));
    const action = actions[e.key];
    if (!action) return;
    e.preventDefault();
    action();
}

/** Buttons and switches as the settings have them. */
export function showSettings(app: App): void {
    const s = app.settings;
    for (const b of document.querySelectorAll<HTMLButtonElement>("#colors button")) b.ariaChecked = String(b.value === s.color);
    for (const i of document.querySelectorAll<HTMLInputElement>("#switches input")) i.checked = s.show[i.value as keyof Show];
    for (const b of document.querySelectorAll<HTMLButtonElement>("#section-axis button")) b.ariaChecked = String(Number(b.value) === s.section.axis);
    $<HTMLInputElement>("opacity").value = String(s.opacity);
    $<HTMLInputElement>("section-at").value = String(s.section.at);
    $<HTMLInputElement>("section-flip").checked = s.section.flip;
    $<HTMLInputElement>("scale-max").value = s.scaleMax ? String(s.scaleMax) : "";
}
