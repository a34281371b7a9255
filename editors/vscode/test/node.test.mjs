/** The entry on a computer: which server runs, what happens when none does, commands, settings. */

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

import { python } from "../scripts/python.mjs";
import { openWindow, document } from "./vscode.mjs";

const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const { version: VERSION } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const PATH = process.env.PATH;

let root, windows;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "nanlint-vscode-"));
  windows = [];
  mkdirSync(join(root, "path"));
  process.env.PATH = join(root, "path");
  process.env.PYTHONPATH = PROJECT;
});

afterEach(async () => {
  await Promise.all(windows.map((one) => one.close()));
  process.env.PATH = PATH;
  rmSync(root, { recursive: true, force: true });
});

/** An executable file that notes how it is called. */
function program(name, body) {
  const file = join(root, name);
  mkdirSync(dirname(file), { recursive: true });
  const note = `echo "${name}:" "$@" >> "${join(root, "calls")}"`;
  writeFileSync(file, `#!/bin/sh\nPATH="${PATH}"\n${note}\n${body}\n`);
  chmodSync(file, 0o755);
  return file;
}

const REAL = `exec "${python}" -m nanlint "$@"`;
const STAND_IN = fileURLToPath(new URL("server.py", import.meta.url));

/** A stand-in for nanlint that starts quickly; what follows `server` is ignored. */
function standIn(version = VERSION) {
  return `case "$1" in --version) echo "nanlint ${version}" ;; *) exec "${python}" -SE "${STAND_IN}" "${version}" ;; esac`;
}

function nanlint(name, body = standIn()) {
  return program(name, body);
}

/** An interpreter, in whose environment nanlint is or not. Its virtual environments have what pip is asked to install. */
function interpreter(name, { has = true, venv = "true", pip = "true", version = "3 11" } = {}) {
  const inside = `#!/bin/sh\ncase "$2" in pip) ${pip} ;; nanlint) shift 2; ${standIn()} ;; esac`;
  const body = `case "$1 $2" in
"-c import"*) echo "${version}" ;;
"-m nanlint") ${has} || { echo "No module named nanlint" >&2; exit 1; }; shift 2; ${standIn()} ;;
"-m venv") ${venv} && mkdir -p "$3/bin" && cat > "$3/bin/python" <<'END' && chmod +x "$3/bin/python" ;;
${inside}
END
esac`;
  return program(name, body);
}

/** What a program was called with, apart from questions for its version. */
function calls() {
  const file = join(root, "calls");
  const lines = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  return lines.filter((line) => !line.endsWith("--version"));
}

function extension() {
  mkdirSync(join(root, "extension", "bundled"), { recursive: true });
  const wheel = join(root, "extension", "bundled", `nanlint-${VERSION}-py3-none-any.whl`);
  writeFileSync(wheel, "");
  return { bundled: join(root, "extension"), storage: join(root, "storage") };
}

async function opened(options) {
  const window = openWindow({ ...extension(), ...options });
  windows.push(window);
  await window.start();
  await settled(window);
  return window;
}

async function until(condition, what) {
  for (let waited = 0; !condition(); waited += 20) {
    assert.ok(waited < 30_000, what());
    await sleep(20);
  }
}

/** Wait until the server runs, or has failed. */
async function settled(window, icon = /check|error/) {
  await sleep(30);
  await until(() => icon.test(window.status.text), () => `${window.status.text}\n${window.log.join("\n")}`);
}

const messages = (window) => window.shown.map((one) => one.message);

test("nanlint.path decides", async () => {
  nanlint("path/nanlint");
  const chosen = nanlint("elsewhere/nanlint");
  const window = await opened({ settings: { path: chosen, interpreter: interpreter("conda/python") } });
  assert.deepEqual(calls(), ["elsewhere/nanlint: server"]);
  assert.equal(window.status.text, `$(check) nanlint ${VERSION}`);
  assert.match(window.status.tooltip, /nanlint\.path/);
  assert.deepEqual(window.shown, []);
});

test("~ and ${workspaceFolder} are replaced in paths", async () => {
  nanlint("project/tools/nanlint");
  await opened({ settings: { path: "${workspaceFolder}/tools/nanlint" }, folder: join(root, "project") });
  assert.deepEqual(calls(), ["project/tools/nanlint: server"]);
});

test("nanlint.interpreter comes before the selected environment", async () => {
  const settings = { interpreter: interpreter("mine/python"), args: ["--log-level", "debug"] };
  await opened({ settings, python: interpreter("selected/python") });
  assert.deepEqual(calls(), ["mine/python: -m nanlint server --log-level debug"]);
});

test("the environment that is selected in the Python extension comes before those of the folder", async () => {
  interpreter("project/.venv/bin/python");
  const window = await opened({ folder: join(root, "project"), python: interpreter("selected/python") });
  assert.deepEqual(calls(), ["selected/python: -m nanlint server"]);
  window.select(interpreter("other/python"));
  await until(() => calls().length === 2, () => calls());
  await settled(window);
  assert.equal(calls()[1], "other/python: -m nanlint server");
});

