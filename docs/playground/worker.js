// Python in a web worker: loads Pyodide and nanlint, then answers requests {id, ask, ...} with {id, ...}.

let python;
let session;

async function load(base) {
  const manifest = await (await fetch(new URL("manifest.json", base))).json();
  const pyodide = new URL(manifest.pyodide, base).href;
  const { loadPyodide } = await import(`${pyodide}pyodide.mjs`);
  const archives = manifest.archives.map(async (name) => {
    const answer = await fetch(new URL(name, base));
    if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
    return answer.arrayBuffer();
  });
  python = await loadPyodide({ indexURL: pyodide });
  const packages = python.runPython("import site; site.getsitepackages()[0]");
  for (const archive of archives) python.unpackArchive(await archive, "zip", { extractDir: packages });
  session = python.pyimport("playground_session");
}

async function answer({ ask, base, text, options, index }) {
  if (ask === "load") {
    await load(base);
    return {};
  }
  if (ask === "apply") return { text: session.apply(index) };
  if (ask === "fix") return { text: session.fix(text, options) };
  return JSON.parse(session.check(text, options));
}

// Of a traceback the last line.
const reason = (error) => String(error.message ?? error).trim().split("\n").at(-1);

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  // one after the other: the first one may wait for Pyodide
  last = last.then(async () => {
    try {
      self.postMessage({ id: data.id, ...(await answer(data)) });
    } catch (error) {
      self.postMessage({ id: data.id, failure: reason(error) });
    }
  });
};
