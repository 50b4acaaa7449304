// The page in a real browser: what it draws, what it says, what moves it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PATIENCE, command, inFolder, isColorful, makeRun, needBrowser, openBrowser, openPage, pixels, pixelsOf, reset, seek, serve, stop, stopAll, view, visible } from "./tools.mjs";

needBrowser();

// Twelve discs fall freely side by side above the ground, each with a velocity of its own; nothing touches for 0.2 s.
const falling = `
title: Falling discs
dimension: 2
gravity: 0 -10 m/s2
time: {step: 1 ms, end: 0.2 s, output: 10 ms}
materials: [{name: ice, density: 900 kg/m2}, {name: rock, density: 2500 kg/m2}]
bodies:
  - {name: ground, kind: fixed, material: rock, shape: {half_plane: 0 1}}
${Array.from({ length: 12 }, (_, i) => `  - {name: disc-${i}, material: ${i % 2 ? "rock" : "ice"}, shape: {disc: 10 cm}, position: [${0.3 * i} m, 1 m], velocity: [0, ${0.1 * i} m/s], angular_velocity: ${i} rad/s}`).join("\n")}
`;

// A block at rest on a table in space, beside one of each other shape.
const shapes = `
title: One of each
dimension: 3
gravity: 0 0 -10 m/s2
time: {step: 1 ms, end: 0.05 s, output: 10 ms}
materials: [{name: stone, density: 1000 kg/m3}]
laws: [{friction: 0.5}]
bodies:
  - {name: table, kind: fixed, shape: {plane: 0 0 1}}
  - {name: block, material: stone, shape: {box: [40 cm, 40 cm, 20 cm]}, position: [0, 0, 10 cm]}
  - {name: ball, material: stone, shape: {sphere: 20 cm}, position: [1 m, 0, 20 cm]}
  - {name: can, material: stone, shape: {cylinder: {radius: 15 cm, height: 30 cm}}, position: [2 m, 0, 15 cm]}
  - {name: pill, material: stone, shape: {capsule: {radius: 12 cm, length: 30 cm}}, position: [3 m, 0, 60 cm]}
  - {name: tetrahedron, material: stone, shape: {polyhedron: [0 0 0 m, 0.5 0 0 m, 0 0.5 0 m, 0 0 0.5 m]}, position: [4 m, 0, 60 cm]}
`;

let browser, files = {}, servers = {}, pages = {};
before(async () => {
    files.falling = makeRun("falling", falling);
    files.shapes = makeRun("shapes", shapes);
    [browser, servers.falling, servers.shapes] = await Promise.all([openBrowser(), view(files.falling), view(files.shapes)]);
    for (const name of ["falling", "shapes"]) pages[name] = await openPage(browser, servers[name].url);
});
after(async () => {
    await browser?.close();
    stopAll();
});

test("every body of a plane run is drawn, and the page has nothing to complain about", async () => {
    const page = pages.falling; // as it was opened
    const seen = await visible(page);
    assert.deepEqual([...seen.keys()].sort((a, b) => a - b), Array.from({ length: 13 }, (_, i) => i));
    // All discs have the same radius and cover the same area.
    const areas = Array.from({ length: 12 }, (_, i) => seen.get(i + 1));
    assert.ok(Math.max(...areas) < 1.1 * Math.min(...areas), String(areas));
    assert.equal(await page.textContent("#title"), "Falling discs" + "falling.h5");
    assert.deepEqual(page.complaints, []);
});

test("every shape of a run in space is drawn", async () => {
    const page = pages.shapes;
    const seen = await visible(page);
    for (let body = 0; body < 6; body++) assert.ok(seen.get(body) > 50, `body ${body} covers ${seen.get(body)} pixels`);
    assert.deepEqual(page.complaints, []);
});