test("an environment without nanlint is passed over: .venv, then venv, then PATH", async () => {
  nanlint("path/nanlint");
  const folder = join(root, "project");
  interpreter("project/.venv/bin/python", { has: false });
  const venv = interpreter("project/venv/bin/python");
  await opened({ folder });
  rmSync(venv);
  await opened({ folder });
  assert.deepEqual(calls(), ["project/venv/bin/python: -m nanlint server", "path/nanlint: server"]);
});

test("what lies in a relative directory of PATH is not run", async () => {
  process.env.PATH = `.${delimiter}`;
  const window = await opened({ storage: join(root, "storage") });
  assert.match(window.status.tooltip, /neither was Python 3\.10 or newer/);
});

test("the nanlint in the extension is installed once", async () => {
  interpreter("path/python3", { has: false });
  const window = await opened({});
  const [venv, ...rest] = calls().filter((one) => !one.includes("-c import"));
  assert.match(venv, /^path\/python3: -m venv .*server-/);
  assert.deepEqual(rest, []);
  assert.match(window.status.tooltip, /the version in this extension/);
  assert.deepEqual(readdirSync(join(root, "storage")), [`server-${VERSION}`]);
  await opened({});
  assert.equal(calls().filter((one) => one.includes("venv")).length, 1);
});

test("what nanlint needs is in the extension, and no package index is asked", async () => {
  const asked = join(root, "pip");
  interpreter("path/python3", { has: false, pip: `echo "$@" > ${asked}` });
  const brought = extension();
  writeFileSync(join(brought.bundled, "bundled", "click-8.2.0-py3-none-any.whl"), "");
  await opened(brought);
  const [command] = readFileSync(asked, "utf8").trim().split("\n");
  assert.match(command, /install --quiet --no-index --no-deps \S+click-8\.2\.0\S+ \S+nanlint-\S+\.whl$/);
});

test("useBundled leaves the environment alone, and a Python that is too old", async () => {
  nanlint("path/nanlint");
  interpreter("path/python3", { version: "3 9" });
  interpreter("path/python");
  const window = await opened({ settings: { importStrategy: "useBundled" }, python: interpreter("sel/python", { version: "2 7" }) });
  assert.match(window.status.tooltip, /the version in this extension/);
  assert.deepEqual(calls().filter((one) => one.includes("venv")).length, 1);
  assert.match(calls().find((one) => one.includes("venv")), /^path\/python:/);
});

test("a server of an older extension is removed when the new one is installed", async () => {
  mkdirSync(join(root, "storage", "server-0.0.1"), { recursive: true });
  interpreter("path/python3", { has: false });
  await opened({});
  assert.deepEqual(readdirSync(join(root, "storage")), [`server-${VERSION}`]);
});

for (const [what, broken, advice] of [
  ["no virtual environment can be made", { venv: "{ echo No module named ensurepip >&2; false; }" }, /No module named ensurepip.*python3-venv/],
  ["pip fails", { pip: "echo Could not find a version that satisfies >&2; exit 1" }, /Could not find a version.*package index/],
]) {
  test(`if ${what}, the message says what to do, and nothing is left behind`, async () => {
    interpreter("path/python3", { has: false, ...broken });
    const window = await opened({});
    assert.equal(window.shown.length, 1);
    assert.equal(window.shown[0].kind, "error");
    assert.match(window.shown[0].message, advice);
    assert.match(window.shown[0].message, /pip install nanlint.*Restart Server/);
    assert.deepEqual(window.shown[0].actions, ["Show Log"]);
    assert.equal(window.status.text, "$(error) nanlint");
    assert.deepEqual(readdirSync(join(root, "storage")), []);
  });
}

test("a folder that is not trusted does not choose what runs, until it is trusted", async () => {
  const folder = join(root, "project");
  interpreter("project/.venv/bin/python");
  nanlint("path/nanlint");
  const window = await opened({ folder, trusted: false, python: join(folder, ".venv/bin/python") });
  assert.deepEqual(calls(), ["path/nanlint: server"]);
  window.trust();
  await until(() => calls().length === 2, () => calls());
  await settled(window);
  assert.equal(calls()[1], "project/.venv/bin/python: -m nanlint server");
});

test("a nanlint that is too old is reported, and the next one used", async () => {
  nanlint("path/nanlint", standIn("0.0.9"));
  interpreter("path/python3", { has: false });
  const window = await opened({});
  assert.match(messages(window).join(), /nanlint 0\.0\.9 \(PATH\) is too old.*pip install --upgrade nanlint/);
  assert.match(window.status.tooltip, /the version in this extension/);
});

