/** Makes nanlint-VERSION.vsix: the wheel, the bundles, the licence. Without a network, where hatchling is installed. */

import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { createVSIX } from "@vscode/vsce";

import { build } from "./build.mjs";
import { python } from "./python.mjs";

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..");
const PROJECT = join(ROOT, "..", "..");
const { version } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

function buildWheel() {
  const bundled = join(ROOT, "bundled");
  rmSync(bundled, { recursive: true, force: true });
  mkdirSync(bundled);
  const command = ["-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps", "-w", bundled];
  const isolation = hasHatchling() ? ["--no-build-isolation"] : [];
  execFileSync(python, [...command, ...isolation, PROJECT], { stdio: "inherit" });
  if (!existsSync(join(bundled, `nanlint-${version}-py3-none-any.whl`))) {
    throw new Error(`package.json says ${version}, and nanlint/version.py something else`);
  }
}

function hasHatchling() {
  try {
    execFileSync(python, ["-c", "import hatchling"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

await build();
buildWheel();
copyFileSync(join(PROJECT, "LICENSE"), join(ROOT, "LICENSE"));
await createVSIX({ cwd: ROOT, packagePath: join(ROOT, `nanlint-${version}.vsix`), dependencies: false });