// A crowd on a lattice: small on the screen, so that a page without a GPU draws it itself.
function crowd(dimension, side, shape, ground) {
    const rows = [];
    for (let i = 0; i < side ** dimension; i++) {
        const at = [i % side, Math.floor(i / side) % side, Math.floor(i / side / side)].slice(0, dimension).map((k) => `${k} m`);
        rows.push(`  - {shape: {${shape}}, position: [${at.join(", ")}]}`);
    }
    if (ground) rows.push(`  - {name: ground, kind: fixed, shape: {${ground}}, position: [${["0 m", "0 m", "-1 m"].slice(3 - dimension).join(", ")}]}`);
    return `dimension: ${dimension}\ntime: {step: 1 ms, end: 1 ms, output: 1 ms}\nmaterials: [{name: stone, density: 1000 kg/m${dimension}}]\nbodies:\n${rows.join("\n")}\n`;
}

const crowds = [["discs", 2, 60, "disc: 0.45 m", 1], ["balls", 3, 12, "sphere: 0.45 m", 0.97], ["boxes", 3, 14, "box: [0.8 m, 0.8 m, 0.8 m]", 0.99], ["hexagons", 2, 90, "regular: {sides: 6, radius: 0.45 m}", 1],
    ["discs on a ground", 2, 60, "disc: 0.45 m", 1, "half_plane: 0 1"], ["hexagons on a ground", 2, 90, "regular: {sides: 6, radius: 0.45 m}", 1, "half_plane: 0 1"], ["balls on a table", 3, 12, "sphere: 0.45 m", 0.97, "plane: 0 0 1"]];
for (const [name, dimension, side, shape, share, ground] of crowds)
    test(`without a GPU a crowd of ${name} looks as with one`, async () => {
        const server = await view(makeRun(name.replaceAll(" ", "-"), crowd(dimension, side, shape, ground))), page = await openPage(browser, server.url, { width: 760, height: 480 });
        if (dimension === 3) await page.evaluate(() => window.moraine.toggle("shadows", false));
        // Not coarser where the machine is slow.
        await page.evaluate(() => (window.moraine.probe.stage.pace = () => {}));
        await page.waitForFunction(() => window.moraine.probe.stage.renderer.getPixelRatio() === devicePixelRatio);
        const look = async (software) => {
            await page.evaluate((on) => ((window.moraine.probe.stage.software = on), window.moraine.probe.stage.draw()), software);
            const seen = await visible(page), picture = await pixels(page), cost = await page.evaluate(() => window.moraine.probe.cost());
            return { seen, picture, cost };
        };
        const own = await look(true), gpu = await look(false);
        assert.ok(own.cost.triangles + own.cost.points < 0.7 * (gpu.cost.triangles + gpu.cost.points), `${own.cost.triangles} triangles, ${own.cost.points} points`);
        if (/disc|ball/.test(name)) assert.equal(own.cost.triangles, 0); // the page's own picture
        // Bodies that are well seen in one picture are in the other, and all cover about the same pixels.
        const well = (m) => [...m.keys()].filter((k) => m.get(k) > (dimension === 2 ? 0 : 9)), pixelsOfAll = (m) => [...m.values()].reduce((sum, n) => sum + n, 0);
        for (const [one, other] of [[own.seen, gpu.seen], [gpu.seen, own.seen]]) {
            const common = well(one).filter((k) => other.has(k)).length;
            assert.ok(common >= share * well(one).length, `${well(one).length} bodies, of these in the other picture ${common}`);
        }
        if (dimension === 2) assert.equal(own.seen.size, side ** 2 + (ground ? 1 : 0));
        assert.ok(Math.abs(pixelsOfAll(own.seen) / pixelsOfAll(gpu.seen) - 1) < 0.1);
        const [a, b] = [own, gpu].map((x) => Buffer.from(x.picture.data, "base64")), difference = a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / a.length;
        assert.ok(difference < 8, `pictures differ by ${difference} of 255`);
        if (name === "discs") {
            // Near by they are the renderer's, those in sight.
            const before = await page.evaluate(() => window.moraine.probe.stage.view), zoom = (v) => page.evaluate((x) => (window.moraine.probe.stage.view = x), v);
            await zoom([before[0], before[1], before[2] / 6]);
            const near = await look(true), all = await look(false);
            assert.ok(near.cost.triangles < 0.2 * all.cost.triangles, `${near.cost.triangles} triangles`);
            assert.deepEqual([...near.seen].sort(), [...all.seen].sort());
            assert.equal(near.picture.data, all.picture.data);
            await zoom(before);
        }
        // A click on a body in front finds it.
        await look(true);
        const body = dimension === 2 ? side * 3 + 5 : side * side * (side - 1) + 5, [x, y] = await page.evaluate((b) => window.moraine.probe.place(b), body);
        assert.equal(await page.evaluate(([a, b]) => window.moraine.probe.stage.pick(a, b), [x, y]), body);
        assert.deepEqual(page.complaints, []);
        await page.close();
        await stop(server);
    });

