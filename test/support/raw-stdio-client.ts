import { PassThrough } from "node:stream";
import { serverRevisions } from "@mcpgen/protocol";
import {
  type CodeFirstServer,
  type ConnectionOptions,
  type Server,
  type ServerOptions,
  createServer,
} from "@mcpgen/runtime";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished } from "vitest";
import { type Members, type Wired, problemFromServer } from "./sent-messages.js";
import { Arrivals } from "./arrivals.js";
import { heard } from "./heard.mjs";
import { Lines } from "./lines.js";

export type { Members, Wired };

const newest = "2026-07-28";
const prefix = "io.modelcontextprotocol/";

/** Returns `_meta` of a request of the newest revision. */
export function metaOf(capabilities: Members = {}, rest: Members = {}): Members {
  return {
    [`${prefix}protocolVersion`]: newest,
    [`${prefix}clientInfo`]: { name: "raw", version: "1" },
    [`${prefix}clientCapabilities`]: capabilities,
    ...rest,
  };
}

export const subscriptionId = `${prefix}subscriptionId`;
export const logLevel = `${prefix}logLevel`;

/** A handwritten client: writes the test's bytes, and records the answers. */
export class RawClient {
  /** All received messages, with batches split. */
  readonly received: Wired[] = [];
  /** All received lines, unchanged. */
  readonly lines: string[] = [];
  /** Faults of received messages. */
  readonly faults: string[] = [];
  /** Answers to the server's requests, by method. A request without an answer stays open. */
  answers: { readonly [method: string]: (request: Wired) => Members | undefined } = {};
  /** The revision of the session, or of all requests if there is no session. */
  revision: string;
  capabilities: Members;
  private readonly toServer = new PassThrough();
  private readonly fromServer = new PassThrough();
  private readonly asked = new Map<unknown, { method: string; revision: string }>();
  private readonly arrivals = new Arrivals();
  private readonly pending = new Lines();
  private lastId = 0;

  constructor(server: Server, revision: string, capabilities: Members = {}, options: ConnectionOptions = {}) {
    this.revision = revision;
    this.capabilities = capabilities;
    this.fromServer.setEncoding("utf8").on("data", (chunk: string) => this.read(chunk));
    server.connect(streamChannel(this.toServer, this.fromServer), options);
    onTestFinished(() => expect(this.faults).toEqual([]));
  }

  get isModern(): boolean {
    return this.revision === newest;
  }

  /** Writes bytes unchanged. */
  write(bytes: string | Uint8Array): void {
    this.toServer.write(bytes);
  }

