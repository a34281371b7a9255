/** The server in this extension: wheels that are installed once, into an environment that nothing else uses. */

import * as fs from "node:fs/promises";
import * as path from "node:path";
import * as vscode from "vscode";

import { NoServer, messageOf } from "./extension";
import { ofTheProject, ofTheSystem, pythonOf, type Candidate } from "./python";
import { run } from "./run";

const OLDEST_PYTHON = [3, 10] as const;
const ADVICE =
  'Install nanlint yourself ("pip install nanlint" in the environment of the project) and run "nanlint: Restart Server".';

/** The command of the server in this extension, which is installed if it is not. Throws `NoServer`. */
export async function bundled(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<{ command: string; args: string[] }> {
  const version = String(context.extension.packageJSON.version);
  const environment = path.join(context.globalStorageUri.fsPath, `server-${version}`);
  const server = { command: pythonOf(environment), args: ["-m", "nanlint"] };
  try {
    await run(server.command, [...server.args, "--version"]);
    return server;
  } catch {
    await fs.rm(environment, { recursive: true, force: true }); // not there yet, or its Python is gone
  }
  const wheels = await wheelsIn(path.join(context.extensionUri.fsPath, "bundled"));
  const python = await suitable(log);
  log.info(`installing ${wheels.join(" ")} with ${python.command} into ${environment}`);
  await vscode.window.withProgress(
    { location: vscode.ProgressLocation.Notification, title: `Installing nanlint ${version}`, cancellable: true },
    async (progress, token) => {
      const stopping = new AbortController();
      token.onCancellationRequested(() => stopping.abort());
      await install(python.command, wheels, environment, (message) => progress.report({ message }), stopping.signal);
    },
  );
  await removeOthers(environment);
  return server;
}

/** Installs beside the place and moves at the end: what was interrupted is never used. */
async function install(
  python: string,
  wheels: string[],
  environment: string,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const unfinished = `${environment}.${process.pid}`;
  try {
    await fs.mkdir(path.dirname(environment), { recursive: true });
    await fs.rm(unfinished, { recursive: true, force: true });
    report("creating an environment…");
    try {
      await run(python, ["-m", "venv", unfinished], signal);
    } catch (error) {
      throw failed(`${python} -m venv`, error, signal, "On Debian and Ubuntu this needs the package python3-venv. ");
    }
    report("installing packages…");
    const pip = ["-m", "pip", "--disable-pip-version-check", "--no-input", "install", "--quiet"];
    const complete = wheels.length > 1; // with all that nanlint needs
    const what = complete ? ["--no-index", "--no-deps", ...wheels] : wheels;
    try {
      await run(pythonOf(unfinished), [...pip, ...what], signal);
    } catch (error) {
      const reason = complete ? "" : "It needs a connection to a Python package index. ";
      throw failed("pip install", error, signal, reason);
    }
    await fs.rename(unfinished, environment).catch(async (error: unknown) => {
      await fs.access(environment).catch(() => {
        throw new NoServer(`cannot write ${environment}: ${messageOf(error)}`);
      }); // otherwise another window was faster
    });
  } finally {
    await fs.rm(unfinished, { recursive: true, force: true });
  }
}

function failed(command: string, error: unknown, signal: AbortSignal, reason: string): NoServer {
  const what = signal.aborted ? "was cancelled" : `failed: ${messageOf(error)}. ${reason}`.trimEnd();
  return new NoServer(`the server in this extension is not installed: ${command} ${what}. ${ADVICE}`.replace("..", "."));
}

async function wheelsIn(directory: string): Promise<string[]> {
  const names = (await fs.readdir(directory).catch((): string[] => [])).filter((name) => name.endsWith(".whl"));
  if (!names.some((name) => name.startsWith("nanlint-"))) {
    throw new NoServer(`nanlint was not found, and this build of the extension does not contain it. ${ADVICE}`);
  }
  return names.sort().map((name) => path.join(directory, name));
}

/** An interpreter that is new enough. Throws `NoServer`. */
async function suitable(log: vscode.LogOutputChannel): Promise<Candidate> {
  for (const python of [...(await ofTheProject()), ...ofTheSystem()]) {
    try {
      const version = await run(python.command, ["-c", "import sys; print(*sys.version_info[:2])"]);
      const [major, minor] = version.split(" ").map(Number) as [number, number];
      if (major > OLDEST_PYTHON[0] || (major === OLDEST_PYTHON[0] && minor >= OLDEST_PYTHON[1])) {
        return python;
      }
      log.info(`not used: ${python.command} is Python ${version.replace(" ", ".")}`);
    } catch (error) {
      log.info(`not used: ${python.command}: ${messageOf(error)}`);
    }
  }
  throw new NoServer(
    `nanlint was not found, and neither was Python ${OLDEST_PYTHON.join(".")} or newer to run the version in this ` +
      'extension. Install Python, or set "nanlint.interpreter".',
  );
}

async function removeOthers(environment: string): Promise<void> {
  const directory = path.dirname(environment);
  for (const name of await fs.readdir(directory)) {
    if (name.startsWith("server-") && name !== path.basename(environment)) {
      await fs.rm(path.join(directory, name), { recursive: true, force: true }).catch(() => undefined);
    }
  }
}
