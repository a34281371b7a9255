/** Makes nanlint-VERSION.vsix: the wheel and those that it needs, the bundles, the licence. It asks a package index. */

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

/** For every system, and from the oldest Python on: so the extension installs its server without a connection. */
function downloadNeeded() {
  const needed = execFileSync(python, [join(ROOT, "scripts", "needed.py")], { encoding: "utf8" }).trim().split("\n");
  const pure = ["--only-binary=:all:", "--platform=any", "--implementation=py", "--abi=none", "--python-version=3.10"];
  const command = ["-m", "pip", "--disable-pip-version-check", "download", "--quiet", "--no-deps", ...pure];
  execFileSync(python, [...command, "-d", join(ROOT, "bundled"), ...needed], { stdio: "inherit" });
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
downloadNeeded();
copyFileSync(join(PROJECT, "LICENSE"), join(ROOT, "LICENSE"));
await createVSIX({ cwd: ROOT, packagePath: join(ROOT, `nanlint-${version}.vsix`), dependencies: false });
