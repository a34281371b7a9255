/** Reads the settings: some are for the extension, all others for the server. */

import * as vscode from "vscode";

/** The settings that only the extension reads. The server would report them as unknown. */
const EXTENSION_ONLY = ["path", "interpreter", "importStrategy", "args", "server", "trace"];

export const SECTION = "nanlint";

/** The settings of the server for a folder; `trust` is left out, because the server takes it at its start only. */
export function serverSettings(scope?: vscode.Uri): Record<string, unknown> {
  const { trust: _, ...settings } = startSettings(scope);
  return settings;
}

/** The settings that the server gets when it starts. */
export function startSettings(scope?: vscode.Uri): Record<string, unknown> {
  const all = vscode.workspace.getConfiguration(SECTION, scope) as unknown as Record<string, unknown>;
  const names = Object.keys(all).filter((name) => !EXTENSION_ONLY.includes(name) && typeof all[name] !== "function");
  return Object.fromEntries(names.map((name) => [name, all[name]]));
}

/** One of the extension's own settings; text that is empty counts as not set. */
export function own<T>(name: string): T | undefined {
  return vscode.workspace.getConfiguration(SECTION, folder()?.uri).get<T>(name) || undefined;
}

/** The first folder of the workspace: its environment decides which server runs. */
export function folder(): vscode.WorkspaceFolder | undefined {
  return vscode.workspace.workspaceFolders?.[0];
}
