// Bundle the page and write it as a C table:  node viewer/build.mjs BUILD_FOLDER OUTPUT.c
// BUILD_FOLDER holds node_modules. The same sources give the same bytes.
import { createRequire } from "node:module";
import { readFileSync, writeFileSync, mkdirSync } from "node:fs";
import { gzipSync } from "node:zlib";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [build, output] = process.argv.slice(2);
const source = path.join(path.dirname(fileURLToPath(import.meta.url)), "src");
const modules = path.resolve(build, "node_modules");
const esbuild = createRequire(path.join(modules, "x.js"))("esbuild");

const result = await esbuild.build({
    entryPoints: { viewer: path.join(source, "main.ts") },
    bundle: true,
    minify: true,
    format: "esm",
    target: ["chrome100", "firefox100", "safari15.4"],
    nodePaths: [modules],
    outdir: path.resolve(build, "page"),
    legalComments: "eof",
    loader: { ".glsl": "text" },
    write: false,
    logLevel: "warning",
});

const types = { html: "text/html; charset=utf-8", js: "text/javascript; charset=utf-8", css: "text/css; charset=utf-8" };
const files = [{ name: "index.html", bytes: readFileSync(path.join(source, "index.html")) }];
for (const file of result.outputFiles) files.push({ name: path.basename(file.path), bytes: file.contents });
files.sort((a, b) => (a.name < b.name ? -1 : 1));

let arrays = "";
let rows = "";
files.forEach((file, i) => {
    const bytes = gzipSync(file.bytes, { level: 9 });
    bytes[9] = 255; // the operating system that packed it is nobody's business
    const lines = [];
    for (let at = 0; at < bytes.length; at += 32) lines.push(Array.from(bytes.subarray(at, at + 32)).join(","));
    arrays += `static const unsigned char data_${i}[] = {\n${lines.join(",\n")}};\n`;
    rows += `    {"${file.name}", "${types[file.name.split(".").pop()]}", data_${i}, sizeof data_${i}},\n`;
});
mkdirSync(path.dirname(output), { recursive: true });
writeFileSync(output, `// Made from viewer/ by viewer/build.mjs.\n#include "view/server.h"\n\n${arrays}\nconst MrnViewAsset mrn_view_assets[] = {\n${rows}    {0, 0, 0, 0},\n};\n`);
