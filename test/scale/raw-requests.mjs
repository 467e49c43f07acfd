// HTTP requests written by hand, for one node: any session, any token, any event.
import { once } from "node:events";
import { request as open } from "node:http";
import { hang } from "../support/until.mjs";

const revision = "2025-11-25";

const textOf = (body) => body && JSON.stringify({ jsonrpc: "2.0", ...body });

const headersOf = (text, { token, session, last }) => ({
  accept: "application/json, text/event-stream",
  ...(text && { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
  ...(token && { authorization: `Bearer ${token}` }),
  ...(session && { "mcp-session-id": session, "mcp-protocol-version": revision }),
  ...(last && { "last-event-id": last }),
});

/**
 * Sends a request, and reads its response to the end.
 *
 * @param port of the node
 * @param options.token of the principal; without it, none
 * @param options.session the id of the session, if it has one
 * @param options.last the value of Last-Event-ID
 * @param options.body a message, without `jsonrpc`
 * @param options.until ends the request when the text of the response matches: for streams
 * @returns status, session and text
 */
export async function send(port, { method = "POST", token, session, last, body, until, agent }) {
  const text = textOf(body);
  const headers = headersOf(text, { token, session, last });
  const sent = open({ port, host: "127.0.0.1", path: "/mcp", method, headers, agent });
  sent.end(text);
  const [response] = await once(sent, "response");
  let received = "";
  try {
    for await (const chunk of response.setEncoding("utf8")) {
      received += chunk;
      if (until?.test(received)) break;
    }
  } finally {
    if (until) sent.destroy();
  }
  return { status: response.statusCode, session: response.headers["mcp-session-id"], text: received };
}

/** Opens a session of a principal that takes questions. @returns its id */
export async function openSession(port, token, agent) {
  const clientInfo = { name: "raw", version: "1.0.0" };
  const params = { protocolVersion: revision, capabilities: { elicitation: {} }, clientInfo };
  const { session } = await send(port, {
    token,
    agent,
    body: { id: "open", method: "initialize", params },
  });
  await send(port, { token, session, agent, body: { method: "notifications/initialized" } });
  return session;
}

/** A call of a tool. */
export function call(id, name, args, meta = {}) {
  return { id, method: "tools/call", params: { name, arguments: args, ...meta } };
}

/** A response that has not ended: the text that has arrived, and a function that waits for more. */
export class Stream {
  text = "";
  isOver = false;
  #request;
  #wake = () => {};

  static async open(port, options) {
    const stream = new Stream();
    await stream.#open(port, options);
    return stream;
  }

  async #open(port, { method = "POST", token, session, last, body }) {
    const text = textOf(body);
    const headers = headersOf(text, { token, session, last });
    this.#request = open({ port, host: "127.0.0.1", path: "/mcp", method, headers });
    this.#request.on("error", () => this.#end());
    this.#request.end(text);
    const [response] = await once(this.#request, "response");
    this.status = response.statusCode;
    response.setEncoding("utf8").on("data", (chunk) => {
      this.text += chunk;
      this.#wake();
    });
    response.on("error", () => {});
    response.on("close", () => this.#end());
  }

  #end() {
    this.isOver = true;
    this.#wake();
  }

  /** Waits for a text. @returns the match @throws {Error} it does not come */
  async until(pattern) {
    const end = performance.now() + hang;
    for (;;) {
      const found = pattern.exec(this.text);
      if (found) return found;
      if (this.isOver || performance.now() > end) throw new Error(`no ${pattern} in ${this.text}`);
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, 1000);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The messages that have arrived. */
  get messages() {
    return [...this.text.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json));
  }

  cut() {
    this.#request.destroy();
  }
}
