/** The entry in VS Code on a computer: starts `nanlint server` there. */

import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

import { Extension } from "./extension";
import { findServer } from "./find";
import { onSelection } from "./python";
import { DIRECTORY } from "./run";
import { own } from "./settings";

const SCHEMES = ["file", "untitled", "vscode-notebook-cell"];
const SELECTOR = [
  ...SCHEMES.map((scheme) => ({ scheme, language: "python" })),
  { scheme: "file", pattern: "**/{pyproject,nanlint,.nanlint}.toml" },
];

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("nanlint", { log: true });
  const started = new Extension(log, SELECTOR, async () => {
    const server = await findServer(context, log);
    const args = [...server.args, "server", ...(own<string[]>("args") ?? [])];
    log.info(`starting ${[server.command, ...args].join(" ")} (${server.origin})`);
    const executable = { command: server.command, args, options: { cwd: DIRECTORY } };
    let last: string | undefined;
    const stdioOptions = {
      stdout: (): void => undefined, // messages
      stderr: (stream: Readable): void => {
        createInterface(stream).on("line", (line) => log.info((last = line)));
      },
    };
    return {
      origin: server.origin,
      lastLine: () => last,
      client: (options) => new LanguageClient("nanlint", "nanlint", executable, { ...options, stdioOptions }),
    };
  });
  extension = started;
  const restart = (): void => void started.restart();
  context.subscriptions.push(log, vscode.workspace.onDidGrantWorkspaceTrust(restart));
  context.subscriptions.push(vscode.workspace.onDidChangeWorkspaceFolders(restart));
  const selection = await onSelection(restart);
  if (selection !== undefined) {
    context.subscriptions.push(selection);
  }
  restart();
}

export function deactivate(): Promise<void> | undefined {
  return extension?.dispose();
}
