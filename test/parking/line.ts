import type { Server } from "@mcpgen/runtime";
import { memoryChannels } from "@mcpgen/runtime";
import { stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { PassThrough } from "node:stream";
import { metaOf } from "../support/raw-stdio-client.js";
import { type Members, type Wired, problemFromServer } from "../support/sent-messages.js";

/** A revision of each era. */
export const legacy = "2025-11-25";
export const modern = "2026-07-28";

/** What a client can be asked for. */
const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} };

/** A request that was sent. */
export interface Sent {
  readonly id: string;
  /** Resolves with its response. */
  readonly answer: Promise<Wired>;
  /** Gives it up, as the transport does that. */
  leave(): void;
}

/** A request without a response. */
interface Waiting {
  readonly method: string;
  resolve(answer: Wired): void;
  reject(error: unknown): void;
}

/** A handwritten client: it sends the messages that a test makes, and judges those that come. */
export abstract class Line {
  readonly revision: string;
  /** Faults of messages. */
  readonly faults: string[];
  /** The values of progress, in the order of their arrival. */
  readonly reports: number[];
  /** Answers requests of the server. */
  readonly #respond: (request: Wired) => Members;
  readonly #open = new Map<string, Waiting>();
  readonly #responses: Promise<void>[] = [];
  #count = 0;
  #last = "";

  constructor(
    revision: string,
    heard: Pick<Line, "faults" | "reports">,
    respond: (request: Wired) => Members,
  ) {
    this.revision = revision;
    this.faults = heard.faults;
    this.reports = heard.reports;
    this.#respond = respond;
  }

  /** Makes the handshake, if the revision has one. */
  async open(): Promise<this> {
    if (this.revision === modern) return this;
    const clientInfo = { name: "raw", version: "1" };
    await this.request("initialize", { protocolVersion: this.revision, capabilities, clientInfo }).answer;
    await this.post({ jsonrpc: "2.0", method: "notifications/initialized" });
    return this;
  }

  /** @param declared what the client can be asked for, at 2026-07-28 */
  request(method: string, params: Members, declared: Members = capabilities): Sent {
    const id = `${method} ${++this.#count}`;
    this.#last = id;
    const own = { progressToken: id };
    const _meta = this.revision === modern ? metaOf(declared, own) : own;
    const answer = new Promise<Wired>((resolve, reject) => this.#open.set(id, { method, resolve, reject }));
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
    return { id, answer, leave: this.start(message) };
  }

  /** Cancels the last request, although it has an answer. */
  async cancelLast(): Promise<void> {
    await this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: this.#last } });
  }

  /** Sends a request. The returned function gives it up. */
  protected abstract start(message: Wired): () => void;
  protected abstract post(message: Wired): Promise<void>;
  abstract hangUp(): Promise<void>;

  /** Resolves when the server has what was answered. */
  async responded(): Promise<void> {
    await Promise.all(this.#responses);
  }

  /** A request will get no response. */
  protected failed({ id }: Wired, error: unknown): void {
    this.#open.get(id as string)?.reject(error);
  }

  /** @param origin id of the request on whose stream it came, if there is one */
  protected heard(text: string, origin?: string): void {
    const message = JSON.parse(text) as Wired;
    const { id, method, params } = message;
    const asked = method === undefined ? this.#open.get(id as string) : undefined;
    const problem = problemFromServer(message, this.revision, asked?.method);
    if (problem !== undefined) this.faults.push(`${text} ${problem}`);
    if (asked) {
      this.#open.delete(id as string);
      if (origin !== undefined && origin !== id) this.faults.push(`${text} came on the stream of ${origin}`);
      asked.resolve(message);
    } else if (method === undefined) this.faults.push(`${text} answers no open request`);
    else if (id !== undefined)
      this.#responses.push(this.post({ jsonrpc: "2.0", id, result: this.#respond(message) }));
    else if (method === "notifications/progress") this.#reported(params!, origin);
  }

  #reported({ progressToken, progress }: Members, origin?: string): void {
    const isOpen = this.#open.has(progressToken as string);
    if (!isOpen || (origin ?? progressToken) !== progressToken)
      this.faults.push(`progress for ${progressToken}, on the stream of ${origin}`);
    this.reports.push(progress as number);
  }
}

/** A client of a channel: stdio, or its like in memory. */
export class ChannelLine extends Line {
  readonly #channel: ReturnType<typeof streamChannel> | ReturnType<typeof memoryChannels>[0];
  readonly #closed: Promise<void>;

