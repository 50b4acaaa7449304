// What the browser tests share: runs made on the spot, servers, a browser, and pictures looked at by their content.
import { spawn, spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export const command = process.env.MORAINE ?? "build/moraine";
const modules = process.env.MORAINE_NODE_MODULES ?? "build/viewer/node_modules";
const { chromium } = createRequire(path.resolve(modules, "x.js"))("playwright-core");

/** A busy machine may take long for anything; nothing here waits for a time, only for what must come. */
export const PATIENCE = 120000;

const browserPath = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
/** Exit code 77 means skipped to ctest. */
export function needBrowser() {
    if (browserPath) return;
    console.log("skipped: there is no chromium");
    process.exit(77);
}

// In memory where possible: a run commits less often where the disk is slow.
const folder = mkdtempSync(path.join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "moraine-viewer-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
export const inFolder = (name) => path.join(folder, name);

/** Run a scene to its end; returns the path of the run file. */
export function makeRun(name, scene, ...options) {
    const file = inFolder(`${name}.h5`);
    writeFileSync(inFolder(`${name}.yaml`), scene);
    const result = spawnSync(command, ["run", inFolder(`${name}.yaml`), "-o", file, "--quiet", ...options], { encoding: "utf8" });
    if (result.status !== 0) throw new Error(`moraine run ${name}: ${result.stderr}`);
    return file;
}

const servers = [];

/** Start a command that serves; gives its process, its address and what it says on standard error. */
export async function serve(args) {
    const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"] });
    const server = { child, said: "", printed: "", url: null, ended: null };
    server.ended = new Promise((done) => child.on("exit", (code, signal) => done(code ?? signal)));
    child.stdout.on("data", (d) => (server.printed += d));
    servers.push(server);
    await new Promise((done, fail) => {
        const timer = setTimeout(() => fail(new Error(`no address after two minutes: ${server.said}`)), PATIENCE);
        child.stderr.on("data", (d) => {
            server.said += d;
            const found = server.said.match(/http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//);
            if (found && !server.url) {
                server.url = found[0];
                clearTimeout(timer);
                done();
            }
        });
        child.on("exit", () => fail(new Error(`ended at once: ${server.said}`)));
    });
    return server;
}

export const view = (file) => serve(["view", file, "--no-open"]);

/** Ctrl-C, and the exit code. */
export function stop(server) {
    server.child.kill("SIGINT");
    return server.ended;
}

export async function openBrowser() {
    return chromium.launch({
        executablePath: browserPath,
        args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist", "--disable-dev-shm-usage"],
    });
}

export function stopAll() {
    for (const server of servers) if (server.child.exitCode === null && server.child.signalCode === null) server.child.kill("SIGKILL");
}

/** Open a page on a server and wait until it shows a frame (unless it cannot). What the page complains about fails the test. */
export async function openPage(browser, url, { hash = "", shows = true, width = 900, height = 560, before = null } = {}) {
    const page = await browser.newPage({ viewport: { width, height }, acceptDownloads: true });
    if (before) await page.addInitScript(before);
    page.setDefaultTimeout(PATIENCE);
    page.complaints = [];
    page.on("console", (m) => {
        if (m.type() === "error" || m.type() === "warning") page.complaints.push(m.text());
    });
    page.on("pageerror", (e) => page.complaints.push(e.message));
    await page.goto(url + hash);
    if (shows) await page.waitForFunction(() => window.moraine?.ready && window.moraine.probe.frame());
    return page;
}

/** The same page as if it had just been opened with this address. */
export async function reset(page, hash = "") {
    page.complaints.length = 0;
    await page.evaluate((h) => {
        location.hash = `#reset&${h}`;
    }, hash);
    const frame = Number(new URLSearchParams(hash).get("frame") ?? 0);
    await page.waitForFunction((i) => window.moraine.probe.frame()?.index === i && location.hash.includes("frame="), frame);
    await page.focus("#canvas");
    return page;
}

/** Show a frame and wait until it is there. */
export async function seek(page, index) {
    await page.evaluate((i) => window.moraine.probe.player.seek(i), index);
    await page.waitForFunction((i) => window.moraine.probe.frame()?.index === i, index);
}

/** Bodies that are on the screen, with the pixels they cover. */
export async function visible(page) {
    return new Map(await page.evaluate(() => window.moraine.probe.visible()));
}

/** The picture as it would be saved: size and pixels, decoded. */
export async function pixels(page) {
    return decode(page, await page.evaluate(() => window.moraine.probe.picture()));
}

/** The pixels of a PNG file; any page can decode it. */
export const pixelsOf = (page, png) => decode(page, `data:image/png;base64,${png.toString("base64")}`);

async function decode(page, address) {
    const picture = await page.evaluate(async (source) => {
        const image = new Image();
        image.src = source;
        await image.decode();
        const canvas = document.createElement("canvas");
        canvas.width = image.width;
        canvas.height = image.height;
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        const data = context.getImageData(0, 0, image.width, image.height).data;
        let text = "";
        for (let i = 0; i < data.length; i += 16384) text += String.fromCharCode(...data.subarray(i, i + 16384));
        return { width: image.width, height: image.height, data: btoa(text) };
    }, address);
    const data = Buffer.from(picture.data, "base64");
    const at = (x, y) => Array.from(data.subarray(4 * (Math.round(y) * picture.width + Math.round(x)), 4 * (Math.round(y) * picture.width + Math.round(x)) + 3));
    /** Pixels of a region (shares of width and height) that fulfil a condition on their colour. */
    const count = (region, condition) => {
        let n = 0;
        for (let y = Math.floor(region[1] * picture.height); y < region[3] * picture.height; y++)
            for (let x = Math.floor(region[0] * picture.width); x < region[2] * picture.width; x++) if (condition(...at(x, y))) n++;
        return n;
    };
    return { ...picture, at, count };
}

/** Far from grey: the colour of a body rather than of paper, walls or text. */
export const isColorful = (r, g, b) => Math.max(r, g, b) - Math.min(r, g, b) > 60;