test("without a GPU grounds look as with one, from all sides", async () => {
    const planes = (list) => list.map(([shape, at], i) => `  - {name: ground-${i}, kind: fixed, shape: {${shape}}, position: [${at}]}`).join("\n");
    const walls = [["plane: 1 0 0", "-1 m, 0, 0"], ["plane: -1 0 0", "12 m, 0, 0"], ["plane: 0 1 0", "0, -1 m, 0"], ["plane: 0 -1 0", "0, 12 m, 0"]];
    const scenes = [["table", 3, [["plane: 0 0 1", "0, 0, -1 m"]]], ["slope", 3, [["plane: 0.3 0.2 1", "0, 0, -3 m"]]], ["box", 3, [...walls, ["plane: 0 0 1", "0, 0, -1 m"]]],
        ["corner", 2, [["half_plane: 0 1", "0, -1 m"], ["half_plane: 1 0.3", "-1 m, 0"]]]];
    for (const [name, dimension, grounds] of scenes) {
        const side = dimension === 3 ? 12 : 50, count = side ** dimension, run = makeRun(name, crowd(dimension, side, dimension === 3 ? "sphere: 0.45 m" : "disc: 0.45 m") + planes(grounds) + "\n");
        const server = await view(run), page = await openPage(browser, server.url, { width: 760, height: 480 });
        if (dimension === 3) await page.evaluate(() => window.moraine.toggle("shadows", false));
        await page.evaluate(() => (window.moraine.probe.stage.pace = () => {}));
        await page.waitForFunction(() => window.moraine.probe.stage.renderer.getPixelRatio() === devicePixelRatio);
        const v = await page.evaluate(() => window.moraine.probe.stage.view), [x, y, z, a, b, c] = v;
        // From where one looks first, from below, near by, low above the ground, from high above.
        const views = dimension === 2 ? [v, [v[0], v[1], 3 * v[2]]] : [v, [x, y, 2 * c - z, a, b, c], [a + 0.8 * (x - a), b + 0.8 * (y - b), c + 0.8 * (z - c), a, b, c - 5]];
        if (name === "table") views.push([x, y, c - 5, a, b, c], [a + 0.1, b, z + 30, a, b, c]);
        for (const [n, w] of views.entries()) {
            const selected = n % 2 ? count : -1; // the first ground, or none
            const look = async (software) => {
                const shown = await page.evaluate(([on, place, body, bodies]) => {
                    const { stage, cost } = window.moraine.probe;
                    (stage.software = on), (stage.view = place), (stage.shared.selected.value = body);
                    const { clientWidth, clientHeight } = stage.canvas, bytes = stage.numbers(0, 0, clientWidth, clientHeight, clientWidth, clientHeight);
                    let isBody = "";
                    for (let i = 0; i < bytes.length; i += 4) isBody += bytes[i + 3] === 255 && bytes[i] + 256 * bytes[i + 1] + 65536 * bytes[i + 2] <= bodies ? "b" : ".";
                    stage.draw();
                    return { isBody, triangles: cost().triangles };
                }, [software, w, selected, count]);
                return { ...shown, picture: await pixels(page) };
            };
            const own = await look(true), gpu = await look(false), { width, height } = own.picture, [one, other] = [own, gpu].map((l) => Buffer.from(l.picture.data, "base64"));
            assert.deepEqual([own.triangles > 0, gpu.triangles > 0], [false, true]);
            // Where no body is in either picture; rows of numbers begin below.
            let pixelsThere = 0, sum = 0, far = 0;
            for (let row = 0; row < height; row++)
                for (let column = 0; column < width; column++) {
                    const i = (height - 1 - row) * width + column;
                    if (own.isBody[i] === "b" || gpu.isBody[i] === "b") continue;
                    pixelsThere++;
                    for (let k = 0; k < 3; k++) {
                        const d = Math.abs(one[4 * (row * width + column) + k] - other[4 * (row * width + column) + k]);
                        (sum += d / 3), (far += Number(d > 24) / 3);
                    }
                }
            const said = `${name} from ${w}: ${sum / pixelsThere} of 255, ${far} of ${pixelsThere} pixels by more than 24`;
            assert.ok(pixelsThere > 0.2 * width * height, said);
            assert.ok(sum / pixelsThere < 1 && far < 0.01 * pixelsThere, said);
        }
        assert.deepEqual(page.complaints, []);
        await page.close();
        await stop(server);
    }
});