  constructor(
    server: Server,
    wire: "memory" | "stdio",
    principal: string,
    ...of: ConstructorParameters<typeof Line>
  ) {
    super(...of);
    const [near, far] = wire === "memory" ? memoryChannels() : streams();
    server.connect(far, { principal });
    this.#channel = near;
    this.#closed = new Promise((resolve) =>
      near.open({
        message: (text) => this.heard(text),
        turn: () => {},
        tooLong: () => this.faults.push("a message is too long"),
        closed: () => resolve(),
      }),
    );
  }

  protected override start(message: Wired): () => void {
    this.#channel.send(JSON.stringify(message));
    const params = { requestId: message.id };
    return () => void this.post({ jsonrpc: "2.0", method: "notifications/cancelled", params });
  }

  protected override async post(message: Wired): Promise<void> {
    this.#channel.send(JSON.stringify(message));
  }

  override async hangUp(): Promise<void> {
    await this.#channel.close();
  }

  /** Resolves when the server has closed the channel. */
  get closed(): Promise<void> {
    return this.#closed;
  }
}

function streams(): [ReturnType<typeof streamChannel>, ReturnType<typeof stdioServerChannel>] {
  const [input, output] = [new PassThrough(), new PassThrough()];
  return [streamChannel(output, input), stdioServerChannel({ input, output })];
}

/** A client of an endpoint: each request has an exchange. */
export class HttpLine extends Line {
  readonly #url: string;
  readonly #principal: string;
  readonly #fetch: (request: Request) => Promise<Response>;
  #session: string | undefined;

  constructor(
    { url, fetch }: { readonly url: string; fetch(request: Request): Promise<Response> },
    principal: string,
    ...of: ConstructorParameters<typeof Line>
  ) {
    super(...of);
    this.#url = url;
    this.#principal = principal;
    this.#fetch = fetch;
  }

  protected override start(message: Wired): () => void {
    const gone = new AbortController();
    this.post(message, gone.signal).catch((error: unknown) => {
      if (!gone.signal.aborted) this.failed(message, error);
    });
    return () => gone.abort();
  }

  protected override async post(message: Wired, signal?: AbortSignal): Promise<void> {
    const body = JSON.stringify(message);
    const headers = this.#headersOf(message);
    const request = new Request(this.#url, { method: "POST", headers, body, ...(signal && { signal }) });
    const response = await this.#fetch(request);
    this.#session ??= response.headers.get("mcp-session-id") ?? undefined;
    const origin = message.method === undefined ? undefined : (message.id as string);
    for await (const text of textsOf(response)) this.heard(text, origin);
  }

  #headersOf({ method, params }: Wired): Record<string, string> {
    const name = (params?.["name"] ?? params?.["uri"]) as string | undefined;
    const isModern = this.revision === modern;
    return {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(method === "initialize" ? {} : { "mcp-protocol-version": this.revision }),
      ...(this.#principal === "" ? {} : { "x-principal": this.#principal }),
      ...(this.#session === undefined ? {} : { "mcp-session-id": this.#session }),
      ...(isModern && method !== undefined ? { "mcp-method": method } : {}),
      ...(isModern && name !== undefined ? { "mcp-name": name } : {}),
    };
  }

  override async hangUp(): Promise<void> {}
}

/** The messages of a response: its body, or each event. */
async function* textsOf(response: Response): AsyncGenerator<string> {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream) {
    const text = await response.text();
    if (text !== "") yield text;
    return;
  }
  let rest = "";
  const decoder = new TextDecoder();
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
    rest = blocks.pop()!;
    for (const block of blocks)
      for (const line of block.split("\n")) if (/^data: ./.test(line)) yield line.slice(6);
  }
}
