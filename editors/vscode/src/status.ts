/** The item in the status bar: whether the server runs, and its version. A click shows the log. */

import * as vscode from "vscode";

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("nanlint.status", vscode.StatusBarAlignment.Right, 100);

  constructor() {
    this.item.name = "nanlint";
    this.item.command = "nanlint.showOutput";
    this.starting();
    this.item.show();
  }

  starting(): void {
    this.show("$(sync~spin)", "the server is starting");
  }

  running(version: string, origin: string): void {
    this.show("$(check)", `version ${version}, ${origin}`, version);
  }

  stopped(why: string): void {
    this.show("$(circle-slash)", why);
  }

  failed(why: string): void {
    this.show("$(error)", why);
    this.item.backgroundColor = new vscode.ThemeColor("statusBarItem.errorBackground");
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(icon: string, details: string, version = ""): void {
    this.item.text = `${icon} nanlint ${version}`.trimEnd();
    this.item.tooltip = `nanlint: ${details}\nClick to show the log.`;
    this.item.backgroundColor = undefined;
  }
}
