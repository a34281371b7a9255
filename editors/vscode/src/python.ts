/** The Python interpreters of a workspace: of the settings, of the Python extension, of the folder, of the system. */

import * as fs from "node:fs";
import * as path from "node:path";
import * as vscode from "vscode";

import { folder, own } from "./settings";

const WINDOWS = process.platform === "win32";

/** An interpreter, or a command, and where it was found. */
export interface Candidate {
  command: string;
  origin: string;
}

/** The part of the Python extension's interface that is used here. */
interface PythonExtension {
  environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { path: string };
    resolveEnvironment(environment: { path: string }): Promise<{ executable: { uri?: vscode.Uri } } | undefined>;
    onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** The interpreters of this project, best first. Those of a folder that is not trusted are not run. */
export async function ofTheProject(): Promise<Candidate[]> {
  const found: Candidate[] = [];
  const configured = own<string>("interpreter");
  if (configured !== undefined) {
    found.push({ command: expanded(configured), origin: "nanlint.interpreter" });
  }
  if (!vscode.workspace.isTrusted) {
    return found;
  }
  const selected = await selectedInterpreter();
  if (selected !== undefined) {
    found.push({ command: selected, origin: "the environment that is selected in the Python extension" });
  }
  const root = folder()?.uri.fsPath;
  for (const name of root === undefined ? [] : [".venv", "venv"]) {
    const python = pythonOf(path.join(root!, name));
    if (fs.existsSync(python)) {
      found.push({ command: python, origin: `the environment ${name} of the folder` });
    }
  }
  return found;
}

/** The interpreters of the system. */
export function ofTheSystem(): Candidate[] {
  return (WINDOWS ? ["python", "py"] : ["python3", "python"])
    .map((name) => onThePath(name))
    .filter((command): command is string => command !== undefined)
    .map((command) => ({ command, origin: "PATH" }));
}

/** The interpreter of a virtual environment. */
export function pythonOf(environment: string): string {
  return WINDOWS ? path.join(environment, "Scripts", "python.exe") : path.join(environment, "bin", "python");
}

/** The absolute path of a command. Entries of PATH that are relative, and so may lie in the workspace, do not count. */
export function onThePath(name: string): string | undefined {
  const names = WINDOWS ? [`${name}.exe`, `${name}.cmd`, `${name}.bat`] : [name];
  for (const directory of (process.env.PATH ?? "").split(path.delimiter).filter(path.isAbsolute)) {
    for (const file of names.map((one) => path.join(directory, one))) {
      try {
        fs.accessSync(file, fs.constants.X_OK);
        if (fs.statSync(file).isFile()) {
          return file;
        }
      } catch {
        // not there
      }
    }
  }
  return undefined;
}

/** A path of the settings, with `~` and `${workspaceFolder}` replaced. */
export function expanded(given: string): string {
  const home = process.env.HOME ?? process.env.USERPROFILE ?? "~";
  const text = given.replace(/^~(?=$|[\\/])/, home).replaceAll("${userHome}", home);
  return text.replaceAll("${workspaceFolder}", folder()?.uri.fsPath ?? "${workspaceFolder}");
}

/** Call back when another environment is selected in the Python extension. */
export async function onSelection(changed: () => void): Promise<vscode.Disposable | undefined> {
  return (await pythonExtension())?.environments.onDidChangeActiveEnvironmentPath(changed);
}

async function selectedInterpreter(): Promise<string | undefined> {
  const environments = (await pythonExtension())?.environments;
  const active = environments?.getActiveEnvironmentPath(folder()?.uri);
  return active && (await environments?.resolveEnvironment(active))?.executable.uri?.fsPath;
}

async function pythonExtension(): Promise<PythonExtension | undefined> {
  const extension = vscode.extensions.getExtension<PythonExtension>("ms-python.python");
  try {
    const api = await extension?.activate();
    return api?.environments === undefined ? undefined : api;
  } catch {
    return undefined; // it failed and says so itself
  }
}
