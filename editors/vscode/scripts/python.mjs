/** The interpreter that has the project's dependencies: PYTHON, that of the project's environment, or that on PATH. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const WINDOWS = process.platform === "win32";
const OWN = fileURLToPath(new URL(WINDOWS ? "../../../.venv/Scripts/python.exe" : "../../../.venv/bin/python", import.meta.url));

export const python = process.env.PYTHON ?? (existsSync(OWN) ? OWN : WINDOWS ? "python" : "python3");
