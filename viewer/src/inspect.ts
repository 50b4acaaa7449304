// What is selected, in numbers.
import { number, quantity, vector } from "./format";
import { bodyName, DRIVEN, FIXED, type Frame, type Model } from "./run";

export type Selection = { kind: "body"; body: number } | { kind: "contact"; contact: number } | null;

const statusNames = ["open", "stick", "slip"];

function definition(rows: [string, string][]): HTMLDListElement {
    const list = document.createElement("dl");
    for (const [name, value] of rows) {
        const dt = document.createElement("dt"), dd = document.createElement("dd");
        dt.textContent = name;
        dd.textContent = value;
        dd.dataset.name = name;
        list.append(dt, dd);
    }
    return list;
}

function heading(text: string, note: string): HTMLHeadingElement {
    const h = document.createElement("h2"), span = document.createElement("span");
    h.textContent = text;
    span.textContent = note;
    h.append(span);
    return h;
}

function absolute(model: Model, v: ArrayLike<number>, at: number): number[] {
    return Array.from({ length: model.dimension }, (_, k) => v[at + k] + model.origin[k]);
}

const slice = (v: ArrayLike<number>, at: number, n: number) => Array.from({ length: n }, (_, k) => v[at + k]);

export function describeBody(model: Model, frame: Frame, body: number, following: boolean, actions: { follow: () => void; pick: (contact: number) => void }): Node[] {
    const d = model.dimension, kind = model.kind[body] === FIXED ? "fixed" : model.kind[body] === DRIVEN ? "driven" : "free";
    const material = model.materials[model.bodyMaterial[body]]?.name ?? "–";
    const velocity = slice(frame.velocity, d * body, d), speed = Math.hypot(...velocity);
    const rows: [string, string][] = [
        ["number", String(body)],
        ["kind", frame.active[body] ? kind : `${kind}, not there now`],
        ["material", material],
        ["mass", model.mass[body] > 0 ? quantity(model.mass[body], "kg") : "–"],
        ["position", vector(absolute(model, frame.position, d * body), "m")],
        ["angle", d === 2 ? `${number((frame.rotation[body] * 180) / Math.PI)}°` : `${number((2 * Math.acos(Math.min(1, Math.abs(frame.rotation[4 * body]))) * 180) / Math.PI)}° from its axes`],
        ["velocity", vector(velocity, "m/s")],
        ["speed", `${number(speed)} m/s`],
        ["spin", d === 2 ? `${number(frame.spin[body])} rad/s` : vector(slice(frame.spin, 3 * body, 3), "rad/s")],
    ];
    if (model.birth[body] > 0) rows.push(["birth", quantity(model.birth[body], "s")]);
    const list: number[] = [], c = frame.contacts;
    for (let i = 0; c && i < c.count; i++) if (c.bodies[2 * i] === body || c.bodies[2 * i + 1] === body) list.push(i);
    rows.push(["contacts", c ? String(list.length) : "…"]);
    const nodes: Node[] = [heading(bodyName(model, body), kind), definition(rows)];
    const box = document.createElement("div"), follow = document.createElement("button");
    box.className = "actions";
    follow.textContent = following ? "Following" : "Follow";
    follow.ariaPressed = String(following);
    follow.onclick = actions.follow;
    box.append(follow);
    nodes.push(box);
    if (c && list.length) {
        list.sort((a, b) => c.normalImpulse[b] - c.normalImpulse[a]);
        const table = document.createElement("table");
        const head = table.createTHead().insertRow();
        for (const text of ["with", "normal force", "status"]) {
            const th = document.createElement("th");
            th.textContent = text;
            head.append(th);
        }
        const rowsBody = table.createTBody();
        for (const i of list.slice(0, 12)) {
            const row = rowsBody.insertRow(), other = c.bodies[2 * i] === body ? c.bodies[2 * i + 1] : c.bodies[2 * i];
            row.dataset.contact = String(i);
            row.onclick = () => actions.pick(i);
            row.insertCell().textContent = other >= 0 ? bodyName(model, other) : "–";
            row.insertCell().textContent = quantity(c.normalImpulse[i] / model.timeStep, "N", 3);
            row.insertCell().textContent = statusNames[c.status[i]] ?? "?";
        }
        nodes.push(table);
        if (list.length > 12) {
            const more = document.createElement("p");
            more.className = "hint";
            more.textContent = `and ${list.length - 12} more`;
            nodes.push(more);
        }
    }
    return nodes;
}

export function describeContact(model: Model, frame: Frame, i: number, pick: (body: number) => void): Node[] {
    const c = frame.contacts, d = model.dimension;
    if (!c || i >= c.count) {
        const p = document.createElement("p");
        p.className = "hint";
        p.textContent = "This contact is not there in this frame.";
        return [p];
    }
    const a = c.bodies[2 * i], b = c.bodies[2 * i + 1], n = c.normalImpulse[i];
    const impulse = slice(c.impulse, 3 * i, d), normal = slice(c.normal, 3 * i, d);
    const along = impulse.reduce((s, x, k) => s + x * normal[k], 0), tangential = Math.sqrt(Math.max(0, impulse.reduce((s, x) => s + x * x, 0) - along * along));
    const nodes: Node[] = [
        heading(`Contact ${i}`, statusNames[c.status[i]] ?? "?"),
        definition([
            ["bodies", `${a >= 0 ? bodyName(model, a) : "–"}, ${b >= 0 ? bodyName(model, b) : "–"}`],
            ["status", statusNames[c.status[i]] ?? "?"],
            ["gap", quantity(c.gap[i], "m")],
            ["normal impulse", quantity(n, "N s")],
            ["normal force", quantity(n / model.timeStep, "N")],
            ["tangential impulse", quantity(tangential, "N s")],
            ["sliding velocity", vector(slice(c.velocity, 3 * i, d), "m/s")],
            ["position", vector(absolute(model, c.position, 3 * i), "m")],
            ["normal", vector(normal, "").trim()],
        ]),
    ];
    const box = document.createElement("div");
    box.className = "actions";
    for (const body of [a, b]) {
        if (body < 0) continue;
        const button = document.createElement("button");
        button.textContent = bodyName(model, body);
        button.onclick = () => pick(body);
        box.append(button);
    }
    nodes.push(box);
    return nodes;
}
