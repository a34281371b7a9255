// node pyodide.mjs PLAYGROUND REQUESTS: what the playground's Python answers, as JSON, in Pyodide under node.
// PLAYGROUND: the site's directory of that name; REQUESTS: a JSON list of [function, ...arguments].
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { loadPyodide } from "pyodide";

const [playground, requests] = process.argv.slice(2);
const python = await loadPyodide();
const packages = python.runPython("import site; site.getsitepackages()[0]");
for (const name of JSON.parse(readFileSync(join(playground, "manifest.json"), "utf8")).archives) {
  python.unpackArchive(new Uint8Array(readFileSync(join(playground, name))), "zip", { extractDir: packages });
}
const session = python.pyimport("playground_session");
const answers = JSON.parse(readFileSync(requests, "utf8")).map(([name, ...rest]) => session[name](...rest));
console.log(JSON.stringify(answers));