test("a GPU that is too slow for very many bodies is left alone", async () => {
    // The renderer in software, which is slow with so many, under the name of a GPU.
    const pretend = () => {
        const ask = WebGL2RenderingContext.prototype.getParameter;
        WebGL2RenderingContext.prototype.getParameter = function (what) {
            const answer = ask.call(this, what);
            return typeof answer === "string" && /swiftshader/i.test(answer) ? "A GPU" : answer;
        };
    };
    for (const [name, side, slow] of [["very-many", 260, true], ["some", 20, false]]) {
        const server = await view(makeRun(name, crowd(2, side, "disc: 0.45 m"))), page = await openPage(browser, server.url, { before: pretend });
        assert.equal((await page.evaluate(() => window.moraine.probe.cost())).renderer, "A GPU");
        assert.equal(await page.evaluate(() => window.moraine.probe.stage.software), slow);
        if (slow) assert.equal((await page.evaluate(() => (window.moraine.probe.stage.draw(), window.moraine.probe.cost()))).triangles, 0); // the page's own picture
        assert.deepEqual(page.complaints, []);
        await page.close();
        await stop(server);
    }
});

test("scrubbing moves the bodies down the picture by the distance of free fall", async () => {
    const page = await reset(pages.falling, "color=birth");
    const first = await page.evaluate(() => window.moraine.probe.place(1)), top = await pixels(page);
    await page.focus("#scrub");
    await page.keyboard.press("End");
    await page.waitForFunction(() => window.moraine.probe.frame().index === window.moraine.probe.player.count - 1);
    const last = await page.evaluate(() => window.moraine.probe.place(1)), bottom = await pixels(page);
    const scale = await page.evaluate(() => window.moraine.probe.stage.metresPerPixel);
    assert.ok(Math.abs((last[1] - first[1]) * scale - 0.5 * 10 * 0.2 ** 2) < 2e-3); // disc-0 starts at rest
    assert.ok(isColorful(...top.at(...first)), `there is a disc at first: ${top.at(...first)}`);
    assert.ok(!isColorful(...bottom.at(first[0], first[1] - 20)), "and none where it was above");
    assert.ok(isColorful(...bottom.at(...last)), "but one where it is now");
    const all = [0, 0, 1, 1];
    assert.ok(Math.abs(top.count(all, isColorful) / bottom.count(all, isColorful) - 1) < 0.1, "discs keep their area");
    assert.match(await page.textContent("#clock"), /^0\.2\d* s/);
});

