// The playground's page: an editor with underlines, the findings beside it, and addresses that hold the code.
// Python runs in worker.js; nothing leaves the page. Until it is loaded, a finished example is shown.

const here = new URL(".", import.meta.url);
const element = (id) => document.getElementById(`pg-${id}`);
const [text, paint, lines, status, list] = ["text", "paint", "lines", "status", "findings"].map(element);
const [example, confidence, select, ignore] = ["example", "confidence", "select", "ignore"].map(element);
const [fixAll, share, shared, address] = ["fix", "share", "shared", "address"].map(element);

let findings = [];
let current = -1;
let notice = ""; // before what is said of the first check

// The worker

const worker = new Worker(new URL("worker.js", here), { type: "module" });
const waiting = new Map();
let requests = 0;

worker.onmessage = ({ data }) => {
  const { resolve, reject } = waiting.get(data.id);
  waiting.delete(data.id);
  data.failure === undefined ? resolve(data) : reject(new Error(data.failure));
};

function ask(request) {
  const id = ++requests;
  const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
  worker.postMessage({ id, ...request });
  return answer;
}

// Checking

const options = () => JSON.stringify({ confidence: confidence.value, select: select.value, ignore: ignore.value });
let loaded = false;
let finished; // the first example with its findings, for the time before Python is loaded
let timer;
let newest = 0;

function changed(delay = 0) {
  clearTimeout(timer);
  newest += 1;
  current = -1;
  // places are those of the text before: they come back with the answer
  mark([]);
  for (const button of list.querySelectorAll("button")) button.disabled = true;
  fixAll.disabled = true;
  if (loaded) timer = setTimeout(check, delay);
}

async function check() {
  const mine = newest;
  const slow = setTimeout(() => say("Checking…"), 300);
  try {
    const answer = await ask({ ask: "check", text: text.value, options: options() });
    if (mine !== newest) return;
    clearTimeout(slow);
    if (answer.error !== undefined) say(answer.error, true);
    else say(`${notice}${summary(answer.findings)}`);
    notice = "";
    show(answer.findings ?? []);
  } catch (error) {
    if (mine === newest) say(`nanlint failed: ${error.message}`, true);
  } finally {
    clearTimeout(slow);
  }
}

function say(message, wrong = false) {
  status.textContent = message;
  status.classList.toggle("pg-wrong", wrong);
}

function summary(found) {
  if (!text.value.trim()) return "Paste code, or choose an example.";
  if (found.length === 0) return "No findings.";
  const fixes = found.filter((one) => one.fix?.diff).length;
  return `${found.length} finding${found.length === 1 ? "" : "s"}, ${fixes} with a fix.`;
}

// The editor: a textarea, and behind it the same text with colours and underlines

const TOKENS = new RegExp(
  [
    "(?<comment>#.*)",
    "(?<string>[rbfuRBFU]{0,2}(?:\"\"\"[^]*?(?:\"\"\"|$)|'''[^]*?(?:'''|$)|\"(?:\\\\.|[^\"\\\\\\n])*\"?|'(?:\\\\.|[^'\\\\\\n])*'?))",
    "(?<number>\\b(?:\\d[\\d_]*\\.?\\d*(?:[eE][-+]?\\d+)?|0[xX][\\da-fA-F]+)\\b)",
    "(?<keyword>\\b(?:False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)\\b)",
    "[A-Za-z_]\\w*",
  ].join("|"),
  "g",
);

function mark(found) {
  const code = text.value;
  const spans = [];
  for (const token of code.matchAll(TOKENS)) {
    const kind = Object.keys(token.groups).find((name) => token.groups[name] !== undefined);
    if (kind) spans.push([token.index, token.index + token[0].length, `pg-${kind}`]);
  }
  found.forEach((one, index) => {
    for (const cause of one.causes) spans.push([cause.start, cause.end, "pg-cause"]);
    spans.push([one.start, one.end, index === current ? "pg-effect pg-current" : "pg-effect"]);
  });
  const borders = [...new Set([0, code.length, ...spans.flatMap(([start, end]) => [start, end])])].sort((a, b) => a - b);
  const starting = spans.toSorted((a, b) => a[0] - b[0]);
  let open = [];
  const pieces = borders.slice(0, -1).map((start, index) => {
    while (starting.length && starting[0][0] <= start) open.push(starting.shift());
    open = open.filter(([, end]) => end > start);
    const piece = code.slice(start, borders[index + 1]);
    if (open.length === 0) return piece;
    const span = document.createElement("span");
    span.className = open.map(([, , kind]) => kind).join(" ");
    span.textContent = piece;
    return span;
  });
  // a last line that is empty has a height only with something in it
  paint.replaceChildren(...pieces, "\n");
  lines.textContent = code.split("\n").map((_, row) => row + 1).join("\n");
}

function put(code) {
  // as if it were typed, so that the browser's undo takes it back
  text.focus({ preventScroll: true });
  text.select();
  if (!document.execCommand("insertText", false, code)) text.value = code;
  text.setSelectionRange(0, 0);
  changed();
}

function go(place) {
  text.focus({ preventScroll: true });
  text.setSelectionRange(place.start, place.end);
  const row = text.value.slice(0, place.start).split("\n").length - 1;
  const editor = text.closest(".pg-editor");
  const height = parseFloat(getComputedStyle(text).lineHeight);
  editor.scrollTop = Math.max(0, row * height - editor.clientHeight / 3);
  editor.scrollIntoView({ block: "nearest" });
}

function pick(index) {
  if (index === current) return;
  current = index;
  mark(findings);
  [...list.children].forEach((item, at) => item.classList.toggle("pg-current", at === index));
}

// The findings

