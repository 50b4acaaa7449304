// The server behind the page: who may ask for what, and runs that are empty, broken, growing or replaced.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { command, inFolder, makeRun, needBrowser, openBrowser, openPage, seek, serve, stop, stopAll, view, visible } from "./tools.mjs";

needBrowser();

const pile = (end, bodies = 40) => `
title: A pile
dimension: 2
gravity: 0 -9.81 m/s2
time: {step: 1 ms, end: ${end} s, output: 20 ms}
materials: [{name: grain, density: 2000 kg/m2}]
laws: [{friction: 0.4}]
bodies:
  - {name: ground, kind: fixed, shape: {half_plane: 0 1}}
generate:
  - name: grain
    material: grain
    seed: 4
    fill: {count: ${bodies}, radius: {uniform: {low: 4 cm, high: 6 cm}}, region: {box: {low: [0, 0.1 m], high: [1.2 m, 3 m]}}}
`;

let browser, file, server;
before(async () => {
    file = makeRun("pile", pile(0.3));
    [browser, server] = await Promise.all([openBrowser(), view(file)]);
});
after(async () => {
    await browser?.close();
    stopAll();
});

const mrnInfo = (name) => JSON.parse(spawnSync(command, ["info", inFolder(name), "--json"], { encoding: "utf8" }).stdout);

/** A request as it is written, without the tidying that fetch does to paths. */
function ask(url, path, { method = "GET", headers = {} } = {}) {
    const { hostname, port } = new URL(url);
    return new Promise((done, fail) => {
        const request = http.request({ hostname, port, path, method, headers }, (response) => {
            const parts = [];
            response.on("data", (d) => parts.push(d));
            response.on("end", () => done({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts) }));
        });
        request.on("error", fail);
        request.end();
    });
}

test("without the key of this run nothing is answered", async () => {
    const key = new URL(server.url).pathname.slice(1, -1);
    for (const path of ["/", "/model", `/${"0".repeat(32)}/`, `/${key.slice(0, 31)}/`, `/${key}`, `/${key}0/`, `/${key.toUpperCase().replace(/^./, "x")}/`]) {
        const reply = await ask(server.url, path);
        assert.equal(reply.status, 403, path);
        assert.ok(!reply.body.toString().includes(key), path);
    }
    assert.equal((await ask(server.url, `/${key}/`)).status, 200);
});

test("no path leads out of the run", async () => {
    const { pathname } = new URL(server.url);
    for (const path of ["../etc/passwd", "../../../../etc/passwd", "..%2f..%2fetc%2fpasswd", "%2e%2e/%2e%2e/etc/passwd", "/etc/passwd", ".", "..", "index.html/../viewer.js", "pile.h5", "frame/../model"]) {
        const reply = await ask(server.url, pathname + path);
        assert.ok(reply.status === 404 || reply.status === 403, `${path}: ${reply.status}`);
        assert.ok(!reply.body.includes("root:"), path);
    }
});