test("a nanlint.path that is too old, missing, or another program is an error", async () => {
  const old = nanlint("old/nanlint", standIn("0.0.1rc1"));
  const other = program("other/nanlint", "echo hello");
  for (const [path, message] of [
    [old, /nanlint 0\.0\.1rc1 \(nanlint\.path\) is too old/],
    [join(root, "missing"), /nanlint\.path: cannot run .*missing/],
    [other, /nanlint\.path: cannot run .*it says "hello"/],
  ]) {
    const window = await opened({ settings: { path } });
    assert.equal(messages(window).length, 1);
    assert.match(messages(window)[0], message);
    assert.equal(window.status.text, "$(error) nanlint");
  }
});

test("a changed setting starts the server again", async () => {
  const window = await opened({ settings: { path: join(root, "missing") } });
  assert.equal(window.status.text, "$(error) nanlint");
  window.set({ path: nanlint("new/nanlint") });
  await settled(window, /check/);
  assert.deepEqual(calls(), ["new/nanlint: server"]);
  window.set({ "trace.server": "messages" });
  await sleep(100);
  assert.equal(window.status.text, `$(check) nanlint ${VERSION}`);
  assert.equal(calls().length, 1);
});

test("a server that ends at once is reported once", async () => {
  nanlint("path/nanlint", REAL);
  const window = await opened({ settings: { args: ["--no-such-option"] } });
  await sleep(200);
  assert.equal(messages(window).length, 1);
  assert.match(messages(window)[0], /the server did not start: No such option '--no-such-option'/);
  assert.equal(window.status.text, "$(error) nanlint");
});

test("restarting stops the old server, and closing the window the last one", async () => {
  const ids = join(root, "ids");
  program("path/nanlint", `[ "$1" = server ] && echo $$ >> "${ids}"\n${REAL}`);
  const window = await opened({});
  await Promise.all([window.run("nanlint.restart"), window.run("nanlint.restart"), window.run("nanlint.restart")]);
  const [first, second, ...more] = readFileSync(ids, "utf8").trim().split("\n").map(Number);
  assert.deepEqual(more, []);
  await until(() => !alive(first), () => "the first server still runs");
  assert.ok(alive(second));
  await window.close();
  windows = [];
  await until(() => !alive(second), () => "the second server still runs");
  assert.deepEqual([...window.commands.keys()], []);
});

function alive(id) {
  try {
    process.kill(id, 0);
    return true;
  } catch {
    return false;
  }
}

test("the server gets its settings, and none of the extension's", async () => {
  const path = nanlint("path/nanlint", REAL);
  const window = await opened({ settings: { path, trust: true, confidence: "possible" }, folder: root });
  assert.deepEqual(window.shown, []);
  window.set({ confidence: "no such level" });
  await until(() => window.shown.length > 0, () => window.log.join("\n"));
  assert.match(messages(window).join("\n"), /confidence: expected one of "possible"/);
  assert.doesNotMatch(messages(window).join("\n"), /unknown setting|trust/);
});

/** A text after edits, of which the language client makes pairs with what it annotates them with. */
function applied(text, edits) {
  const lines = text.split("\n");
  const offset = ({ line, character }) => lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, character);
  const places = edits.map(([{ range, newText }]) => [offset(range.start), offset(range.end), newText]);
  return places.sort((a, b) => b[0] - a[0]).reduce((now, [start, end, put]) => now.slice(0, start) + put + now.slice(end), text);
}

test("fix all changes the active file, and says so when there is nothing to fix", async () => {
  nanlint("path/nanlint", REAL);
  const loss = "import torch\n\n\ndef loss(logits):\n    return torch.log(torch.softmax(logits, dim=-1))\n";
  const [broken, clean] = [document(join(root, "loss.py"), loss), document(join(root, "clean.py"), "x = 1\n")];
  const window = await opened({ folder: root, documents: [broken, clean] });
  window.window.activeTextEditor = { document: broken };
  await window.run("nanlint.fixAll");
  const [[, edits]] = window.workspace.applied[0].edits;
  assert.equal(applied(loss, edits), loss.replace("torch.log(torch.softmax(logits, dim=-1))", "torch.log_softmax(logits, dim=-1)"));
  assert.deepEqual(window.shown, []);
  window.window.activeTextEditor = { document: clean };
  await window.run("nanlint.fixAll");
  assert.equal(window.workspace.applied.length, 1);
  assert.match(messages(window)[0], /nothing to fix/);
});

test("the check of the workspace says how much it found", async () => {
  nanlint("path/nanlint", REAL);
  mkdirSync(join(root, "project"));
  writeFileSync(join(root, "project", "loss.py"), "import torch\n\n\ndef f(x):\n    return torch.log(torch.softmax(x, -1))\n");
  const window = await opened({ folder: join(root, "project") });
  await window.run("nanlint.check");
  assert.match(messages(window)[0], /1 findings? in 1 files?/);
});

test("commands without a server say that there is none", async () => {
  const window = await opened({ settings: { path: join(root, "missing") } });
  await window.run("nanlint.check");
  assert.match(messages(window)[1], /the server is not running/);
});
