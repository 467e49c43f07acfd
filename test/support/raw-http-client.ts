import { expect, onTestFinished } from "vitest";
import { metaOf } from "./raw-stdio-client.js";
import { type Members, type Wired, problemFromServer } from "./sent-messages.js";
import { type WireAnswer, send } from "./http-wire.js";

export type { Members, Wired };

const newest = "2026-07-28";

type Headers = Readonly<Record<string, string>>;

export const both = "application/json, text/event-stream";

/** A handwritten client: posts the test's messages, and validates the responses. */
export class Party {
  readonly url: string;
  readonly revision: string;
  readonly capabilities: Members;
  /** Headers of every request. */
  headers: Headers;
  session: string | undefined;
  private readonly methods = new Map<unknown, string>();
  private readonly answers: WireAnswer[] = [];
  private lastId = 0;

  constructor(url: string, revision: string, headers: Headers = {}, capabilities: Members = {}) {
    this.url = url;
    this.revision = revision;
    this.headers = headers;
    this.capabilities = capabilities;
    onTestFinished(() => {
      expect(this.faults()).toEqual([]);
      for (const answer of this.answers) answer.cut();
    });
  }

  get isModern(): boolean {
    return this.revision === newest;
  }

  /** Makes the handshake, if the revision has one. */
  async open(): Promise<this> {
    if (this.isModern) return this;
    const answer = await this.initialize();
    expect(answer.status).toBe(200);
    this.session = answer.headers["mcp-session-id"] as string | undefined;
    expect((await this.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
    return this;
  }

  async initialize(version = this.revision): Promise<WireAnswer> {
    const answer = await this.post(
      this.message("initialize", {
        protocolVersion: version,
        capabilities: this.capabilities,
        clientInfo: { name: "raw", version: "1" },
      }),
      { "mcp-protocol-version": "" },
    );
    await answer.whole();
    return answer;
  }

  /** Makes a request, with the members that its revision requires. */
  message(method: string, params: Members = {}, id: unknown = `r${this.lastId++}`): Members & Wired {
    this.methods.set(id, method);
    const { _meta, ...rest } = params;
    const meta = this.isModern
      ? { _meta: { ...metaOf(this.capabilities), ...(_meta as Members) } }
      : _meta
        ? { _meta }
        : {};
    return { jsonrpc: "2.0", id: id as string, method, params: { ...rest, ...meta } };
  }

  call(name: string, args: Members = {}, rest: Members = {}, id?: unknown): Members & Wired {
    return this.message("tools/call", { name, arguments: args, ...rest }, id);
  }

  /** Returns the headers for a message; `""` in `more` removes a header. */
  headersOf(message: unknown, more: Headers = {}): Record<string, string> {
    const { method, params } = (message ?? {}) as Wired;
    const name = (params?.["name"] ?? params?.["uri"]) as string | undefined;
    const all: Headers = {
      accept: both,
      "content-type": "application/json",
      ...(this.session === undefined ? {} : { "mcp-session-id": this.session }),
      ...(this.revision >= "2025-06-18" ? { "mcp-protocol-version": this.revision } : {}),
      ...(this.isModern && method !== undefined ? { "mcp-method": method } : {}),
      ...(this.isModern &&
      name !== undefined &&
      /^(tools.call|resources.read|prompts.get)$/.test(method ?? "")
        ? { "mcp-name": name }
        : {}),
      ...this.headers,
      ...more,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  }

  post(message: unknown, more: Headers = {}): Promise<WireAnswer> {
    return this.postText(JSON.stringify(message), this.headersOf(message, more));
  }

  async postText(text: string | Buffer, headers: Headers): Promise<WireAnswer> {
    return this.keep(await send(this.url, "POST", headers, text));
  }

  async get(more: Headers = {}): Promise<WireAnswer> {
    const { "content-type": _, ...headers } = this.headersOf({}, { accept: "text/event-stream", ...more });
    return this.keep(await send(this.url, "GET", headers));
  }

  delete(more: Headers = {}): Promise<WireAnswer> {
    return send(this.url, "DELETE", this.headersOf({}, more));
  }

  /** Sends a request. Resolves with its answer, as JSON or from an event stream. */
  async request(method: string, params: Members = {}, more: Headers = {}): Promise<Wired> {
    const message = this.message(method, params);
    const answer = await this.post(message, more);
    await answer.whole();
    return messagesOf(answer).find(({ id }) => id === message.id)!;
  }

  async tool(name: string, args: Members = {}): Promise<Members> {
    const { result, error } = await this.request("tools/call", { name, arguments: args });
    if (!result) throw new Error(JSON.stringify(error));
    return result;
  }

  private keep(answer: WireAnswer): WireAnswer {
    this.answers.push(answer);
    return answer;
  }

  /** Returns the faults of received messages. */
  private faults(): string[] {
    return this.answers.flatMap(messagesOf).flatMap((message) => {
      const { id, method, result, error } = message;
      if (error && id === undefined) return [];
      const answered = method === undefined && (result || error) ? this.methods.get(id) : undefined;
      const problem = problemFromServer(message, this.revision, answered);
      return problem === undefined ? [] : [`${JSON.stringify(message)} ${problem}`];
    });
  }
}

/** Returns all messages of a response, with batches split. */
export function messagesOf(answer: WireAnswer): Wired[] {
  if (answer.type === "text/plain") return [];
  const texts = answer.isStream ? answer.events.map(({ data }) => data ?? "") : [answer.text];
  return texts.filter((text) => text !== "").flatMap((text) => JSON.parse(text) as Wired | Wired[]);
}

/** The text of a tool's result. */
export function textOf({ result }: Wired): string {
  const content = (result?.["content"] ?? []) as { readonly text: string }[];
  return content.map(({ text }) => text).join("");
}
