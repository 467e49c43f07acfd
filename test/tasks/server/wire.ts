import { PassThrough } from "node:stream";
import type { Server } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { onTestFinished } from "vitest";
import { Arrivals } from "../../support/arrivals.js";
import { Lines } from "../../support/lines.js";
import { until } from "../../support/until.mjs";

// Clients that write their messages by hand, over both transports.

export const transports = ["stdio", "HTTP"] as const;
export type Transport = (typeof transports)[number];

export const newest = "2026-07-28";
const prefix = "io.modelcontextprotocol/";
const extension = "io.modelcontextprotocol/tasks";
export const relatedKey = `${prefix}related-task`;

type Members = Readonly<Record<string, unknown>>;

// oxlint-disable-next-line typescript/no-explicit-any -- tests read whatever came
export type Json = any;

/** A message that came. */
export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Json;
  readonly result?: Json;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Json };
}

/** The answer to a request. Over HTTP, with the other messages of its stream. */
export interface Answer extends Message {
  readonly status?: number;
  readonly type?: string;
  readonly retryAfter?: string | null;
}

/** How a client is. */
export interface PeerOptions {
  readonly revision?: string;
  readonly principal?: string;
  /** Of 2026-07-28: of each request. */
  readonly capabilities?: Members;
}

/** Capabilities of a client of 2026-07-28 that has tasks. */
export const withTasks = { elicitation: {}, extensions: { [extension]: {} } } as const;

/** A client. */
export abstract class Peer {
  /** Received messages that are not responses, in order. */
  readonly heard: Message[] = [];
  /** Answers requests of the server; without an answer, they stay open. */
  answer: (request: Message) => object | undefined = () => undefined;
  /** The answer to the handshake. */
  opened: Answer = {};
  readonly revision: string;
  readonly arrivals = new Arrivals();
  readonly capabilities: Members;
  #last = 0;

  constructor({ revision = "2025-11-25", capabilities }: PeerOptions) {
    this.revision = revision;
    this.capabilities = capabilities ?? (revision === newest ? withTasks : { elicitation: {}, sampling: {} });
  }

  protected abstract exchange(message: Message & { readonly id: number }): Promise<Answer>;
  abstract notify(message: object): Promise<void>;
  /** Sends a request, and disconnects when it has been written (HTTP). */
  abandon(_method: string, _params: Members): Promise<void> {
    throw new Error("there is no connection of one request");
  }

  /** Sends a request, with the members that its revision requires; resolves with its answer. */
  request(method: string, params: Members = {}, capabilities = this.capabilities): Promise<Answer> {
    const { _meta, ...rest } = params;
    const own = {
      [`${prefix}protocolVersion`]: newest,
      [`${prefix}clientInfo`]: { name: "raw", version: "1" },
      [`${prefix}clientCapabilities`]: capabilities,
    };
    const meta =
      this.revision === newest ? { ...own, ...(_meta as Members) } : (_meta as Members | undefined);
    const id = ++this.#last;
    return this.exchange({ id, method, params: { ...rest, ...(meta && { _meta: meta }) } });
  }

  /** Makes the handshake, if the revision has one. */
  async open(): Promise<Answer> {
    if (this.revision === newest) return this.request("server/discover");
    const { revision: protocolVersion, capabilities } = this;
    const clientInfo = { name: "raw", version: "1" };
    const opened = await this.request("initialize", { protocolVersion, capabilities, clientInfo });
    await this.notify({ method: "notifications/initialized" });
    return opened;
  }

  /** Calls a tool. At 2025-11-25, as a task if `task` is given. */
  call(name: string, args: object = {}, task?: object, more: Members = {}): Promise<Answer> {
    return this.request("tools/call", { name, arguments: args, ...(task && { task }), ...more });
  }

  /** Calls a tool that becomes a task; resolves with the task. */
  async start(name: string, args: object = {}, task: object = {}, more: Members = {}): Promise<Json> {
    const answer = await this.call(name, args, this.revision === newest ? undefined : task, more);
    if (!answer.result) throw new Error(JSON.stringify(answer.error));
    return this.revision === newest ? answer.result : answer.result.task;
  }

  /** The task, by `tasks/get`. */
  async task(taskId: string): Promise<Json> {
    const answer = await this.request("tasks/get", { taskId });
    if (!answer.result) throw new Error(JSON.stringify(answer.error));
    return answer.result;
  }

  /** The task once it has a status: handlers end in their own time. */
  async reached(taskId: string, ...statuses: readonly string[]): Promise<Json> {
    return until(`a task that is ${statuses.join(" or ")}`, async () => {
      const task = await this.task(taskId);
      return statuses.includes(task.status) && task;
    });
  }

  /** Resolves with the first received message that matches. */
  async until(wanted: (message: Message) => boolean): Promise<Message> {
    for (;;) {
      const found = this.heard.find(wanted);
      if (found) return found;
      await this.arrivals.next();
    }
  }

