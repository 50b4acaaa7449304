#!/usr/bin/env node
// How many pictures per second the viewer draws, and what each costs: node bench/viewer_frames.mjs [OPTION VALUE]...
//
//   --bodies N,N,...     numbers of bodies, default 1000,10000,100000
//   --dimension 2,3      default both
//   --shape NAME         round (default), polygon (2D) or box (3D)
//   --ground             a ground under them: a plane in space, a half-plane in the plane
//   --seconds S          of each measurement, default 4
//   --size WxH           of the page, default 1280x800
//   --chromium PATH      default /usr/bin/chromium
//   --flags "..."        of Chromium, instead of --disable-gpu --enable-unsafe-swiftshader: what it does on a machine without a GPU,
//                        WebGL in software (SwiftShader) and a compositor in software. "--use-angle=swiftshader --enable-unsafe-swiftshader"
//                        does the compositing with SwiftShader too, which is dearer. On a machine with a GPU: "--use-angle=gl-egl" or
//                        "--use-angle=vulkan"; --enable-gpu --ignore-gpu-blocklist are added
//   --moraine PATH       default build/moraine; --modules PATH: node_modules with playwright-core, default build/viewer/node_modules
//   --keep FOLDER        keep runs there, and take those that are there
//   --shots FOLDER       leave a picture of each
//   --json               one object per line
//
// Two measurements: "turn" moves the eye a little for each picture (in the plane: shifts it), "play" shows another frame
// in each picture, all of them in memory. Pictures are asked for as fast as the browser gives them, one for each of its frames, whatever the
// screen could show. Those count that came to the screen: the compositor of the browser tells in its trace how often it has
// swapped, and that is the number of pictures where it is less than what the page has drawn. "cpu" is the processor time of all processes of
// the browser per picture: without a GPU that is the drawing itself, and on a machine that others use it says more than pictures
// per second. "js" is the time of the page's own thread per picture, for a new frame (poses, colours, textures) and for drawing
// it or for the commands that do, without waiting for the GPU: the least seen, and the median. "whole" is the median time until a picture has been
// drawn to the end, each waited for before the next: less than the time between two pictures, or they pile up in front of the GPU. "by" is who draws: the GPU, or the
// page itself and a renderer in software.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const options = { bodies: "1000,10000,100000", dimension: "2,3", shape: "round", ground: false, seconds: "4", size: "1280x800", chromium: "/usr/bin/chromium", flags: "", moraine: "build/moraine", modules: "build/viewer/node_modules", keep: "", shots: "", json: false };
for (let i = 2; i < process.argv.length; i++) {
    const name = process.argv[i].replace(/^--/, "");
    if (!(name in options)) {
        console.error(`viewer_frames: unknown option ${process.argv[i]}`);
        process.exit(2);
    }
    options[name] = options[name] === false ? true : process.argv[++i];
}
const { chromium } = createRequire(path.resolve(options.modules, "x.js"))("playwright-core");
const [width, height] = options.size.split("x").map(Number);
const folder = options.keep || mkdtempSync(path.join(tmpdir(), "moraine-frames-"));
if (options.keep) mkdirSync(folder, { recursive: true });

const nameOf = (dimension, bodies) => `${options.shape}${options.ground ? "-ground" : ""}-${dimension}d-${bodies}`;

