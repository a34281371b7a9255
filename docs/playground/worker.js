// Python in a web worker: loads Pyodide and nanlint, then answers requests {id, ask, ...} with {id, ...}.

let python;
let session;
let libcst; // whether it could be loaded; undefined before that was tried

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

// libcst is needed only where a fix is made, and not for its meaning: without it, a fix may keep superfluous parentheses.
async function loadLibcst() {
  try {
    await python.loadPackage("libcst", { messageCallback: () => {}, errorCallback: () => {} });
    libcst = python.runPython("import importlib.util; importlib.util.find_spec('libcst') is not None");
  } catch {
    libcst = false;
  }
}

async function answer({ ask, base, text, options, index }) {
  if (ask === "load") {
    await load(base);
    return {};
  }
  if (ask === "apply") return { text: session.apply(index) };
  if (ask === "fix") return { text: session.fix(text, options) };
  let found = JSON.parse(session.check(text, options));
  if (libcst === undefined && found.findings?.some((one) => one.fix?.diff)) {
    await loadLibcst();
    if (libcst) found = JSON.parse(session.check(text, options));
  }
  return found;
}

// Of a traceback the last line.
const reason = (error) => String(error.message ?? error).trim().split("\n").at(-1);

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  // one after the other: a request may wait for libcst
  last = last.then(async () => {
    try {
      self.postMessage({ id: data.id, ...(await answer(data)) });
    } catch (error) {
      self.postMessage({ id: data.id, failure: reason(error) });
    }
  });
};
