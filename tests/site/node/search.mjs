// node search.mjs SITE QUERIES: what the theme's own search worker finds, as JSON: for each query of the JSON list the
// addresses of the pages, best first.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import vm from "node:vm";

const [site, queries] = process.argv.slice(2);
const workers = join(site, "assets/javascripts/workers");
const [worker] = readdirSync(workers).filter((name) => /^search.*\.js$/.test(name));

const waiting = [];
let listen;
const context = vm.createContext({
  console,
  addEventListener: (_, heard) => (listen = heard),
  postMessage: (message) => waiting.shift()(message),
});
context.self = context.parent = context;
vm.runInContext(readFileSync(join(workers, worker), "utf8"), context);

// what a page asks its worker, through the site's own script
context.Worker = class {
  postMessage(data) {
    listen({ data });
  }
};
vm.runInContext(readFileSync(join(site, "assets/search.js"), "utf8"), context);

function ask(type, data) {
  return new Promise((resolve) => {
    waiting.push(resolve);
    new context.Worker().postMessage({ type, data });
  });
}

const { config, docs, options } = JSON.parse(readFileSync(join(site, "search/search_index.json"), "utf8"));
await ask(0, { config, docs, options: { suggest: true, ...options } });
const found = [];
for (const query of JSON.parse(queries)) {
  const { data } = await ask(2, query);
  found.push(data.items.map(([first]) => first.location.split("#")[0]));
}
console.log(JSON.stringify(found));
