/** Decides which server runs: configured, of the project's environment, on PATH, or the one in this extension. */

import * as vscode from "vscode";

import { bundled } from "./bundled";
import { NoServer, messageOf } from "./extension";
import { expanded, ofTheProject, onThePath } from "./python";
import { run } from "./run";
import { own } from "./settings";

/** The oldest server that this extension works with. */
const OLDEST = "0.1.0";

/** How a server is started, before the word `server`. */
export interface Server {
  command: string;
  args: string[];
  version: string;
  origin: string;
}

/** A server that is too old for this extension. */
class TooOld extends NoServer {
  constructor(server: Server) {
    super(
      `nanlint ${server.version} (${server.origin}) is too old for this extension, which needs ${OLDEST} or newer. ` +
        'Update it with "pip install --upgrade nanlint".',
    );
  }
}

/** The server that is to run. Throws `NoServer`. */
export async function findServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Promise<Server> {
  const configured = own<string>("path");
  if (configured !== undefined) {
    return configuredServer(expanded(configured));
  }
  if (own<string>("importStrategy") !== "useBundled") {
    for (const attempt of await attempts()) {
      try {
        return await asked(attempt);
      } catch (error) {
        log.info(`not used: ${attempt.origin} (${attempt.command}): ${messageOf(error)}`);
        if (error instanceof TooOld) {
          void vscode.window.showWarningMessage(`nanlint: ${error.message}`);
        }
      }
    }
  }
  return asked({ ...(await bundled(context, log)), origin: "the version in this extension" });
}

async function configuredServer(command: string): Promise<Server> {
  try {
    return await asked({ command, args: [], origin: "nanlint.path" });
  } catch (error) {
    throw error instanceof NoServer ? error : new NoServer(`nanlint.path: cannot run ${command}: ${messageOf(error)}`);
  }
}

async function attempts(): Promise<Omit<Server, "version">[]> {
  const interpreters = (await ofTheProject()).map((one) => ({ ...one, args: ["-m", "nanlint"] }));
  const command = onThePath("nanlint");
  return command === undefined ? interpreters : [...interpreters, { command, args: [], origin: "PATH" }];
}

/** A server with its version. Throws if it cannot be run, and `TooOld`. */
async function asked(server: Omit<Server, "version">): Promise<Server> {
  const answer = await run(server.command, [...server.args, "--version"]);
  const version = /^nanlint (\S+)/.exec(answer)?.[1];
  if (version === undefined) {
    throw new Error(`it says ${JSON.stringify(answer.slice(0, 80))} instead of its version`);
  }
  const found = { ...server, version };
  if (isOlder(version, OLDEST)) {
    throw new TooOld(found);
  }
  return found;
}

export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((one) => one.split(".").map((part) => parseInt(part, 10) || 0));
  const at = left!.findIndex((part, index) => part !== (right![index] ?? 0));
  return at >= 0 && left![at]! < (right![at] ?? 0);
}