test("a page of another site that names itself as the host is refused", async () => {
    const { pathname } = new URL(server.url);
    for (const host of ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80"]) assert.equal((await ask(server.url, pathname, { headers: { Host: host } })).status, 403, host);
    for (const host of ["localhost", "localhost:9999", "127.0.0.1:1"]) assert.equal((await ask(server.url, pathname, { headers: { Host: host } })).status, 200, host);
});

test("answers carry the headers that keep other sites out, and only GET is answered", async () => {
    const { pathname } = new URL(server.url);
    for (const name of ["", "viewer.js", "model", "status", "nothing"]) {
        const { headers } = await ask(server.url, pathname + name, { headers: { Origin: "https://evil.example" } });
        assert.match(headers["content-security-policy"], /default-src 'none'.*script-src 'self'.*frame-ancestors 'none'/);
        assert.equal(headers["x-content-type-options"], "nosniff");
        assert.equal(headers["cross-origin-resource-policy"], "same-origin");
        assert.equal(headers["referrer-policy"], "no-referrer");
        assert.equal(headers["cache-control"], "no-store");
        assert.equal(headers["access-control-allow-origin"], undefined);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"]) assert.equal((await ask(server.url, pathname + "model", { method })).status, 405);
});

test("wrong numbers in a query are refused, frames that are not there are not found", async () => {
    const { pathname } = new URL(server.url);
    for (const query of ["frame?index=-1", "frame?index=x", "frame?index=1e3", "frame?index=", "frame?index=99999999999999999999", "steps?first=a", "steps?most=-4", "times?first=0x1"])
        assert.equal((await ask(server.url, pathname + query)).status, 400, query);
    assert.equal((await ask(server.url, pathname + "frame?index=999999")).status, 404);
    assert.equal((await ask(server.url, pathname + "times?first=999999")).status, 200); // nothing new yet
    assert.equal((await ask(server.url, pathname + "steps?first=999999")).status, 200);
});

/** A pack of the server: see src/view/pack.h. */
function unpack(body) {
    const length = body.readUInt32LE(8), head = JSON.parse(body.subarray(16, 16 + length)), arrays = {};
    for (const [name, type, offset, count] of head.arrays) {
        const at = 16 + length + offset;
        arrays[name] = Array.from({ length: count }, (_, i) => (type === "f64" ? body.readDoubleLE(at + 8 * i) : type === "f32" ? body.readFloatLE(at + 4 * i) : type === "i32" ? body.readInt32LE(at + 4 * i) : body[at + i]));
    }
    return { head, arrays };
}

test("a long step table is thinned without losing its peaks", async () => {
    const { pathname } = new URL(server.url);
    const all = unpack((await ask(server.url, pathname + "steps?most=100000")).body), few = unpack((await ask(server.url, pathname + "steps?most=20")).body);
    assert.equal(all.head.stride, 1);
    assert.equal(all.arrays.time.length, 300);
    assert.ok(few.arrays.time.length <= 20 && few.head.stride > 1);
    for (const name of ["residual", "kinetic_energy", "contacts", "max_speed"]) {
        assert.equal(Math.max(...few.arrays[name]), Math.max(...all.arrays[name]), name);
        assert.equal(Math.min(...few.arrays[name]), Math.min(...all.arrays[name]), name);
    }
    const part = unpack((await ask(server.url, pathname + "steps?first=290")).body);
    assert.deepEqual(part.arrays.kinetic_energy, all.arrays.kinetic_energy.slice(290));
});

test("wind and current come as the scene gives them, and a periodic plane is told and repeated", async () => {
    const scene = `
title: Floes
dimension: 2
time: {scheme: event-driven, step: 10 s, end: 1 min, output: 20 s}
domain: {kind: periodic, low: [-3 km, -2 km], high: [3 km, 2 km]}
materials: [{name: ice, density: 900 kg/m2}]
bodies:
  - {name: west, material: ice, shape: {regular: {sides: 6, radius: 300 m}}, position: [-2 km, 0]}
  - {name: east, material: ice, shape: {regular: {sides: 6, radius: 300 m}}, position: [2 km, 0.5 km]}
environment:
  wind: {vortex: {centre: 0 0 m, speed: 10 m/s, radius: 1 km}}
  current: {velocity: 0.2 -0.1 m/s}
`;
    const floes = await view(makeRun("floes", scene)), { pathname } = new URL(floes.url);
    const { head } = unpack((await ask(floes.url, pathname + "model")).body);
    assert.deepEqual(head.environment.flows.map((f) => f.name), ["wind", "current"]);
    assert.deepEqual(head.periodic.high.map((x, k) => x - head.periodic.low[k]), [6000, 4000]);
    // Points at the middle of four cells of a box of 4 km: 1 km from the centre each way, where a vortex of radius 1 km has 10 / sqrt(2) m/s.
    const box = `x0=${-2000 - head.origin[0]}&y0=${-2000 - head.origin[1]}&x1=${2000 - head.origin[0]}&y1=${2000 - head.origin[1]}`;
    const { arrays } = unpack((await ask(floes.url, `${pathname}flow?time=0&${box}&columns=2&rows=2`)).body);
    [-1, -1, 1, -1, -1, 1, 1, 1].forEach((_, i, at) => {
        const point = i >> 1, expected = i % 2 ? at[2 * point] * 5 : -at[2 * point + 1] * 5; // (-y, x) 5 m/s
        assert.ok(Math.abs(arrays.wind[i] - expected) < 1e-4, `${arrays.wind}`);
        assert.ok(Math.abs(arrays.current[i] - (i % 2 ? -0.1 : 0.2)) < 1e-6);
    });
    for (const query of ["flow", "flow?time=0", `flow?time=x&${box}`, `flow?time=0&${box}&columns=0`, `flow?time=0&${box}&rows=1000`, `flow?time=inf&${box}`]) assert.equal((await ask(floes.url, pathname + query)).status, 400, query);
    assert.equal((await ask(server.url, new URL(server.url).pathname + `flow?time=0&${box}`)).status, 404);
    const page = await openPage(browser, floes.url);
    assert.match(await page.textContent("#legend"), /wind, up to 10 m\/scurrent, up to 0\.224 m\/s/);
    assert.equal(await page.evaluate(() => window.moraine.probe.stage.images.length), 9);
    await page.waitForFunction(() => window.moraine.arrows.mesh.visible);
    assert.deepEqual(page.complaints, []);
    await page.close();
    assert.equal(await stop(floes), 0);
});

test("a port that is taken, and a file that is no run, are refused with a message", () => {
    const taken = spawnSync(command, ["view", file, "--no-open", "--port", new URL(server.url).port], { encoding: "utf8" });
    assert.equal(taken.status, 1);
    assert.match(taken.stderr, /cannot listen on port \d+/);
    writeFileSync(inFolder("text.h5"), "no run");
    const text = spawnSync(command, ["view", inFolder("text.h5"), "--no-open"], { encoding: "utf8" });
    assert.equal(text.status, 1);
    assert.match(text.stderr, /text\.h5: not a run file/);
    assert.equal(spawnSync(command, ["view", inFolder("missing.h5"), "--no-open"]).status, 1);
    assert.equal(spawnSync(command, ["view", file, "--port", "70000"]).status, 2);
});

test("a run that has made no step shows its first frame", async () => {
    const empty = await view(makeRun("empty", pile(0.3), "--until", "0"));
    const page = await openPage(browser, empty.url);
    assert.equal(await page.textContent("#where"), "1 / 1");
    assert.equal((await visible(page)).size, 41);
    await page.keyboard.press(" "); // nothing to play
    assert.equal(await page.evaluate(() => window.moraine.probe.player.playing), false);
    assert.deepEqual(page.complaints, []);
    await page.close();
    assert.equal(await stop(empty), 0);
});

test("a run in which nothing can move is shown", async () => {
    const scene = "title: Nothing\ndimension: 3\ntime: {step: 1 ms, end: 10 ms, output: 5 ms}\nmaterials: [{name: rock}]\nbodies: [{name: floor, kind: fixed, shape: {plane: 0 0 1}}]\n";
    const nothing = await view(makeRun("nothing", scene));
    const page = await openPage(browser, nothing.url);
    assert.deepEqual([...(await visible(page)).keys()], [0]);
    assert.deepEqual(page.complaints, []);
    await page.close();
    assert.equal(await stop(nothing), 0);
});

test("a truncated run is refused with a message, or shows what is whole", async () => {
    const size = readFileSync(file).length;
    for (const share of [0.02, 0.3, 0.6, 0.95]) {
        const cut = inFolder(`cut-${share}.h5`);
        copyFileSync(file, cut);
        truncateSync(cut, Math.floor(share * size));
        const result = spawnSync(command, ["view", cut, "--no-open", "--port", new URL(server.url).port], { encoding: "utf8" });
        assert.equal(result.status, 1);
        // The port is taken, so a file that opens gets that far.
        assert.match(result.stderr, /damaged or incomplete run file|not a run file|damaged run file|cannot listen/);
    }
});

test("a damaged frame is named, and the others can still be seen", async () => {
    const broken = inFolder("broken.h5"), bytes = readFileSync(file);
    // Turn bytes behind the head of the file until the file opens and some frame does not.
    let found = null;
    for (let share = 0.1; share < 0.97 && !found; share += 0.01) {
        const copy = Buffer.from(bytes), at = Math.floor(share * bytes.length);
        for (let i = 0; i < 64; i++) copy[at + i] ^= 0x5a;
        writeFileSync(broken, copy);
        let trial;
        try {
            trial = await view(broken);
        } catch {
            continue; // refused at once
        }
        const { pathname } = new URL(trial.url), codes = [];
        for (let i = 0; i < 16; i++) codes.push((await ask(trial.url, `${pathname}frame?index=${i}`)).status);
        if (codes.includes(500) && codes.includes(200)) found = { trial, codes };
        else await stop(trial);
    }
    assert.ok(found, "no damage of one frame found");
    const good = found.codes.indexOf(200), bad = found.codes.indexOf(500);
    const page = await openPage(browser, found.trial.url, { hash: `#frame=${bad}`, shows: false });
    await page.waitForFunction(() => /damaged run file/.test(document.getElementById("message").textContent));
    if (await page.evaluate(() => window.moraine.ready)) {
        await seek(page, good);
        await page.waitForFunction(() => document.getElementById("message").hidden);
        assert.equal((await visible(page)).size, 41);
    }
    await page.close();
    assert.equal(await stop(found.trial), 0);
});

test("a run that is being written is followed to its end, and the viewer stays until Ctrl-C", async () => {
    writeFileSync(inFolder("live.yaml"), pile(3, 60));
    const live = await serve(["run", inFolder("live.yaml"), "-o", inFolder("live.h5"), "--view", "--no-open", "--quiet", "--set", "solver.tolerance=1e-3"]);
    live.child.kill("SIGSTOP"); // the run stands still, the viewer is another process
    const page = await openPage(browser, live.url, { shows: false });
    await page.waitForFunction(() => window.moraine?.ready || /Waiting for the run to start/.test(document.getElementById("message").textContent));
    live.child.kill("SIGCONT");
    await page.waitForFunction(() => window.moraine.ready && window.moraine.probe.frame());
    // It shows the newest frame until it has the last one.
    await page.waitForFunction(() => window.moraine.probe.player.count === 151 && window.moraine.probe.frame().index === 150, null);
    await page.waitForFunction(() => document.getElementById("badge").hidden);
    await page.waitForFunction(() => /steps3000/.test(document.getElementById("facts").textContent));
    await page.click("#fit"); // grains may have rolled out of the first view
    await page.waitForFunction(() => window.moraine.probe.visible().length === 61);
    assert.equal(live.child.exitCode, null);
    assert.deepEqual(page.complaints, []);
    await page.close();
    const code = await stop(live);
    assert.ok(code === 0 || code === 3, String(code));
});

test("someone who looks at an earlier frame of a growing run is left there, and Ctrl-C stops run and viewer", async () => {
    writeFileSync(inFolder("long.yaml"), pile(100000, 30));
    const live = await serve(["run", inFolder("long.yaml"), "-o", inFolder("long.h5"), "--view", "--no-open", "--quiet", "--set", "solver.tolerance=1e-3"]);
    const page = await openPage(browser, live.url);
    assert.match(await page.textContent("#badge"), /^live/);
    await page.focus("#canvas");
    await page.keyboard.press("Home");
    const before = await page.evaluate(() => window.moraine.probe.player.count);
    await page.waitForFunction((n) => window.moraine.probe.player.count > n, before);
    assert.equal(await page.evaluate(() => window.moraine.probe.frame().index), 0);
    await page.keyboard.press("End");
    const then = await page.evaluate(() => window.moraine.probe.player.count);
    await page.waitForFunction((n) => window.moraine.probe.player.count > n && window.moraine.probe.frame().index >= n, then);
    assert.equal(await stop(live), "SIGINT"); // as a shell wants it
    await assert.rejects(ask(live.url, new URL(live.url).pathname), "the viewer has ended too");
    await page.close();
});

/** Wait for what a process says on standard error. */
async function hears(server, pattern) {
    while (!pattern.test(server.said)) await new Promise((r) => setTimeout(r, 20));
}

test("clients that never read their answers, and a viewer that stands still, do not hold up the run", async () => {
    writeFileSync(inFolder("watched.yaml"), pile(1, 60));
    const live = await serve(["run", inFolder("watched.yaml"), "-o", inFolder("watched.h5"), "--view", "--no-open", "--set", "solver.tolerance=1e-3"]);
    const { port, pathname } = new URL(live.url);
    // More clients than the server takes, each with more answers on their way than sockets hold.
    const sockets = Array.from({ length: 80 }, () => {
        const socket = net.connect({ port: Number(port), host: "127.0.0.1" }, () => {
            socket.pause();
            socket.write(`GET ${pathname}viewer.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`.repeat(50));
        });
        return socket.on("error", () => {});
    });
    await hears(live, /The viewer stays open/); // said when the last step is done
    assert.ok(Math.abs(mrnInfo("watched.h5").time - 1) < 1e-9);
    for (const socket of sockets) socket.destroy();
    const code = await stop(live);
    assert.ok(code === 0 || code === 3, String(code));

    const still = await serve(["run", inFolder("watched.yaml"), "-o", inFolder("watched.h5"), "--force", "--view", "--no-open", "--set", "solver.tolerance=1e-3"]);
    // Not before the run has begun: until then it waits to hear that the viewer can serve.
    const { pathname: stillPath } = new URL(still.url);
    while (JSON.parse((await ask(still.url, stillPath + "status")).body).message) await new Promise((r) => setTimeout(r, 20));
    const viewer = Number(readFileSync(`/proc/${still.child.pid}/task/${still.child.pid}/children`, "utf8").trim());
    process.kill(viewer, "SIGSTOP");
    await hears(still, /The viewer stays open/);
    assert.ok(Math.abs(mrnInfo("watched.h5").time - 1) < 1e-9);
    process.kill(viewer, "SIGCONT");
    await stop(still);
});

test("a new run in the place of an old one is shown instead", async () => {
    const place = makeRun("replaced", pile(0.1));
    const watching = await view(place), { pathname } = new URL(watching.url);
    const status = async () => JSON.parse((await ask(watching.url, pathname + "status")).body);
    assert.equal((await status()).frames, 6);
    makeRun("replaced", pile(0.2, 10));
    const now = await status();
    assert.equal(now.generation, 2);
    assert.equal(now.frames, 11);
    assert.equal(unpack((await ask(watching.url, pathname + "model")).body).head.bodies, 11);
    assert.equal(await stop(watching), 0);
});
