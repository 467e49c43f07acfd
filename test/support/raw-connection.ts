import type { Server as NodeServer } from "node:http";
import { type Socket, connect } from "node:net";
import { onTestFinished } from "vitest";
import type { Party } from "./raw-http-client.js";

/** Returns the text of a POST request. */
export function postText(
  party: Party,
  message: unknown,
  more: Readonly<Record<string, string>> = {},
): string {
  const body = JSON.stringify(message);
  const headers = Object.entries({
    host: "localhost",
    ...party.headersOf(message, more),
    "content-length": String(Buffer.byteLength(body)),
  });
  return `POST /mcp HTTP/1.1\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${body}`;
}

/** A connection to which tests write raw text. */
export class RawConnection {
  /** All received text. */
  heard = "";
  readonly closed: Promise<void>;
  private readonly socket: Socket;
  private seen = (): void => undefined;

  constructor(port: number, text: string) {
    this.socket = connect(port, "127.0.0.1").setEncoding("utf8");
    this.socket.on("data", (chunk: string) => {
      this.heard += chunk;
      this.seen();
    });
    this.socket.on("error", () => undefined);
    this.closed = new Promise((resolve) => this.socket.on("close", () => resolve()));
    this.write(text);
    onTestFinished(() => this.cut());
  }

  write(text: string): void {
    this.socket.write(text);
  }

  /** The statuses of the responses that have begun. */
  get statuses(): number[] {
    return [...this.heard.matchAll(/^HTTP\/1\.1 (\d+) /gm)].map(([, status]) => Number(status));
  }

  /** Resolves when the received text fulfils the condition. */
  async until(found: (heard: string) => boolean): Promise<void> {
    while (!found(this.heard)) await new Promise<void>((resolve) => (this.seen = resolve));
  }

  cut(): void {
    this.socket.destroy();
  }
}

/** Watches the connections of a server. The returned function resolves when all of them are closed. */
export function watchConnections(node: NodeServer): () => Promise<void> {
  const open = new Set<Socket>();
  let empty = (): void => undefined;
  node.on("connection", (socket) => {
    open.add(socket);
    socket.on("close", () => {
      open.delete(socket);
      if (open.size === 0) empty();
    });
  });
  return async () => {
    while (open.size > 0) await new Promise<void>((resolve) => (empty = resolve));
  };
}