  protected received(message: Message): void {
    this.heard.push(message);
    this.arrivals.announce();
    if (message.id === undefined || !message.method) return;
    const reply = this.answer(message);
    if (reply) void this.notify({ id: message.id, ...reply });
  }
}

class StdioPeer extends Peer {
  readonly #toServer = new PassThrough();
  readonly #open = new Map<unknown, (message: Message) => void>();

  constructor(server: Server, options: PeerOptions) {
    super(options);
    const fromServer = new PassThrough();
    const lines = new Lines();
    fromServer.setEncoding("utf8").on("data", (chunk: string) => {
      for (const line of lines.endedBy(chunk)) this.#take(JSON.parse(line) as Message);
    });
    server.connect(streamChannel(this.#toServer, fromServer), { principal: options.principal ?? "ann" });
    onTestFinished(() => void this.#toServer.end());
  }

  #take(message: Message): void {
    const waiting = message.method === undefined ? this.#open.get(message.id) : undefined;
    if (!waiting) return this.received(message);
    this.#open.delete(message.id);
    waiting(message);
  }

  protected exchange(message: Message): Promise<Answer> {
    const answered = new Promise<Message>((resolve) => this.#open.set(message.id, resolve));
    void this.notify(message);
    return answered;
  }

  async notify(message: object): Promise<void> {
    this.#toServer.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }
}

class HttpPeer extends Peer {
  readonly #url: string;
  readonly #principal: string;
  #session: string | null = null;

  constructor(url: string, options: PeerOptions) {
    super(options);
    this.#url = url;
    this.#principal = options.principal ?? "ann";
  }

  async notify(message: object): Promise<void> {
    await (await this.#post(message)).text();
  }

  #headers({ method, params }: Message): Record<string, string> {
    const name = (params?.name ?? params?.taskId) as string | undefined;
    return {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      "x-principal": this.#principal,
      ...(this.#session && { "mcp-session-id": this.#session }),
      ...(method !== "initialize" && { "mcp-protocol-version": this.revision }),
      ...(this.revision === newest && method && { "mcp-method": method }),
      ...(this.revision === newest && name && { "mcp-name": name }),
    };
  }

  #post(message: Message, signal?: AbortSignal): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: "2.0", ...message });
    return fetch(this.#url, {
      method: "POST",
      headers: this.#headers(message),
      body,
      signal: signal ?? null,
    });
  }

  override async abandon(method: string, params: Members): Promise<void> {
    const controller = new AbortController();
    const sent = this.#post({ id: "abandoned", method, params }, controller.signal).catch(() => {});
    // The server has read the request when it answers one that was sent after it.
    await this.request("ping");
    controller.abort();
    await sent;
  }

  protected async exchange(message: Message): Promise<Answer> {
    const response = await this.#post(message);
    this.#session ??= response.headers.get("mcp-session-id");
    const type = response.headers.get("content-type")?.split(";")[0] ?? "";
    const outside = { status: response.status, type, retryAfter: response.headers.get("retry-after") };
    if (type !== "text/event-stream") return { ...((await response.json()) as Message), ...outside };
    for await (const found of messagesIn(response)) {
      if (found.method === undefined && found.id === message.id) return { ...found, ...outside };
      this.received(found);
    }
    throw new Error(`the stream ended without an answer to ${message.method}`);
  }

  /** Opens the stream for messages without a request (up to 2025-11-25). */
  async listen(): Promise<void> {
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const { accept: _, "content-type": _type, ...headers } = this.#headers({});
    const response = await fetch(this.#url, {
      headers: { ...headers, accept: "text/event-stream" },
      signal: controller.signal,
    });
    void (async () => {
      for await (const found of messagesIn(response)) this.received(found);
    })().catch(() => {});
  }
}

/** The messages of an event stream, as they come. */
async function* messagesIn(response: Response): AsyncGenerator<Message, void, undefined> {
  let text = "";
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    const events = (text + chunk).split("\n\n");
    text = events.pop()!;
    for (const event of events) {
      const data = event.split("\n").filter((line) => line.startsWith("data: "));
      const found = data.map((line) => line.slice(6)).join("\n");
      if (found !== "") yield JSON.parse(found) as Message;
    }
  }
}

/** Serves a server over a transport; returns what opens clients of it. */
export async function wired(
  server: Server,
  transport: Transport,
): Promise<(options?: PeerOptions) => Promise<Peer>> {
  const opened = async (peer: Peer): Promise<Peer> => {
    peer.opened = await peer.open();
    if (peer instanceof HttpPeer && peer.revision !== newest) await peer.listen();
    return peer;
  };
  if (transport === "stdio") return (options = {}) => opened(new StdioPeer(server, options));
  const { url, close } = await serveHttp(server, {
    ...{ port: 0, graceMs: 0, keepAliveMs: 0 },
    authenticate: ({ header }) => {
      const principal = header("x-principal");
      return principal ? { principal } : {};
    },
  });
  onTestFinished(() => close());
  return (options = {}) => opened(new HttpPeer(url, options));
}
