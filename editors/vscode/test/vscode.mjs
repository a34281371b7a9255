/**
 * Stands in for the module `vscode`, which exists only inside VS Code: what the extension asks of it is kept or answered
 * here, everything else is an object that does nothing. And it loads the bundle of the node entry, as VS Code does.
 */

import { EventEmitter } from "node:events";
import Module, { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";

const BUNDLE = fileURLToPath(new URL("../dist/node.js", import.meta.url));
const MANIFEST = createRequire(import.meta.url)("../package.json");

class Disposable {
  constructor(dispose = () => undefined) {
    this.dispose = dispose;
  }
  static from(...all) {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

class Uri {
  constructor(scheme, path) {
    Object.assign(this, { scheme, path, fsPath: path, authority: "", query: "", fragment: "" });
  }
  static file(path) {
    return new Uri("file", path);
  }
  static parse(text) {
    return new Uri(new URL(text).protocol.slice(0, -1), decodeURIComponent(new URL(text).pathname));
  }
  toString() {
    return this.scheme === "file" ? pathToFileURL(this.path).href : `${this.scheme}:${this.path}`;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(startLine, startCharacter, endLine, endCharacter) {
    this.start = startLine instanceof Position ? startLine : new Position(startLine, startCharacter);
    this.end = startLine instanceof Position ? startCharacter : new Position(endLine, endCharacter);
  }
}

class WorkspaceEdit {
  edits = [];
  get size() {
    return this.edits.length;
  }
  set(uri, edits) {
    this.edits.push([uri.toString(), edits]);
  }
}

class TextEdit {
  constructor(range, newText) {
    Object.assign(this, { range, newText });
  }
}

class CodeActionKind {
  static Empty = new CodeActionKind("");
  static QuickFix = new CodeActionKind("quickfix");
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value ? `${this.value}.${part}` : part);
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel() {}
  dispose() {}
}

/** An event as VS Code has them: a function that takes a listener. */
function event() {
  const emitter = new EventEmitter();
  const subscribe = (listener) => {
    emitter.on("", listener);
    return new Disposable(() => emitter.off("", listener));
  };
  return [subscribe, (value) => emitter.emit("", value)];
}

/** Anything that the language client wants to construct, subclass, call or read and that does not matter here. */
function anything(known = {}) {
  // bundles copy the properties that an imported module has
  return new Proxy(Object.assign(class {}, known), {
    get: (target, name) => (name in known ? known[name] : name === "prototype" ? target.prototype : anything()),
    set: (_, name, value) => ((known[name] = value), true),
    apply: () => new Disposable(),
  });
}

/** A namespace of functions: those that are not given return a Disposable, events included. */
function namespace(known) {
  return new Proxy(known, { get: (_, name) => (name in known ? known[name] : () => new Disposable()) });
}

/**
 * A window of VS Code with the extension in it. `settings` are those of the section `nanlint`; `python` is the
 * interpreter that is selected in the Python extension.
 */
export function openWindow({ settings = {}, folder, trusted = true, python, storage, bundled, documents = [] } = {}) {
  const [onDidChangeConfiguration, changeConfiguration] = event();
  const [onDidGrantWorkspaceTrust, grantTrust] = event();
  const [onDidChangeWorkspaceFolders] = event();
  const [onDidChangeActiveEnvironmentPath, selectEnvironment] = event();
  const log = [];
  const shown = [];
  const commands = new Map();
  const status = { show: () => undefined, dispose: () => undefined };
  const properties = MANIFEST.contributes.configuration.properties;
  const defaults = Object.fromEntries(
    Object.entries(properties).map(([name, { default: value }]) => [name.replace("nanlint.", ""), value]),
  );
  const configuration = () => {
    const all = { ...defaults, ...settings };
    const nested = Object.fromEntries(Object.entries(all).filter(([name]) => !name.includes(".")));
    return { ...nested, server: {}, trace: {}, get: (name, value) => all[name] ?? value, has: (name) => name in all };
  };
  const say = (kind) => (message, ...actions) => (shown.push({ kind, message, actions }), Promise.resolve(undefined));
  const write = (level) => (message) => log.push(`${level}: ${message}`);
  const channel = namespace({
    logLevel: 3,
    onDidChangeLogLevel: () => new Disposable(),
    ...Object.fromEntries(["trace", "debug", "info", "warn", "error", "append", "appendLine"].map((l) => [l, write(l)])),
    show: () => shown.push({ kind: "log" }),
  });
  const window = {
    createOutputChannel: () => channel,
    createStatusBarItem: () => status,
    showErrorMessage: say("error"),
    showWarningMessage: say("warning"),
    showInformationMessage: say("information"),
    withProgress: (_, work) => work({ report: () => undefined }, new CancellationTokenSource().token),
    visibleTextEditors: [],
    visibleNotebookEditors: [],
    tabGroups: namespace({ all: [], onDidChangeTabs: () => new Disposable() }),
    activeTextEditor: undefined,
  };
  const workspace = {
    workspaceFolders: folder && [{ uri: Uri.file(folder), name: "folder", index: 0 }],
    isTrusted: trusted,
    textDocuments: documents,
    notebookDocuments: [],
    getConfiguration: (section) => (section === "nanlint" ? configuration() : namespace({ get: (_, value) => value })),
    onDidChangeConfiguration,
    onDidGrantWorkspaceTrust,
    onDidChangeWorkspaceFolders,
    createFileSystemWatcher: () => namespace({ dispose: () => undefined }),
    applied: [],
    applyEdit: (edit) => (workspace.applied.push(edit), Promise.resolve(true)),
  };
  const python_extension = {
    activate: () =>
      Promise.resolve({
        environments: {
          getActiveEnvironmentPath: () => ({ path: python }),
          resolveEnvironment: () => Promise.resolve({ executable: { uri: Uri.file(python) } }),
          onDidChangeActiveEnvironmentPath,
        },
      }),
  };
  const vscode = anything({
    Uri,
    Position,
    Range,
    WorkspaceEdit,
    TextEdit,
    Disposable,
    CodeActionKind,
    CancellationTokenSource,
    version: "1.91.0",
    env: { language: "en", appName: "test", uiKind: 1 },
    window: namespace(window),
    workspace: namespace(workspace),
    commands: namespace({
      registerCommand: (name, action) => {
        if (commands.has(name)) {
          throw new Error(`command '${name}' already exists`);
        }
        commands.set(name, action);
        return new Disposable(() => commands.delete(name));
      },
    }),
    languages: namespace({
      match: () => 10,
      createDiagnosticCollection: () => namespace({ clear: () => undefined, dispose: () => undefined }),
    }),
    extensions: namespace({ getExtension: (id) => (python && id === "ms-python.python" ? python_extension : undefined) }),
    ThemeColor: class {},
    StatusBarAlignment: { Left: 1, Right: 2 },
    ProgressLocation: { Notification: 15 },
    EventEmitter: class {
      constructor() {
        [this.event, this.fire] = event();
      }
      dispose() {}
    },
  });
  const entry = load(vscode);
  const context = {
    subscriptions: [],
    extension: { packageJSON: MANIFEST },
    extensionUri: Uri.file(bundled ?? "/nowhere"),
    globalStorageUri: Uri.file(storage ?? "/nowhere"),
  };
  return {
    log,
    shown,
    status,
    window,
    workspace,
    start: () => entry.activate(context),
    close: () => entry.deactivate(),
    run: (command) => commands.get(command)(),
    commands,
    /** Changes settings, as a user does in the editor of settings. */
    set: (changed) => {
      Object.assign(settings, changed);
      const names = Object.keys(changed).map((name) => `nanlint.${name}`);
      changeConfiguration({
        affectsConfiguration: (section) => names.some((name) => name === section || name.startsWith(`${section}.`)),
      });
    },
    trust: () => {
      workspace.isTrusted = true;
      grantTrust();
    },
    select: (environment) => {
      python = environment;
      selectEnvironment();
    },
  };
}

/** A Python file that is open. */
export function document(path, text) {
  const lineCount = text.split("\n").length;
  return { uri: Uri.file(path), languageId: "python", version: 1, getText: () => text, lineCount, isDirty: false };
}

/** Each window has a copy of its own of the module. */
function load(vscode) {
  const original = Module._load;
  Module._load = (request, ...rest) => (request === "vscode" ? vscode : original(request, ...rest));
  try {
    const require = createRequire(import.meta.url);
    delete require.cache[BUNDLE];
    return require(BUNDLE);
  } finally {
    Module._load = original;
  }
}
