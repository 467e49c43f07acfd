import { expect, onTestFinished } from "vitest";
import { type Members, type Wired, problemFromServer } from "./sent-messages.js";
import { type WireAnswer, send } from "./http-wire.js";

type Headers = Readonly<Record<string, string>>;

/**
 * A handwritten HTTP+SSE client (2024-11-05): one stream, and POSTs to the endpoint that the stream names.
 */
export class SseParty {
  readonly url: string;
  readonly revision: string;
  readonly headers: Headers;
  stream!: WireAnswer;
  private readonly methods = new Map<unknown, string>();

  constructor(url: string, revision: string, headers: Headers = {}) {
    this.url = url;
    this.revision = revision;
    this.headers = headers;
  }

  /** Opens the stream. Validates all its messages when the test ends. */
  async listen(): Promise<this> {
    this.stream = await send(this.url, "GET", { accept: "text/event-stream", ...this.headers });
    onTestFinished(() => {
      expect(this.faults()).toEqual([]);
      this.stream.cut();
    });
    return this;
  }

  /** Opens the stream, and makes the handshake. */
  async open(version = this.revision): Promise<this> {
    await this.listen();
    const { result } = await this.request("initialize", {
      protocolVersion: version,
      capabilities: {},
      clientInfo: { name: "raw", version: "1" },
    });
    expect(result?.["protocolVersion"]).toBe(this.revision);
    expect((await this.post({ jsonrpc: "2.0", method: "notifications/initialized" })).status).toBe(202);
    return this;
  }

  /** Resolves with the endpoint for messages, resolved as a URL. */
  async endpoint(): Promise<string> {
    const first = await this.stream.until(({ events }) => events[0]);
    expect(first.event).toBe("endpoint");
    return new URL(first.data!, this.url).href;
  }

  async post(message: unknown, more: Headers = {}): Promise<WireAnswer> {
    const headers = { "content-type": "application/json", ...this.headers, ...more };
    return send(await this.endpoint(), "POST", headers, JSON.stringify(message));
  }

  /** All messages received on the stream. */
  get messages(): Wired[] {
    return this.stream.events
      .filter(({ event }) => event === "message")
      .map(({ data }) => JSON.parse(data!) as Wired);
  }

  message(method: string, params: Members = {}, id: unknown = `s${this.methods.size}`): Members & Wired {
    this.methods.set(id, method);
    return { jsonrpc: "2.0", id: id as string, method, params };
  }

  /** Posts a request. Resolves with the response on the stream. */
  async request(method: string, params: Members = {}, id?: unknown): Promise<Wired> {
    const message = this.message(method, params, id);
    const answer = await this.post(message);
    expect([answer.status, await answer.whole()]).toEqual([202, "Accepted"]);
    return this.stream.until(() => this.messages.find((each) => each.id === message.id && !each.method));
  }

  private faults(): string[] {
    const strangers = this.stream.events.slice(1).filter(({ event }) => event !== "message");
    const wrong = this.messages.flatMap((message) => {
      const { id, method } = message;
      const problem = problemFromServer(
        message,
        this.revision,
        method === undefined ? this.methods.get(id) : undefined,
      );
      return problem === undefined ? [] : [`${JSON.stringify(message)} ${problem}`];
    });
    return [...strangers.map((event) => JSON.stringify(event)), ...wrong];
  }
}