/** Bodies on a lattice that fly apart a little: many bodies, cheap to compute, all of them moving and turning. */
function makeRun(dimension, bodies) {
    const file = path.join(folder, `${nameOf(dimension, bodies)}.h5`);
    if (existsSync(file)) return file;
    const scene = path.join(folder, "scene.yaml"), side = Math.ceil(bodies ** (1 / dimension)), pitch = 0.025;
    const round = dimension === 2 ? "disc" : "sphere";
    const rows = [];
    if (options.ground) rows.push(dimension === 2 ? "  - {kind: fixed, shape: {half_plane: 0 1}, position: [0, -2 cm]}" : "  - {kind: fixed, shape: {plane: 0 0 1}, position: [0, 0, -2 cm]}");
    for (let i = 0; i < bodies; i++) {
        const at = [i % side, Math.floor(i / side) % (dimension === 2 ? 1e9 : side), Math.floor(i / side / side)].slice(0, dimension).map((k) => (k * pitch).toFixed(4));
        const v = [Math.sin(i), Math.cos(1.7 * i), Math.sin(2.3 * i)].slice(0, dimension).map((x) => (0.5 * x).toFixed(3));
        const radius = (0.009 + 0.002 * (0.5 + 0.5 * Math.sin(12.9 * i))).toFixed(5);
        const shape = options.shape === "polygon" ? `{regular: {sides: ${5 + (i % 4)}, radius: ${radius} m}}` : options.shape === "box" ? `{box: [${radius} m, ${radius} m, ${radius} m]}` : `{${round}: ${radius} m}`;
        const spin = dimension === 2 ? `${(20 * Math.sin(3 * i)).toFixed(2)} rad/s` : `[0, 0, ${(20 * Math.sin(3 * i)).toFixed(2)} rad/s]`;
        rows.push(`  - {shape: ${shape}, position: [${at.map((x) => x + " m").join(", ")}], velocity: [${v.map((x) => x + " m/s").join(", ")}], angular_velocity: ${spin}}`);
    }
    writeFileSync(scene, `title: ${bodies} bodies\ndimension: ${dimension}\ntime: {step: 0.2 ms, end: 3 ms, output: 0.2 ms}\nmaterials: [{name: stone, density: 2500 kg/m${dimension}}]\nbodies:\n${rows.join("\n")}\n`);
    const result = spawnSync(options.moraine, ["run", scene, "-o", file, "--quiet", "--force"], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(`moraine run: ${result.stderr}`);
    return file;
}

async function serve(file) {
    const child = spawn(options.moraine, ["view", file, "--no-open", "--quiet"], { stdio: ["ignore", "ignore", "pipe"] });
    const url = await new Promise((done, fail) => {
        let said = "";
        child.stderr.on("data", (d) => ((said += d), /http\S+/.test(said) && done(said.match(/http\S+/)[0])));
        child.on("exit", () => fail(new Error(said)));
    });
    return { child, url };
}

/** Seconds that all threads of a process have run, exactly; the times in its `stat` are counted in ticks, which misses those that run for less. */
function runTime(pid) {
    if (!existsSync(`/proc/${pid}/schedstat`)) return undefined;
    return readdirSync(`/proc/${pid}/task`).reduce((sum, task) => sum + Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ")[0]), 0) / 1e9;
}

/** Seconds of processor time of all processes below this one that belong to the browser. */
function browserTime() {
    const parents = new Map(), times = new Map(), names = new Map();
    for (const pid of readdirSync("/proc").filter((n) => /^\d+$/.test(n))) {
        try {
            const text = readFileSync(`/proc/${pid}/stat`, "utf8"), fields = text.replace(/^.*\) /, "").split(" ");
            names.set(pid, text.replace(/^\d+ \((.*)\) .*$/s, "$1"));
            parents.set(pid, fields[1]);
            times.set(pid, runTime(pid) ?? (Number(fields[11]) + Number(fields[12])) / 100);
        } catch {
            // it has ended
        }
    }
    let sum = 0;
    for (const pid of parents.keys()) {
        let up = pid;
        while (up && up !== String(process.pid)) up = parents.get(up);
        if (up && /chrom|headless/.test(names.get(pid))) sum += times.get(pid);
    }
    return sum;
}

async function measure(page, kind, seconds) {
    await page.evaluate(async () => {
        const { player } = window.moraine.probe;
        window.frames_ = await Promise.all(Array.from(player.times, (_, i) => player.frame(i, false)));
    });
    await browser.startTracing(page, { categories: ["-*", "viz"] });
    const before = browserTime(), m = await look(page, kind, seconds), cpu = browserTime() - before;
    const trace = JSON.parse(await browser.stopTracing()).traceEvents, swaps = trace.filter((e) => e.name === "DisplayScheduler:pending_swaps" && e.ph === "e").length;
    if (!swaps) throw new Error("the trace of the browser tells of no pictures");
    const shown = Math.min(m.drawn, swaps);
    return { ...m, shown, fps: shown / m.elapsed, cpu: (1000 * cpu) / shown };
}

function look(page, kind, seconds) {
    return page.evaluate(async ([what, duration]) => {
        const { probe } = window.moraine, { stage, player } = probe, js = [], frames = window.frames_;
        // The page's own part of a new frame alone, often enough that the compiler of the browser has seen it.
        const parts = [];
        for (let i = 0; i < 30 && what === "play"; i++) {
            const before = performance.now();
            player.onFrame(frames[i % frames.length]);
            parts.push(performance.now() - before);
        }
        const step = (i) => {
            if (what === "play") player.onFrame(frames[i % frames.length]);
            else {
                const v = stage.view, a = 0.02;
                // About the middle of the view, in space; along a small circle in the plane.
                stage.view = v.length === 6 ? [v[3] + (v[0] - v[3]) * Math.cos(a) - (v[1] - v[4]) * Math.sin(a), v[4] + (v[0] - v[3]) * Math.sin(a) + (v[1] - v[4]) * Math.cos(a), ...v.slice(2)] : [v[0] + 0.002 * v[2] * Math.cos(0.3 * i), v[1] + 0.002 * v[2] * Math.sin(0.3 * i), v[2]];
            }
            stage.cancel(); // the picture that the page itself would draw
        };
        const one = async (i) => {
            const before = performance.now();
            step(i);
            const middle = performance.now();
            stage.draw();
            js.push(performance.now() - (what === "play" ? middle : before));
            if (what === "play") parts.push(middle - before);
            await new Promise(requestAnimationFrame); // as the page does it: not more than the screen shows
        };
        const start = performance.now();
        let n = 0;
        while (performance.now() - start < 1000 * duration || n < 4) await one(n++);
        const elapsed = performance.now() - start;
        // To the end: a pixel is read back, so that the picture has been drawn.
        const gl = stage.renderer.getContext(), pixel = new Uint8Array(4), whole = [];
        for (let i = 0; i < 24 && performance.now() - start < 1000 * (2 * duration + 4); i++) {
            const before = performance.now();
            step(i);
            stage.draw();
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            if (i >= 4) whole.push(performance.now() - before);
            await new Promise(requestAnimationFrame);
        }
        whole.sort((a, b) => a - b);
        for (const list of [js, parts]) list.sort((a, b) => a - b);
        const least = js[0] + (parts[0] ?? 0), median = js[js.length >> 1] + (parts[parts.length >> 1] ?? 0);
        return { drawn: n, elapsed: elapsed / 1000, js: least, median, whole: whole[whole.length >> 1] ?? NaN, ...probe.cost(), ratio: stage.renderer.getPixelRatio(), by: stage.software ? "page" : "gpu" };
    }, [kind, seconds]);
}

const flags = options.flags ? ["--ignore-gpu-blocklist", "--enable-gpu", ...options.flags.split(/\s+/)] : ["--disable-gpu", "--enable-unsafe-swiftshader"];
const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ["--no-sandbox", "--disable-dev-shm-usage", ...flags],
});
try {
    let told = false;
    for (const dimension of options.dimension.split(",").map(Number))
        for (const bodies of options.bodies.split(",").map(Number)) {
            const file = makeRun(dimension, bodies), { child, url } = await serve(file);
            const page = await browser.newPage({ viewport: { width, height } });
            const opened = Date.now();
            await page.goto(url);
            await page.waitForFunction(() => window.moraine?.ready && window.moraine.probe.frame(), null, { timeout: 120000 });
            const open = (Date.now() - opened) / 1000;
            for (const kind of ["turn", "play"]) {
                const m = await measure(page, kind, Number(options.seconds));
                if (options.json) console.log(JSON.stringify({ dimension, bodies, shape: options.shape, ground: options.ground, kind, open, ...m }));
                else {
                    if (!told) console.log(`${m.renderer}\n${width}x${height}, ${options.shape}${options.ground ? " on a ground" : ""}\n    bodies  kind   pictures/s  cpu ms   js ms (median)  whole ms  calls   triangles   points   by   opened in`);
                    told = true;
                    const cell = (x, digits, width) => x.toFixed(digits).padStart(width);
                    console.log(`${dimension}D ${cell(bodies, 0, 7)}  ${kind}  ${cell(m.fps, 1, 10)} ${cell(m.cpu, 0, 7)}  ${cell(m.js, 1, 6)} ${cell(m.median, 1, 8)}  ${cell(m.whole, 1, 8)} ${cell(m.calls, 0, 6)}  ${cell(m.triangles, 0, 10)} ${cell(m.points, 0, 8)}  ${m.by.padStart(4)}  ${open.toFixed(1)} s`);
                }
            }
            if (options.shots) {
                mkdirSync(options.shots, { recursive: true });
                await page.screenshot({ path: path.join(options.shots, `${nameOf(dimension, bodies)}.png`) });
            }
            await page.close();
            child.kill("SIGTERM");
        }
} finally {
    await browser.close();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
}