function show(found) {
  findings = found;
  mark(found);
  list.replaceChildren(...found.map(card));
  fixAll.disabled = !found.some((one) => one.fix?.diff && one.fix.applicability === "safe");
}

function make(tag, kind, ...children) {
  const made = document.createElement(tag);
  if (kind) made.className = kind;
  made.append(...children);
  return made;
}

function button(label, title, act) {
  const made = make("button", "", label);
  made.type = "button";
  if (title) made.setAttribute("aria-label", title);
  made.addEventListener("click", act);
  return made;
}

function card(one, index) {
  const rule = make("a", "", `${one.code} ${one.name}`);
  rule.href = new URL(`../rules/${one.name}/`, here);
  const place = button(one.at, `Go to line ${one.at.split(":")[0]}: ${one.message}`, () => {
    pick(index);
    go(one);
  });
  const item = make("li", "", make("p", "pg-head", place, " ", rule, ` ${one.confidence}`), make("p", "pg-message", one.message));
  const facts = make("dl");
  const fact = (term, ...what) => facts.append(make("div", "", make("dt", "", term), make("dd", "", ...what)));
  for (const cause of one.causes) {
    const at = button(cause.at, `Go to the cause in line ${cause.at.split(":")[0]}`, () => go(cause));
    fact("Cause", at, " ", make("code", "", shortened(text.value.slice(cause.start, cause.end))), ` ${cause.message}`);
  }
  if (one.effect) fact("Effect", one.effect);
  if (one.witness) fact("Witness", one.witness);
  if (one.fix) fact(one.fix.diff ? `Fix (${one.fix.applicability})` : "Suggestion", code(one.fix.message));
  if (facts.childElementCount) item.append(facts);
  if (one.fix?.diff) {
    const diff = make("pre", "pg-diff", ...one.fix.diff.trimEnd().split("\n").map(changedLine));
    diff.tabIndex = 0;
    diff.setAttribute("aria-label", "Diff of the fix");
    const apply = button(one.fix.applicability === "safe" ? "Apply fix" : "Apply unsafe fix", "", () => applied(index));
    item.append(diff, apply);
  }
  return item;
}

// Messages write code between backticks.
function code(message) {
  const parts = message.split("`");
  return make("span", "", ...parts.map((part, index) => (index % 2 ? make("code", "", part) : part)));
}

const shortened = (piece) => (piece.length > 60 ? `${piece.slice(0, 59)}…` : piece);

function changedLine(line) {
  const kind = { "+": "pg-added", "-": "pg-removed", "@": "pg-hunk" }[line[0]];
  return make("span", kind ?? "", `${line}\n`);
}

async function applied(index) {
  const mine = newest;
  if (!loaded) return putFinished();
  const answer = await ask({ ask: "apply", index });
  if (mine === newest) put(answer.text);
}

function putFinished() {
  put(finished.fixed);
  show([]);
}

// Sharing: the code, compressed, behind the # of the address

const stream = async (bytes, through) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(through)).arrayBuffer());

async function packed(state) {
  const bytes = await stream(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(word) {
  const binary = atob(word.replaceAll("-", "+").replaceAll("_", "/"));
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(await stream(bytes, new DecompressionStream("deflate-raw"))));
}

async function opened() {
  const word = location.hash.match(/^#code=(.+)$/)?.[1];
  if (word === undefined) return false;
  try {
    const state = await unpacked(word);
    confidence.value = ["certain", "likely", "possible"].includes(state.confidence) ? state.confidence : "likely";
    select.value = String(state.select ?? "");
    ignore.value = String(state.ignore ?? "");
    text.value = String(state.code ?? "");
    changed();
    return true;
  } catch {
    notice = "The address contains no readable code. ";
    return false;
  }
}

share.addEventListener("click", async () => {
  const state = { code: text.value, confidence: confidence.value, select: select.value, ignore: ignore.value };
  history.replaceState(null, "", `#code=${await packed(state)}`);
  address.value = location.href;
  shared.hidden = false;
  address.focus();
  address.select();
  await navigator.clipboard?.writeText(location.href).then(() => say("The address was copied."), () => {});
});

// What the page begins with

text.addEventListener("input", () => changed(400));
text.addEventListener("click", () => {
  const at = text.selectionStart;
  const index = findings.findIndex((one) => one.start <= at && at <= one.end);
  if (index >= 0 && !list.querySelector("button")?.disabled) {
    pick(index);
    list.children[index].scrollIntoView({ block: "nearest" });
  }
});
for (const control of [confidence, select, ignore]) control.addEventListener("input", () => changed(400));
element("example").form.addEventListener("submit", (event) => event.preventDefault());
fixAll.addEventListener("click", async () => {
  const mine = newest;
  if (!loaded) return putFinished();
  const answer = await ask({ ask: "fix", text: text.value, options: options() });
  if (mine === newest) put(answer.text);
});
addEventListener("hashchange", opened);

async function chosen(name) {
  const answer = await fetch(new URL(`examples/${name}`, here));
  return answer.text();
}

example.addEventListener("change", async () => {
  if (example.value) put(await chosen(example.value));
});

async function begin() {
  const manifest = await (await fetch(new URL("manifest.json", here))).json();
  for (const name of manifest.examples) example.append(new Option(name, name));
  finished = await (await fetch(new URL("first.json", here))).json();
  if (!(await opened())) {
    if (!text.value) text.value = finished.text;
    show(text.value === finished.text ? finished.findings : []);
  }
}

const beginning = begin();
try {
  await ask({ ask: "load", base: here.href });
  await beginning;
  loaded = true;
  document.getElementById("playground").dataset.ready = "";
  changed();
} catch (error) {
  await beginning.catch(() => {});
  const example = list.childElementCount ? " This is a finished example." : "";
  say(`Python could not be loaded, so code cannot be checked here: ${error.message}.${example}`, true);
}
