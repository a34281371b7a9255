/** The entry in a browser, where no process can be started: connects to a server over a WebSocket. */

import * as vscode from "vscode";
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  LanguageClient,
  type DataCallback,
  type Disposable,
  type Message,
  type MessageTransports,
} from "vscode-languageclient/browser";

import { Extension, NoServer } from "./extension";
import { own } from "./settings";

/** Each frame of text holds one message. */
class Reader extends AbstractMessageReader {
  constructor(private readonly socket: WebSocket) {
    super();
  }

  listen(callback: DataCallback): Disposable {
    this.socket.onmessage = ({ data }): void => callback(JSON.parse(String(data)) as Message);
    this.socket.onclose = (): void => this.fireClose();
    return { dispose: (): void => this.socket.close() };
  }
}

class Writer extends AbstractMessageWriter {
  constructor(private readonly socket: WebSocket) {
    super();
  }

  write(message: Message): Promise<void> {
    this.socket.send(JSON.stringify(message));
    return Promise.resolve();
  }

  end(): void {
    this.socket.close();
  }
}

let extension: Extension | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("nanlint", { log: true });
  const selector = [{ language: "python" }, { pattern: "**/{pyproject,nanlint,.nanlint}.toml" }];
  extension = new Extension(log, selector, () => {
    const url = own<string>("server.url");
    if (url === undefined) {
      log.info("In a browser nanlint needs a server: set nanlint.server.url to the address of one.");
      return Promise.resolve(undefined);
    }
    const connected = (): Promise<MessageTransports> => connect(url);
    return Promise.resolve({
      origin: url,
      client: (options) => new LanguageClient("nanlint", "nanlint", connected, options),
    });
  });
  context.subscriptions.push(log);
  await extension.restart();
}

export function deactivate(): Promise<void> | undefined {
  return extension?.dispose();
}

function connect(url: string): Promise<MessageTransports> {
  return new Promise((resolve, reject) => {
    const refused = (): void => reject(new NoServer(`cannot connect to ${url} (nanlint.server.url)`));
    try {
      const socket = new WebSocket(url);
      socket.onopen = (): void => resolve({ reader: new Reader(socket), writer: new Writer(socket) });
      socket.onerror = refused;
    } catch {
      refused();
    }
  });
}