test("a click on a body shows its numbers", async () => {
    const page = await reset(pages.falling);
    await seek(page, 10); // 0.1 s
    const box = await page.locator("#canvas").boundingBox(), at = await page.evaluate(() => window.moraine.probe.place(8));
    await page.mouse.click(box.x + at[0], box.y + at[1]);
    const value = (name) => page.textContent(`#selection dd[data-name="${name}"]`);
    assert.match(await page.textContent("#selection h2"), /^disc-7/);
    assert.equal(await value("number"), "8");
    assert.equal(await value("material"), "rock");
    assert.match(await value("mass"), /^78\.54 kg$/); // 2500 kg/m2 pi (10 cm)2
    assert.match(await value("velocity"), /^\(0, −0\.3\) m\/s$/); // 0.7 m/s - 10 m/s2 0.1 s
    assert.match(await value("spin"), /^7 rad\/s$/);
    assert.match(await value("position"), /^\(2\.1, 1\.02\) m$/); // 1 + 0.07 - 0.05
    assert.equal(await value("contacts"), "0");
    // It changes with time, and nothing is selected beside the bodies.
    await seek(page, 20);
    assert.match(await value("velocity"), /^\(0, −1\.3\) m\/s$/);
    await page.mouse.click(box.x + box.width / 2, box.y + 20);
    assert.equal(await page.locator("#selection dd").count(), 0);
});

test("a click on a contact shows its bodies and force, and the forces under a block at rest are its weight", async () => {
    const page = await reset(pages.shapes, "show=contacts&frame=5&opacity=0.3");
    const contacts = await page.evaluate(() => {
        const c = window.moraine.probe.frame().contacts;
        return Array.from({ length: c.count }, (_, i) => ({ i, bodies: [c.bodies[2 * i], c.bodies[2 * i + 1]], impulse: c.normalImpulse[i] }));
    });
    const under = contacts.filter((c) => c.bodies.includes(1));
    assert.ok(under.length >= 3, "a block stands on three points or more");
    const weight = 0.4 * 0.4 * 0.2 * 1000 * 10;
    assert.ok(Math.abs(under.reduce((s, c) => s + c.impulse, 0) / 1e-3 / weight - 1) < 1e-3);
    const box = await page.locator("#canvas").boundingBox(), pick = under[under.length - 1];
    const at = await page.evaluate((i) => window.moraine.probe.placeOfContact(i), pick.i);
    await page.mouse.click(box.x + at[0], box.y + at[1]);
    assert.match(await page.textContent("#selection h2"), /^Contact \d+/);
    assert.match(await page.textContent('#selection dd[data-name="bodies"]'), /block/);
    assert.match(await page.textContent('#selection dd[data-name="bodies"]'), /table/);
    assert.match(await page.textContent('#selection dd[data-name="normal force"]'), / k?N$/);
    // On to a body by its button.
    await page.click('#selection .actions button:has-text("block")');
    assert.match(await page.textContent("#selection h2"), /^block/);
    assert.match(await page.textContent('#selection dd[data-name="mass"]'), /^32 kg$/);
});

