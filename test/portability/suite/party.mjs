import { same } from "./assert.mjs";
import { Answer } from "./answer.mjs";

export const newest = "2026-07-28";
export const legacy = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
export const both = "application/json, text/event-stream";

const prefix = "io.modelcontextprotocol/";
const named = /^(tools\/call|resources\/read|prompts\/get)$/;

/** A handwritten client: it posts the messages of a case, and keeps the responses. */
export class Party {
  session;
  #send;
  #url;
  #lastId = 0;
  #answers = [];

  /** @param target `{ url, send(Request) }` */
  constructor({ url, send }, revision, capabilities = {}) {
    this.#url = url;
    this.#send = send;
    this.revision = revision;
    this.capabilities = capabilities;
  }

  get isModern() {
    return this.revision === newest;
  }

  /** Makes the handshake, where there is one. */
  async open() {
    if (this.isModern) return this;
    const answer = await this.initialize();
    same(answer.status, 200, "initialize");
    this.session = answer.headers.get("mcp-session-id") ?? undefined;
    same((await this.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
    return this;
  }

  async initialize(version = this.revision) {
    const { capabilities } = this;
    const params = { protocolVersion: version, capabilities, clientInfo: { name: "raw", version: "1" } };
    return (await this.post(this.message("initialize", params), { "mcp-protocol-version": "" })).whole();
  }

  /** A request, with the members that its revision requires. */
  message(method, { _meta, ...rest } = {}, id = `r${this.#lastId++}`) {
    const own = {
      [`${prefix}protocolVersion`]: newest,
      [`${prefix}clientInfo`]: { name: "raw", version: "1" },
      [`${prefix}clientCapabilities`]: this.capabilities,
    };
    const meta = this.isModern ? { _meta: { ...own, ..._meta } } : _meta ? { _meta } : {};
    return { jsonrpc: "2.0", id, method, params: { ...rest, ...meta } };
  }

  call(name, args = {}, rest = {}, id = undefined) {
    return this.message("tools/call", { name, arguments: args, ...rest }, id);
  }

  /** The headers that go with a message; `""` in `more` takes one away. */
  headersOf({ method = "", params } = {}, more = {}) {
    const name = params?.name ?? params?.uri;
    const all = {
      accept: both,
      "content-type": "application/json",
      "mcp-session-id": this.session ?? "",
      "mcp-protocol-version": this.revision >= "2025-06-18" ? this.revision : "",
      "mcp-method": this.isModern ? method : "",
      "mcp-name": this.isModern && named.test(method) ? (name ?? "") : "",
      ...more,
    };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ""));
  }

  /** @param signal aborts the request before there is an answer */
  post(message, more = {}, signal = undefined) {
    return this.send("POST", this.headersOf(message ?? {}, more), JSON.stringify(message), signal);
  }

  get(more = {}) {
    const { "content-type": _, ...headers } = this.headersOf({}, { accept: "text/event-stream", ...more });
    return this.send("GET", headers);
  }

  delete(more = {}) {
    return this.send("DELETE", this.headersOf({}, more));
  }

  /** Any request at all. */
  async send(method, headers = {}, body = undefined, signal = undefined, url = this.#url) {
    const controller = new AbortController();
    signal?.addEventListener("abort", () => controller.abort());
    const init = { method, headers, signal: controller.signal };
    const streamed = typeof body === "object" ? { duplex: "half" } : {};
    const request = new Request(url, { ...init, ...(body === undefined ? {} : { body }), ...streamed });
    const answer = new Answer(await this.#send(request), controller);
    this.#answers.push(answer);
    return answer;
  }

  /** Sends a request; resolves with the message that answers it. */
  async request(method, params = {}, more = {}) {
    const message = this.message(method, params);
    const answer = await (await this.post(message, more)).whole();
    return answer.messages.find(({ id }) => id === message.id);
  }

  /** Calls a tool; resolves with its text. */
  async tool(name, args = {}) {
    const { result, error } = await this.request("tools/call", { name, arguments: args });
    if (!result) throw new Error(JSON.stringify(error));
    return textOf(result);
  }

  /** Leaves all that it listens to. */
  leave() {
    for (const answer of this.#answers) if (!answer.over) answer.abort();
  }
}

/** The text of a tool's result. */
export function textOf(result) {
  return result.content.map(({ text }) => text).join("");
}
