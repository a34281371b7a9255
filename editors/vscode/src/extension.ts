/** Everything that does not depend on where the server runs: starting and stopping it, commands, settings, status. */

import * as vscode from "vscode";
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  ExecuteCommandRequest,
  State,
  type BaseLanguageClient,
  type CodeAction,
  type LanguageClientOptions,
} from "vscode-languageclient";

import { SECTION, serverSettings, startSettings, folder } from "./settings";
import { Status } from "./status";

const FIX_ALL = "source.fixAll.nanlint";
const CHECK_WORKSPACE = "nanlint.checkWorkspace";
const SHOW_LOG = "Show Log";

/** Why there is no server, in words for the user. */
export class NoServer extends Error {}

/** A server that can be started, a description of where it comes from, and the last line that it wrote about itself. */
export interface Found {
  origin: string;
  lastLine?: () => string | undefined;
  client: (options: LanguageClientOptions) => BaseLanguageClient;
}

/** Looks for the server; undefined if nothing is wrong and still none should run. Throws `NoServer`. */
export type Find = () => Promise<Found | undefined>;

export class Extension implements vscode.Disposable {
  private readonly status = new Status();
  private readonly disposables: vscode.Disposable[];
  private client: BaseLanguageClient | undefined;
  private last: Promise<void> = Promise.resolve();
  private waiting: Promise<void> | undefined;
  private disposed = false;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly selector: NonNullable<LanguageClientOptions["documentSelector"]>,
    private readonly find: Find,
  ) {
    this.disposables = [
      this.status,
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration(SECTION) && !event.affectsConfiguration(`${SECTION}.trace`)) {
          void this.restart();
        }
      }),
      vscode.commands.registerCommand("nanlint.restart", () => this.restart()),
      vscode.commands.registerCommand("nanlint.showOutput", () => this.log.show()),
      vscode.commands.registerCommand("nanlint.fixAll", () => this.fixAll()),
      vscode.commands.registerCommand("nanlint.check", () => this.checkWorkspace()),
    ];
  }

  /** Stop the server and start it again. Requests that come while one is waiting are answered by that one. */
  restart(): Promise<void> {
    if (this.waiting === undefined) {
      this.waiting = this.last.then(async () => {
        this.waiting = undefined;
        await this.stop();
        if (!this.disposed) {
          await this.start();
        }
      });
      this.last = this.waiting;
    }
    return this.waiting;
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.disposables.forEach((one) => one.dispose());
    await this.last;
    await this.stop();
  }

  private async start(): Promise<void> {
    this.status.starting();
    let found: Found | undefined;
    try {
      found = await this.find();
      if (found === undefined) {
        this.status.stopped("no server is configured");
        return;
      }
      const client = found.client(this.options());
      this.client = client;
      const { origin } = found;
      client.onDidChangeState(({ newState }) => this.changed(client, newState, origin));
      await startedQuietly(client);
    } catch (error) {
      await this.stop();
      this.fail(error instanceof NoServer ? error.message : notStarted(found?.lastLine?.() ?? messageOf(error)));
    }
  }

  private async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    try {
      await client?.dispose();
    } catch (error) {
      this.log.info(`the server had to be stopped: ${String(error)}`); // it failed, or it did not answer in time
    }
  }

  private changed(client: BaseLanguageClient, state: State, origin: string): void {
    if (client !== this.client) {
      return;
    }
    if (state === State.Running) {
      const version = client.initializeResult?.serverInfo?.version ?? "";
      this.log.info(`nanlint ${version} is running: ${origin}`);
      this.status.running(version, origin);
    } else if (state === State.Starting) {
      this.status.starting();
    } else {
      this.status.failed("the server has stopped");
    }
  }

  private fail(why: string): void {
    this.log.error(why);
    this.status.failed(why);
    void vscode.window.showErrorMessage(`nanlint: ${why}`, SHOW_LOG).then((answer) => {
      if (answer === SHOW_LOG) {
        this.log.show();
      }
    });
  }

  private options(): LanguageClientOptions {
    return {
      documentSelector: this.selector,
      diagnosticCollectionName: SECTION,
      outputChannel: this.log,
      initializationOptions: startSettings(folder()?.uri),
      // fail() shows what went wrong; a second attempt would fail in the same way
      initializationFailedHandler: () => false,
      middleware: {
        workspace: {
          configuration: ({ items }) =>
            items.map(({ section, scopeUri }) =>
              section === SECTION ? serverSettings(scopeUri ? vscode.Uri.parse(scopeUri) : undefined) : null,
            ),
        },
      },
    };
  }

  /** The client, if the server runs; otherwise the user is told that it does not. */
  private async running(): Promise<BaseLanguageClient | undefined> {
    await this.last;
    if (this.client?.isRunning()) {
      return this.client;
    }
    void vscode.window.showWarningMessage("nanlint: the server is not running.");
    return undefined;
  }

  private async fixAll(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const client = document && (await this.running());
    if (document === undefined || client === undefined) {
      return;
    }
    const whole = new vscode.Range(0, 0, document.lineCount, 0);
    const converter = client.code2ProtocolConverter;
    const actions = await client.sendRequest(CodeActionRequest.type, {
      textDocument: converter.asTextDocumentIdentifier(document),
      range: converter.asRange(whole),
      context: { diagnostics: [], only: [FIX_ALL] },
    });
    const action = actions?.find((one): one is CodeAction => "kind" in one && one.kind === FIX_ALL);
    const resolved =
      action?.edit || !action ? action : await client.sendRequest(CodeActionResolveRequest.type, action);
    const edit = await client.protocol2CodeConverter.asWorkspaceEdit(resolved?.edit);
    if (edit === undefined || edit.size === 0) {
      void vscode.window.showInformationMessage("nanlint: nothing to fix in this file.");
    } else {
      await vscode.workspace.applyEdit(edit);
    }
  }

  private async checkWorkspace(): Promise<void> {
    const client = await this.running();
    const answer: unknown = await client?.sendRequest(ExecuteCommandRequest.type, { command: CHECK_WORKSPACE });
    const { findings, files } = (answer ?? {}) as { findings?: number; files?: number };
    if (findings !== undefined) {
      void vscode.window.showInformationMessage(`nanlint: ${findings} findings in ${files} files that are not open.`);
    }
  }
}

/** Start a client that does not report by itself why it could not start. */
async function startedQuietly(client: BaseLanguageClient): Promise<void> {
  const { error } = client;
  client.error = (message, data): void => error.call(client, message, data, false);
  await client.start();
  client.error = error;
}

function notStarted(why: string): string {
  return `the server did not start: ${why.replace(/^error: /i, "")}`;
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
