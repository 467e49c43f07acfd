// A client written by hand, which chooses the node of each request.
import { hang } from "../support/until.mjs";

const revision = "2025-11-25";

/** An event stream, or an answer in JSON. */
class Reply {
  /** Events that have arrived: `{ id, message }`. */
  events = [];
  isOver = false;
  #response;
  #abort;
  #waiting = [];

  constructor(response, abort) {
    this.#response = response;
    this.status = response.status;
    this.#abort = abort;
    void this.#read();
  }

  header(name) {
    return this.#response.headers.get(name);
  }

  async #read() {
    const isStream = this.header("content-type")?.startsWith("text/event-stream");
    const decoder = new TextDecoder();
    let text = "";
    try {
      for await (const chunk of this.#response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (!isStream) continue;
        const blocks = text.split("\n\n");
        text = blocks.pop();
        for (const block of blocks) this.#add(block);
        this.#wake();
      }
      if (!isStream && text) this.events.push({ message: JSON.parse(text) });
    } catch (error) {
      if (error instanceof SyntaxError) throw error;
    }
    this.isOver = true;
    this.#wake();
  }

  #add(block) {
    const fields = new Map(
      block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
    );
    const data = fields.get("data");
    if (data || fields.has("id"))
      this.events.push({ id: fields.get("id"), message: data ? JSON.parse(data) : undefined });
  }

  #wake() {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  /** Waits for events until `found` returns something, or the stream has ended. @throws {Error} it does not come */
  async #await(found) {
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#wake();
    }, hang);
    try {
      for (;;) {
        const value = found();
        if (value !== undefined || this.isOver) return value;
        if (isLate) throw new Error(`${this.status}: waited in vain after ${JSON.stringify(this.events)}`);
        await new Promise((resolve) => this.#waiting.push(resolve));
      }
    } finally {
      clearTimeout(timer);
    }
  }

  /** The first event for which `isIt`. @throws {Error} the stream ended without it, or it does not come */
  async until(isIt) {
    const found = await this.#await(() => this.events.find(isIt));
    if (!found) throw new Error(`${this.status}: no such event in ${JSON.stringify(this.events)}`);
    return found;
  }

  /** The answer to a request. */
  async answer() {
    const { message } = await this.until(
      ({ message: each }) => each && each.method === undefined && (each.result ?? each.error),
    );
    return message;
  }

  /** Resolves when the stream has ended. */
  async end() {
    await this.#await(() => undefined);
  }

  /**
   * Breaks the connection. The reply then counts as ended, because `fetch` may not report the end if everything has
   * arrived.
   */
  cut() {
    this.#abort.abort();
    this.isOver = true;
    this.#wake();
  }
}

/** One session of a client that takes questions. */
export class RawSession {
  #id;
  #last = 0;

  /** Opens a session. @param name of the client */
  static async open(port, name = "raw") {
    const session = await RawSession.begin(port, name);
    await session.notify(port, "notifications/initialized");
    return session;
  }

  /** A session whose client has not sent `notifications/initialized`. */
  static async begin(port, name = "raw") {
    const session = new RawSession();
    const clientInfo = { name, version: "1.0.0" };
    const params = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo };
    const reply = await session.request(port, "initialize", params);
    await reply.answer();
    session.#id = reply.header("mcp-session-id");
    return session;
  }

  async #send(port, init) {
    const abort = new AbortController();
    const headers = {
      accept: "application/json, text/event-stream",
      "content-type": "application/json",
      ...(this.#id && { "mcp-session-id": this.#id, "mcp-protocol-version": revision }),
      ...init.headers,
    };
    const response = await fetch(`http://127.0.0.1:${port}/mcp`, { ...init, headers, signal: abort.signal });
    return new Reply(response, abort);
  }

  #post(port, message) {
    return this.#send(port, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", ...message }) });
  }

  /** The id of the last request. */
  get lastId() {
    return this.#last;
  }

  request(port, method, params) {
    return this.#post(port, { id: ++this.#last, method, params });
  }

  /** Calls a tool. @param isReported whether the client wants progress */
  call(port, name, args = {}, isReported = false) {
    const meta = isReported ? { _meta: { progressToken: `token ${this.#last}` } } : {};
    return this.request(port, "tools/call", { name, arguments: args, ...meta });
  }

  async notify(port, method, params) {
    const reply = await this.#post(port, { method, params });
    await reply.end();
    return reply;
  }

  /** Answers a request of the server. */
  async answer(port, id, result) {
    const reply = await this.#post(port, { id, result });
    await reply.end();
    return reply;
  }

  /** Opens a GET stream. */
  listen(port) {
    return this.#send(port, { method: "GET" });
  }

  /** Resumes a stream after an event. */
  resume(port, lastEvent) {
    return this.#send(port, { method: "GET", headers: { "last-event-id": lastEvent } });
  }

  async delete(port) {
    const reply = await this.#send(port, { method: "DELETE" });
    await reply.end();
    return reply;
  }
}
