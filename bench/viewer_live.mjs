#!/usr/bin/env node
// Does someone who looks slow the run down?  node bench/viewer_live.mjs [--rounds N] [--bodies N] [--seconds S] [--moraine PATH] [--modules PATH] [--chromium PATH]
//
// One scene is run alone and with `--view`: nobody looking, a page that follows, a page that plays from the start again and
// again, a paused page, a hidden client that asks for frames and never reads the answers, and a viewer process that stands
// still. Times are those of the process that computes, read from /proc when its last step is done: processor time, and
// wall time of the run. Rounds are interleaved; the table gives medians, and what they are over the run alone.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const options = { rounds: "5", bodies: "300", seconds: "6", moraine: "build/moraine", modules: "build/viewer/node_modules", chromium: "/usr/bin/chromium" };
for (let i = 2; i < process.argv.length; i += 2) {
    const name = process.argv[i].replace(/^--/, "");
    if (!(name in options)) {
        console.error(`viewer_live: unknown option ${process.argv[i]}`);
        process.exit(2);
    }
    options[name] = process.argv[i + 1];
}
const { chromium } = createRequire(path.resolve(options.modules, "x.js"))("playwright-core");
const folder = mkdtempSync(path.join(tmpdir(), "moraine-live-"));
const scene = path.join(folder, "scene.yaml"), file = path.join(folder, "run.h5");
writeFileSync(scene, `dimension: 2
gravity: 0 -9.81 m/s2
time: {step: 1 ms, end: ${options.seconds} s, output: 10 ms}
solver: {tolerance: 1e-3}
materials: [{name: grain, density: 2000 kg/m2}]
laws: [{friction: 0.4}]
generate:
  - {name: box, container: {low: [0, 0], high: [1.2 m, 5 m]}}
  - name: grain
    seed: 4
    fill: {count: ${options.bodies}, radius: {uniform: {low: 2 cm, high: 3 cm}}, region: {box: {low: [0, 0], high: [1.2 m, 5 m]}}}
`);

/** Seconds of processor time of a process, all threads, without its children. */
function processorTime(pid) {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").replace(/^.*\) /, "").split(" ");
    return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** A client that asks again and again and takes no answer. */
function stall(url) {
    const { port, pathname } = new URL(url), sockets = [];
    for (let i = 0; i < 8; i++) {
        const socket = net.connect({ port: Number(port), host: "127.0.0.1" }, () => {
            socket.pause();
            for (let k = 0; k < 50; k++) socket.write(`GET ${pathname}frame?index=0 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
        });
        socket.on("error", () => {});
        sockets.push(socket);
    }
    return () => sockets.forEach((s) => s.destroy());
}

const childOf = (pid) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0]);

async function run(mode, browser) {
    const looks = mode !== "alone";
    const start = process.hrtime.bigint();
    const child = spawn(options.moraine, ["run", scene, "-o", file, "--force", "--json", ...(looks ? ["--view", "--no-open"] : [])], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "", printed = "", wall = 0, cpu = 0, undo = () => {}, page = null, following = Promise.resolve();
    const ended = new Promise((done) => child.on("exit", done));
    child.stdout.on("data", (d) => (printed += d));
    const over = new Promise((done) => {
        // Alone, the last numbers before the process goes are those of the run.
        const timer = looks ? null : setInterval(() => {
            try {
                const now = processorTime(child.pid);
                if (now) cpu = now;
            } catch {
                // gone
            }
        }, 5);
        child.stderr.on("data", (d) => {
            said += d;
            if (!/viewer stays open/.test(said)) return;
            wall = Number(process.hrtime.bigint() - start) / 1e9;
            cpu = processorTime(child.pid);
            done();
        });
        child.on("exit", () => {
            if (timer) clearInterval(timer);
            if (!looks) wall = Number(process.hrtime.bigint() - start) / 1e9;
            done();
        });
    });
    if (looks) {
        while (!/http:\S+\//.test(said)) await new Promise((r) => setTimeout(r, 5));
        const url = said.match(/http:\S+\//)[0];
        if (mode === "stalled client") undo = stall(url);
        if (mode === "viewer stopped") process.kill(childOf(child.pid), "SIGSTOP");
        if (mode.includes("page")) {
            page = await browser.newPage({ viewport: { width: 900, height: 560 } });
            following = page.goto(url).then(() => page.waitForFunction(() => window.moraine?.ready && window.moraine.probe.frame(), null, { timeout: 60000 })).then(async () => {
                if (mode === "page paused") await page.keyboard.press("Home");
                if (mode === "page playing") await page.evaluate(() => ((window.moraine.player.loop = true), window.moraine.player.seek(0), window.moraine.playPause()));
            }).catch(() => {});
        }
    }
    await over;
    await following;
    undo();
    if (mode === "viewer stopped") process.kill(childOf(child.pid), "SIGCONT");
    if (looks) child.kill("SIGINT");
    await page?.close();
    await ended;
    const numbers = printed ? JSON.parse(printed) : {};
    return { wall: numbers.wall_seconds ?? wall, cpu };
}

const modes = ["alone", "nobody looks", "page follows", "page playing", "page paused", "stalled client", "viewer stopped"];
const results = new Map(modes.map((m) => [m, []]));
const browser = await chromium.launch({ executablePath: options.chromium, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"] });
try {
    for (let round = 0; round < Number(options.rounds); round++) for (const mode of modes) results.get(mode).push(await run(mode, browser));
} finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const of = (mode, what) => median(results.get(mode).map((r) => r[what]));
console.log("                  processor s    over alone    wall s    over alone");
for (const mode of modes) console.log(`${mode.padEnd(16)}  ${of(mode, "cpu").toFixed(2).padStart(11)}  ${((100 * of(mode, "cpu")) / of("alone", "cpu") - 100).toFixed(1).padStart(10)} %  ${of(mode, "wall").toFixed(2).padStart(8)}  ${((100 * of(mode, "wall")) / of("alone", "wall") - 100).toFixed(1).padStart(10)} %`);
