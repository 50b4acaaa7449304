#!/usr/bin/env node
// Does someone who looks slow the run down?  node bench/viewer_live.mjs [--rounds N] [--bodies N] [--seconds S] [--modes "alone,page paused"] [--moraine PATH] [--modules PATH] [--chromium PATH]
//
// One scene is run alone and with `--view`: nobody looking, a page that follows, a page that plays from the start again and
// again, a paused page, a client that asks for frames and never reads the answers, and a viewer process that stands
// still. Pages are open before the run begins. Times are those that the run gives for itself: processor time of the process
// that computes, and wall time.
//
// Runs alternate, alone, with someone who looks, alone, and so on, and each is compared with the mean of its two neighbours:
// what others do on the machine changes more slowly. The table gives the median of the ratios, the middle half of them,
// and between which two of them the true median lies with 95 % probability.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const options = { rounds: "12", bodies: "250", seconds: "6", modes: "", moraine: "build/moraine", modules: "build/viewer/node_modules", chromium: "/usr/bin/chromium" };
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

const finished = (child) => new Promise((done) => child.on("exit", done));
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

async function run(mode, browser) {
    const looks = mode !== "alone";
    const child = spawn(options.moraine, ["run", scene, "-o", file, "--force", "--json", "--threads", "1", ...(looks ? ["--view", "--no-open"] : [])], { stdio: ["ignore", "pipe", "pipe"] });
    let said = "", printed = "", undo = () => {}, page = null, following = Promise.resolve(), seen = "";
    const ended = finished(child);
    child.stdout.on("data", (d) => (printed += d));
    let heard = () => {};
    child.stderr.on("data", (d) => ((said += d), heard()));
    // Nothing here looks at a clock again and again while the run computes: that would cost it time.
    const says = (what) => new Promise((done) => ((heard = () => (what.test(said) || child.exitCode !== null) && done()), child.on("exit", done), heard()));
    if (looks) {
        await says(/http:\S+\//);
        const url = said.match(/http:\S+\//)[0];
        if (mode === "stalled client") undo = stall(url);
        if (mode === "viewer stopped") {
            // Not before the run has begun: until then it waits to hear that the viewer can serve.
            while ((await (await fetch(url + "status")).json()).message) await pause(5);
            const viewer = childOf(child.pid);
            process.kill(viewer, "SIGSTOP");
            undo = () => process.kill(viewer, "SIGCONT");
        }
        if (mode.includes("page")) {
            process.kill(child.pid, "SIGSTOP"); // the run stands still until the page is there; the viewer is another process
            page = await browser.newPage({ viewport: { width: 900, height: 560 } });
            await page.goto(url);
            process.kill(child.pid, "SIGCONT");
            following = page.waitForFunction(() => window.moraine?.ready && window.moraine.probe.frame(), null, { timeout: 60000 }).then(async () => {
                if (mode === "page paused") await page.keyboard.press("Home");
                if (mode === "page playing") await page.evaluate(() => ((window.moraine.player.loop = true), window.moraine.player.seek(0), window.moraine.playPause()));
                if (!/stays open/.test(said)) seen = " (page was there)";
            }).catch(() => {});
        }
        await says(/viewer stays open/);
    }
    await following;
    undo();
    if (looks) child.kill("SIGINT");
    await page?.close();
    await ended;
    const numbers = JSON.parse(printed);
    return { wall: numbers.wall_seconds, cpu: numbers.cpu_seconds, seen };
}

const all = ["alone", "nobody looks", "page follows", "page playing", "page paused", "stalled client", "viewer stopped"];
const modes = options.modes ? all.filter((m) => m === "alone" || options.modes.split(",").includes(m)) : all;
const ratios = new Map(modes.filter((m) => m !== "alone").map((m) => [m, []]));
const browser = await chromium.launch({ executablePath: options.chromium, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"] });
let least = Infinity, most = 0;
try {
    let before = await run("alone", browser);
    for (let round = 0; round < Number(options.rounds); round++) for (const mode of ratios.keys()) {
        const result = await run(mode, browser), after = await run("alone", browser);
        least = Math.min(least, after.cpu), most = Math.max(most, after.cpu);
        ratios.get(mode).push({ cpu: (2 * result.cpu) / (before.cpu + after.cpu), wall: (2 * result.wall) / (before.wall + after.wall) });
        console.error(`${mode}: ${result.cpu.toFixed(3)} s of processor time, alone ${before.cpu.toFixed(3)} and ${after.cpu.toFixed(3)} s${result.seen}`);
        before = after;
    }
} finally {
    await browser.close();
    rmSync(folder, { recursive: true, force: true });
}
/** Median, quartiles, and the order statistics that enclose the true median with 95 %. */
function spread(list) {
    list.sort((a, b) => a - b);
    const n = list.length, at = (share) => list[Math.min(n - 1, Math.max(0, Math.round(share * (n - 1))))], k = Math.floor(0.5 * (n - 1.96 * Math.sqrt(n)));
    return [at(0.5), at(0.25), at(0.75), list[Math.max(0, k)], list[Math.min(n - 1, n - 1 - k)]].map((x) => `${(100 * x - 100).toFixed(1)}`.padStart(6));
}
console.log(`alone: ${least.toFixed(2)} to ${most.toFixed(2)} s of processor time\nchange in %         processor time: median, middle half, median lies in      wall time`);
for (const [mode, list] of ratios) {
    const [m, a, b, low, high] = spread(list.map((r) => r.cpu)), [wall, c, d] = spread(list.map((r) => r.wall));
    // Runs with a page stood still while it opened.
    console.log(`${mode.padEnd(18)} ${m}   ${a} ..${b}   ${low} ..${high}      ${mode.includes("page") ? "" : `${wall}   ${c} ..${d}`}   (${list.length} runs)`);
}