test("plots follow the time, and a click on a plot moves it", async () => {
    const page = await reset(pages.falling);
    await page.setViewportSize({ width: 900, height: 1200 });
    await page.waitForFunction(() => document.querySelector('.plot[data-quantity="energy"]')?.dataset.row);
    const line = () => page.evaluate(() => new DOMMatrix(getComputedStyle(document.querySelector('.plot[data-quantity="energy"] .now')).transform).e);
    await seek(page, 5);
    const atRow = (n) => page.waitForFunction((i) => Number(document.querySelector('.plot[data-quantity="energy"]').dataset.row) === i, n);
    await atRow(49); // rows are steps 1, 2, ...
    const x5 = await line();
    await seek(page, 15);
    await atRow(149);
    assert.ok((await line()) > 2 * x5);
    const over = await page.locator('.plot[data-quantity="energy"] .u-over').boundingBox();
    await page.mouse.click(over.x + over.width / 2, over.y + over.height / 2);
    await page.waitForFunction(() => window.moraine.probe.frame().index === 10);
    // Kinetic energy of twelve discs: sum m v2 / 2 + J w2 / 2, with v = 0.1 i - 1.
    let energy = 0;
    for (let i = 0; i < 12; i++) {
        const m = (i % 2 ? 2500 : 900) * Math.PI * 0.01;
        energy += 0.5 * m * (0.1 * i - 1) ** 2 + 0.25 * m * 0.01 * i * i;
    }
    const shown = await page.textContent('.plot[data-quantity="energy"] output');
    assert.ok(Math.abs(parseFloat(shown) - energy) < 1, `${shown} and ${energy}`);
    // Every other column of the step table can be added.
    const options = await page.locator("#plot-add option").allTextContents();
    assert.ok(options.includes("Max speed") && options.includes("Dissipated energy"), options.join());
    await page.selectOption("#plot-add", { label: "Max speed" });
    assert.equal(await page.locator('.plot[data-quantity="max_speed"]').count(), 1);
    await page.setViewportSize({ width: 900, height: 560 });
});

test("colours say what the legend says", async () => {
    const page = await reset(pages.falling, "color=speed&theme=light");
    const slow = await page.evaluate(() => window.moraine.probe.place(1)), fast = await page.evaluate(() => window.moraine.probe.place(12));
    let picture = await pixels(page);
    const brightness = (c) => c[0] + c[1] + c[2];
    assert.ok(brightness(picture.at(slow[0], slow[1] + 5)) > brightness(picture.at(fast[0], fast[1] + 5)) + 150, "fast is dark on light paper");
    assert.match(await page.textContent("#legend"), /speed, m\/s0.*1\.5$/); // 1.1 m/s, rounded up
    await page.click('#colors button[value="material"]');
    picture = await pixels(page);
    const ice = picture.at(...slow), rock = picture.at(fast[0] - 4, fast[1] + 5);
    assert.ok(Math.hypot(...ice.map((x, k) => x - rock[k])) > 30, `${ice} and ${rock}`);
    assert.match(await page.textContent("#legend"), /icerock/);
    await page.click("#theme");
    assert.ok(brightness((await pixels(page)).at(450, 30)) < 150, "dark paper");
});

test("a section shows only what lies behind it", async () => {
    const page = await reset(pages.shapes);
    await page.evaluate(() => (document.getElementById("section-box").open = true));
    await page.click('#section-axis button[value="0"]');
    await page.fill("#section-at", "0.35");
    const seen = await visible(page);
    assert.ok(seen.get(1) > 50 && seen.get(2) > 50, "block and ball are there");
    for (const body of [3, 4, 5]) assert.ok(!seen.has(body), `body ${body} is cut away`);
    await page.check("#section-flip");
    const other = await visible(page);
    assert.ok(!other.has(1) && other.get(5) > 50);
});

test("keys and buttons play, step and help", async () => {
    const page = await reset(pages.falling);
    const index = () => page.evaluate(() => window.moraine.probe.player.index);
    await page.focus("#canvas");
    await page.keyboard.press("ArrowRight");
    assert.equal(await index(), 1);
    await page.keyboard.press("Shift+ArrowRight");
    assert.equal(await index(), 11);
    await page.keyboard.press("End");
    assert.equal(await index(), 20);
    await page.keyboard.press("Home");
    assert.equal(await index(), 0);
    await page.keyboard.press(" ");
    await page.waitForFunction(() => window.moraine.probe.player.index > 2);
    assert.equal(await page.getAttribute("#play", "aria-label"), "Pause");
    await page.keyboard.press(" ");
    assert.equal(await page.getAttribute("#play", "aria-label"), "Play");
    await page.keyboard.press("?");
    assert.ok(await page.locator("#keys").isVisible());
    await page.keyboard.press("Escape");
    // Every control has a name that can be read out.
    const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas#canvas")].filter((e) => e.offsetParent !== null && !(e.ariaLabel || e.title || e.textContent.trim() || e.labels?.length)).map((e) => e.outerHTML));
    assert.deepEqual(nameless, []);
});

