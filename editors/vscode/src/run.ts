/** Runs programs. */

import { execFile } from "node:child_process";

/** Where programs run: `python -m` can import what lies in the working directory, so that is never the workspace. */
export const DIRECTORY = __dirname;

/** The standard output of a program. */
export function run(command: string, args: string[], signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { cwd: DIRECTORY, timeout: signal ? 0 : 30_000, signal, maxBuffer: 2 ** 24 };
    execFile(command, args, options, (error, stdout, stderr) => {
      if (error === null) {
        resolve(stdout.trim());
      } else {
        reject(new Error(lastLine(stderr) ?? error.message, { cause: error }));
      }
    });
  });
}

function lastLine(text: string): string | undefined {
  return text.trim().split("\n").at(-1)?.trim() || undefined;
}
