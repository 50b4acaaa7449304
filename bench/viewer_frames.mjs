#!/usr/bin/env node
// How many pictures per second the viewer draws, and what each costs: node bench/viewer_frames.mjs [OPTION VALUE]...
//
//   --bodies N,N,...     numbers of bodies, default 1000,10000,100000
//   --dimension 2,3      default both
//   --shape NAME         round (default), polygon (2D) or box (3D)
//   --seconds S          of each measurement, default 4
//   --size WxH           of the page, default 1280x800
//   --chromium PATH      default /usr/bin/chromium
//   --flags "..."        of Chromium; default: software rendering (SwiftShader). On a machine with a GPU: "--use-angle=gl-egl"
//                        or "--use-angle=vulkan", with --enable-gpu --ignore-gpu-blocklist added here
//   --moraine PATH       default build/moraine; --modules PATH: node_modules with playwright-core, default build/viewer/node_modules
//   --keep FOLDER        keep runs there, and take those that are there
//   --shots FOLDER       leave a picture of each
//   --json               one object per line
//
// Two measurements: "turn" moves the eye a little for each picture (in the plane: shifts it), "play" shows another frame
// in each picture, all of them in memory. Pictures are asked for as fast as the browser gives them; gl.finish() is waited
// for by reading a pixel, so that a picture counts when the GPU has drawn it. "js" is the time of the page's own
// thread: new frame (poses, colours, texture upload) and draw (commands), without waiting for the GPU.
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";

const options = { bodies: "1000,10000,100000", dimension: "2,3", shape: "round", seconds: "4", size: "1280x800", chromium: "/usr/bin/chromium", flags: "", moraine: "build/moraine", modules: "build/viewer/node_modules", keep: "", shots: "", json: false };
for (let i = 2; i < process.argv.length; i++) {
    const name = process.argv[i].replace(/^--/, "");
    if (!(name in options)) {
        console.error(`viewer_frames: unknown option ${process.argv[i]}`);
        process.exit(2);
    }
    options[name] = name === "json" ? true : process.argv[++i];
}
const { chromium } = createRequire(path.resolve(options.modules, "x.js"))("playwright-core");
const [width, height] = options.size.split("x").map(Number);
const folder = options.keep || mkdtempSync(path.join(tmpdir(), "moraine-frames-"));
if (options.keep) mkdirSync(folder, { recursive: true });

/** Bodies on a lattice that fly apart a little: many bodies, cheap to compute, all of them moving and turning. */
function makeRun(dimension, bodies) {
    const file = path.join(folder, `${options.shape}-${dimension}d-${bodies}.h5`);
    if (existsSync(file)) return file;
    const scene = path.join(folder, "scene.yaml"), side = Math.ceil(bodies ** (1 / dimension)), pitch = 0.025;
    const round = dimension === 2 ? "disc" : "sphere";
    const rows = [];
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

async function measure(page, kind, seconds) {
    return page.evaluate(async ([what, duration]) => {
        const { probe } = window.moraine, { stage, player } = probe, gl = stage.renderer.getContext(), pixel = new Uint8Array(4), js = [];
        const frames = await Promise.all(Array.from(player.times, (_, i) => player.frame(i, false)));
        const one = async (i) => {
            const before = performance.now();
            if (what === "play") player.onFrame(frames[i % frames.length]);
            else {
                const v = stage.view, a = 0.02;
                // About the middle of the view, in space; along a small circle in the plane.
                stage.view = v.length === 6 ? [v[3] + (v[0] - v[3]) * Math.cos(a) - (v[1] - v[4]) * Math.sin(a), v[4] + (v[0] - v[3]) * Math.sin(a) + (v[1] - v[4]) * Math.cos(a), ...v.slice(2)] : [v[0] + 0.002 * v[2] * Math.cos(0.3 * i), v[1] + 0.002 * v[2] * Math.sin(0.3 * i), v[2]];
            }
            stage.draw();
            js.push(performance.now() - before);
            gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
            await new Promise(requestAnimationFrame); // as the page does it: not more than the screen shows
        };
        for (let i = 0; i < 3; i++) await one(i);
        js.length = 0;
        const start = performance.now();
        let n = 0;
        while (performance.now() - start < 1000 * duration || n < 3) await one(n++);
        const elapsed = performance.now() - start;
        js.sort((a, b) => a - b);
        return { fps: (1000 * n) / elapsed, js: js[js.length >> 1], worst: js[js.length - 1], ...probe.cost(), ratio: stage.renderer.getPixelRatio() };
    }, [kind, seconds]);
}

const software = "--use-angle=swiftshader --enable-unsafe-swiftshader";
const browser = await chromium.launch({
    executablePath: options.chromium,
    args: ["--no-sandbox", "--ignore-gpu-blocklist", "--enable-gpu", "--disable-dev-shm-usage", "--disable-gpu-vsync", "--disable-frame-rate-limit", ...(options.flags || software).split(/\s+/)],
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
                if (options.json) console.log(JSON.stringify({ dimension, bodies, shape: options.shape, kind, open, ...m }));
                else {
                    if (!told) console.log(`${m.renderer}\n${width}x${height}, ${options.shape}\n    bodies  kind   pictures/s   js ms (worst)   calls   triangles      points   opened in`);
                    told = true;
                    console.log(`${dimension}D ${String(bodies).padStart(7)}  ${kind}  ${m.fps.toFixed(1).padStart(10)}  ${m.js.toFixed(1).padStart(6)} (${m.worst.toFixed(1)})  ${String(m.calls).padStart(6)}  ${String(m.triangles).padStart(10)}  ${String(m.points).padStart(10)}   ${open.toFixed(1)} s`);
                }
            }
            if (options.shots) {
                mkdirSync(options.shots, { recursive: true });
                await page.screenshot({ path: path.join(options.shots, `${options.shape}-${dimension}d-${bodies}.png`) });
            }
            await page.close();
            child.kill("SIGTERM");
        }
} finally {
    await browser.close();
    if (!options.keep) rmSync(folder, { recursive: true, force: true });
}
