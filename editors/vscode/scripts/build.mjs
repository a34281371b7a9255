/** Bundles the two entries into dist/, and writes the licences of what is bundled to THIRD_PARTY_NOTICES. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");

const ENTRIES = { node: "node20", browser: "es2022" };

export async function build() {
  const bundled = new Set();
  for (const [platform, target] of Object.entries(ENTRIES)) {
    const { metafile } = await esbuild.build({
      absWorkingDir: ROOT,
      entryPoints: [`src/${platform}.ts`],
      outfile: `dist/${platform}.js`,
      platform,
      target,
      format: "cjs",
      bundle: true,
      minify: true,
      external: ["vscode"],
      metafile: true,
    });
    for (const input of Object.keys(metafile.inputs)) {
      const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (name) {
        bundled.add(name[0]);
      }
    }
  }
  writeFileSync(join(ROOT, "THIRD_PARTY_NOTICES"), [...bundled].sort().map(notice).join("\n\n"));
}

function notice(folder) {
  const directory = join(ROOT, folder);
  const { name, version, license } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  const file = readdirSync(directory).find((one) => /^licen[cs]e/i.test(one));
  if (file === undefined || !existsSync(join(directory, file))) {
    throw new Error(`${name} has no file with its licence`);
  }
  return `${name} ${version} (${license})\n\n${readFileSync(join(directory, file), "utf8").trim()}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await build();
}