  /** Writes messages, each on a separate line; one write for all. */
  send(...messages: readonly unknown[]): void {
    for (const message of messages.flat()) this.remember(message as Wired);
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  cancel(requestId: unknown): void {
    this.notify("notifications/cancelled", { requestId });
  }

  /** Makes a request in the form of the revision. */
  requestOf(method: string, params?: Members, id: string | number = ++this.lastId): Wired {
    const { _meta, ...rest } = params ?? {};
    const meta = this.isModern ? metaOf(this.capabilities, _meta) : _meta;
    const all = { ...rest, ...(meta === undefined ? {} : { _meta: meta }) };
    return { jsonrpc: "2.0", id, method, ...(params || this.isModern ? { params: all } : {}) };
  }

  /** Sends a request without waiting. Returns its id. */
  start(method: string, params?: Members, id?: string | number): string | number {
    const request = this.requestOf(method, params, id);
    this.send(request);
    return request.id!;
  }

  /** Sends a request. Resolves with the response. */
  async request(method: string, params?: Members, id?: string | number): Promise<Wired> {
    return this.answer(this.start(method, params, id));
  }

  call(name: string, args: Members = {}, _meta?: Members): Promise<Wired> {
    return this.request("tools/call", { name, arguments: args, ...(_meta ? { _meta } : {}) });
  }

  startCall(name: string, args: Members = {}, _meta?: Members): string | number {
    return this.start("tools/call", { name, arguments: args, ...(_meta ? { _meta } : {}) });
  }

  /** Resolves with the response to a request when it has arrived. */
  answer(id: unknown): Promise<Wired> {
    return this.until((message) => message.method === undefined && message.id === id);
  }

  /** Returns the received messages of a method. */
  of(method: string): Wired[] {
    return this.received.filter((message) => message.method === method);
  }

  /** Resolves with the `count`th message of the method. */
  async next(method: string, count = 1): Promise<Wired> {
    await this.until(() => this.of(method).length >= count);
    return this.of(method)[count - 1]!;
  }

  async until(wanted: (message: Wired) => boolean): Promise<Wired> {
    for (;;) {
      const found = this.received.find(wanted);
      if (found) return found;
      await this.arrivals.next();
    }
  }

  /** Opens a session, with `initialize` and what follows it. */
  async open(): Promise<Wired> {
    const answer = await this.request("initialize", {
      protocolVersion: this.revision,
      capabilities: this.capabilities,
      clientInfo: { name: "raw", version: "1" },
    });
    this.notify("notifications/initialized");
    return answer;
  }

  /** Sends a request, and waits for its response. Returns the other messages that have arrived by then. */
  async settled(since = 0): Promise<Wired[]> {
    for (let round = 0; round < 2; round++) {
      const id = `probe ${this.lastId++}`;
      await this.request(this.isModern ? "server/discover" : "ping", undefined, id);
      this.received.splice(
        this.received.findIndex((message) => message.id === id),
        1,
      );
    }
    return this.received.slice(since);
  }

  hangUp(): void {
    this.toServer.end();
  }

  private remember({ id, method, params }: Wired): void {
    if (id === undefined || method === undefined) return;
    const said = params?.["_meta"]?.[`${prefix}protocolVersion`];
    this.asked.set(id, { method, revision: said === newest ? newest : this.revision });
  }

  private read(chunk: string): void {
    for (const line of this.pending.endedBy(chunk)) this.take(line);
    this.arrivals.announce();
  }

  private take(line: string): void {
    this.lines.push(line);
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch {
      return void this.faults.push(`no JSON: ${line}`);
    }
    for (const message of [parsed].flat() as Wired[]) this.takeOne(message);
  }

  private takeOne(message: Wired): void {
    this.received.push(message);
    const { id, method, result } = message;
    const asked = method === undefined ? this.asked.get(id) : undefined;
    // The server's answer decides the revision of the session.
    const revision =
      asked?.method === "initialize" && result
        ? (result["protocolVersion"] as string)
        : (asked?.revision ?? this.revision);
    const problem = problemFromServer(message, revision, asked?.method);
    if (problem !== undefined) this.faults.push(`${JSON.stringify(message)} ${problem}`);
    if (method === undefined || id === undefined) return;
    const reply = this.answers[method]?.(message);
    if (reply) this.send({ jsonrpc: "2.0", id, ...reply });
  }
}

/** A server that tests define, with virtual time. */
export interface Served {
  readonly server: CodeFirstServer;
  readonly clock: VirtualClock;
  readonly warnings: string[];
}

/** Starts a server of all revisions. Checks at the end of the test that nothing of it still runs. */
export function served(
  define: (server: CodeFirstServer) => void,
  options: Partial<ServerOptions> = {},
): Served {
  const clock = new VirtualClock();
  const warnings: string[] = [];
  const server = createServer(
    { name: "checked", version: "1.0.0" },
    {
      revisions: serverRevisions,
      clock,
      ...options,
      onEvent: heard({ warning: (warning) => warnings.push(warning), event: options.onEvent }),
    },
  );
  define(server);
  onTestFinished(async () => {
    await server.close();
    expect(clock.waiting).toBe(0);
  });
  return { server, clock, warnings };
}

/** Connects a client of a revision to a server, and opens the session if there is one. */
export async function clientOf(
  { server }: { readonly server: Server },
  revision: string,
  capabilities: Members = {},
  options: ConnectionOptions = {},
): Promise<RawClient> {
  const client = new RawClient(server, revision, capabilities, options);
  if (!client.isModern) await client.open();
  return client;
}

export interface Raw extends Served {
  readonly client: RawClient;
}

/** Starts a server, and connects one client. */
export async function raw(
  revision: string,
  define: (server: CodeFirstServer) => void,
  capabilities: Members = {},
  options: Partial<ServerOptions> = {},
): Promise<Raw> {
  const made = served(define, options);
  return { ...made, client: await clientOf(made, revision, capabilities) };
}

/** The texts of a result's content. */
export function textOf({ result, error }: Wired): string {
  if (error) return `error ${error.code}`;
  return (result!["content"] as Members[]).map((block) => block["text"] as string).join("\n");
}