test("the address keeps frame, colour, selection and view", async () => {
    const page = await reset(pages.shapes);
    await seek(page, 3);
    await page.click('#colors button[value="material"]');
    await page.evaluate(() => window.moraine.select({ kind: "body", body: 2 }));
    await page.mouse.move(300, 300);
    await page.mouse.down();
    await page.mouse.move(380, 310, { steps: 3 });
    await page.mouse.up();
    const place = await page.evaluate(() => window.moraine.probe.place(2));
    // The address is written a moment after the last change.
    await page.waitForFunction(() => location.hash.slice(1) === window.moraine.address());
    const again = await openPage(browser, page.url());
    assert.equal(await again.evaluate(() => window.moraine.probe.frame().index), 3);
    assert.equal(await again.getAttribute('#colors button[value="material"]', "aria-checked"), "true");
    assert.match(await again.textContent("#selection h2"), /^ball/);
    const there = await again.evaluate(() => window.moraine.probe.place(2));
    assert.ok(Math.hypot(there[0] - place[0], there[1] - place[1]) < 1, `${there} and ${place}`);
    await again.close();
});

test("following a body keeps it where it is on the screen", async () => {
    const page = await reset(pages.falling, "body=12");
    await page.click('#selection button:has-text("Follow")');
    await page.waitForSelector('#selection button[aria-pressed="true"]');
    await page.evaluate(() => window.moraine.settled());
    const before = await page.evaluate(() => window.moraine.probe.place(12));
    await seek(page, 20);
    const afterwards = await page.evaluate(() => window.moraine.probe.place(12));
    assert.ok(Math.hypot(before[0] - afterwards[0], before[1] - afterwards[1]) < 0.5);
});

test("a picture and a film can be saved", async () => {
    const page = await reset(pages.falling, "frame=16");
    const [shot] = await Promise.all([page.waitForEvent("download"), page.click("#shot")]);
    assert.equal(shot.suggestedFilename(), "falling-0016.png");
    const png = readFileSync(await shot.path());
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    const [film] = await Promise.all([page.waitForEvent("download"), page.click("#film")]);
    assert.equal(film.suggestedFilename(), "falling.webm");
    const webm = readFileSync(await film.path());
    assert.equal(webm.readUInt32BE(0), 0x1a45dfa3); // EBML
    assert.ok(webm.length > 1000, `${webm.length} bytes`);
});

test("tracks lead from the first frame to the shown one", async () => {
    const page = await reset(pages.falling, "frame=20&color=plain");
    const plain = await pixels(page);
    await page.keyboard.press("t");
    const at = await page.evaluate(() => window.moraine.probe.place(1));
    // disc-0 fell 20 cm: its path shows above it, where there was only paper.
    const scale = await page.evaluate(() => window.moraine.probe.stage.metresPerPixel), y = at[1] - 0.15 / scale;
    await page.evaluate(() => window.moraine.settled()); // frames come one by one
    const tracks = await pixels(page);
    const difference = Math.max(...[-2, -1, 0, 1, 2].map((dx) => Math.hypot(...tracks.at(at[0] + dx, y).map((v, k) => v - plain.at(at[0] + dx, y)[k]))));
    assert.ok(difference > 25, String(difference));
});

test("films are recorded as MP4 where the browser can", async () => {
    const page = await reset(pages.falling, "frame=18");
    if (!(await page.evaluate(() => MediaRecorder.isTypeSupported("video/mp4")))) return;
    const [film] = await Promise.all([page.waitForEvent("download"), page.click("#film", { modifiers: ["Shift"] })]);
    assert.equal(film.suggestedFilename(), "falling.mp4");
    assert.equal(readFileSync(await film.path()).subarray(4, 8).toString(), "ftyp");
});

