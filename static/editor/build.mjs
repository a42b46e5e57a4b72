// Bundles editor.js into the folder given, with the licences of what went into it. Run by .ci/build-editor.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [folder] = process.argv.slice(2);

const { metafile } = await build({
  entryPoints: ["editor.js"],
  outfile: join(folder, "editor.js"),
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  legalComments: "none",
  banner: { js: "// Made by `make editor` from static/editor/; its licences are in editor.LICENSES.txt." },
  metafile: true,
});

// Only what has left something in the bundle; most of what is installed is shaken off.
const [{ inputs }] = Object.values(metafile.outputs);
const packages = new Set();
for (const [path, { bytesInOutput }] of Object.entries(inputs)) {
  const found = path.match(/^node_modules\/((?:@[^/]+\/)?[^/]+)\//);
  if (found && bytesInOutput) packages.add(found[1]);
}
const texts = [...packages].sort().map((name) => {
  const home = join("node_modules", name);
  const { version, license } = JSON.parse(readFileSync(join(home, "package.json"), "utf8"));
  const file = readdirSync(home).find((each) => /^licen[cs]e/i.test(each));
  return `${name} ${version} (${license})\n\n${readFileSync(join(home, file), "utf8").trim()}\n`;
});
const rule = `\n${"-".repeat(80)}\n\n`;
writeFileSync(
  join(folder, "editor.LICENSES.txt"),
  `editor.js contains these packages, each under its licence.\n${rule}${texts.join(rule)}`,
);
