/** Gives the workbench in the browser the files of scripts/workbench.mjs, under `host:/`. */

const vscode = require("vscode");

async function ask(what, uri, body) {
  const url = new URL(`${uri.path}?${what}`, ORIGIN);
  const answer = await fetch(url, body === undefined ? {} : { method: "PUT", body });
  if (!answer.ok) {
    throw vscode.FileSystemError.FileNotFound(uri);
  }
  return answer;
}

let ORIGIN;

exports.activate = (context) => {
  ORIGIN = context.extensionUri.toString(true);
  const changed = new vscode.EventEmitter();
  const refuse = () => {
    throw vscode.FileSystemError.NoPermissions();
  };
  const files = {
    onDidChangeFile: changed.event,
    watch: () => new vscode.Disposable(() => undefined),
    stat: async (uri) => (await ask("stat", uri)).json(),
    readDirectory: async (uri) => (await ask("list", uri)).json(),
    readFile: async (uri) => new Uint8Array(await (await ask("read", uri)).arrayBuffer()),
    writeFile: async (uri, content) => {
      await ask("write", uri, content);
      changed.fire([{ type: vscode.FileChangeType.Changed, uri }]);
    },
    createDirectory: refuse,
    delete: refuse,
    rename: refuse,
  };
  context.subscriptions.push(vscode.workspace.registerFileSystemProvider("host", files, { isCaseSensitive: true }));
};