test("bodies that are born while one looks are drawn as soon as a frame has them", async () => {
    // The page gets the model of a run of two discs, and then frames with three.
    const discs = (n) => `title: Discs\ndimension: 2\ntime: {step: 1 ms, end: 4 ms, output: 1 ms}\nmaterials: [{name: ice, density: 900 kg/m2}]\nbodies:\n${Array.from({ length: n }, (_, i) => `  - {name: disc-${i}, shape: {disc: 10 cm}, position: [${0.3 * i} m, 0]}`).join("\n")}\n`;
    const [two, three] = await Promise.all([view(makeRun("two", discs(2))), view(makeRun("three", discs(3)))]);
    const page = await browser.newPage({ viewport: { width: 900, height: 560 } });
    let asked = 0;
    await page.route(`${three.url}model`, async (route) => {
        if (asked++) return route.continue();
        const old = await fetch(`${two.url}model`);
        await route.fulfill({ body: Buffer.from(await old.arrayBuffer()), contentType: "application/octet-stream" });
    });
    await page.goto(three.url);
    await page.waitForFunction(() => window.moraine?.ready && window.moraine.probe.model().bodies === 3 && window.moraine.probe.frame(), null, { timeout: PATIENCE });
    await page.click("#fit");
    await page.waitForFunction(() => window.moraine.probe.visible().filter(([body]) => body >= 0 && body < 3).length === 3, null, { timeout: PATIENCE });
    assert.match(await page.textContent("#facts"), /bodies3 in 2D/);
    assert.equal(asked, 2);
    await page.close();
    assert.equal(await stop(two), 0);
    assert.equal(await stop(three), 0);
});

test("moraine plot draws with the viewer what the viewer shows", async () => {
    const file = inFolder("shapes.png");
    const drawn = spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "viewer", "--width", "600", "--height", "400", "--color-by", "birth", "-o", file], { encoding: "utf8" });
    assert.equal(drawn.status, 0, drawn.stderr);
    const picture = await pixelsOf(pages.falling, readFileSync(file));
    assert.deepEqual([picture.width, picture.height], [600, 400]);
    // The bodies stand in the middle of the picture, and the paper is light.
    assert.ok(picture.count([0.05, 0.2, 0.95, 0.9], isColorful) > 0.02 * 600 * 400);
    assert.ok(Math.min(...picture.at(300, 3)) > 200);
    const few = spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "viewer", "--width", "300", "--colors", "32", "--dark", "-o", file], { encoding: "utf8" });
    assert.equal(few.status, 0, few.stderr);
    assert.equal(readFileSync(file)[25], 3, "a palette");
    assert.ok(Math.max(...(await pixelsOf(pages.falling, readFileSync(file))).at(150, 3)) < 90, "dark paper");
    const none = spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "viewer", "-o", file], { encoding: "utf8", env: { ...process.env, MORAINE_BROWSER: "no-such-browser" } });
    assert.equal(none.status, 1);
    assert.match(none.stderr, /no browser to draw with/);
    const broken = spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "viewer", "-o", file], { encoding: "utf8", env: { ...process.env, MORAINE_BROWSER: "/bin/false" } });
    assert.equal(broken.status, 1);
    assert.match(broken.stderr, /the browser ended/);
    assert.equal(spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "viewer", "-o", inFolder("x.svg")]).status, 1);
    assert.equal(spawnSync(command, ["plot", files.shapes, "picture", "--renderer", "brush"]).status, 2);
});

test("Ctrl-C ends the server with success", async () => {
    assert.equal(await stop(servers.shapes), 0);
    const json = await serve(["view", files.shapes, "--no-open", "--json"]);
    assert.equal(await stop(json), 0);
    assert.equal(JSON.parse(json.printed).url, json.url);
});
