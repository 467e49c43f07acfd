import type { Server } from "@mcpgen/runtime";
import { memoryChannels } from "@mcpgen/testing";

/** The members of results that these tests read. */
export interface Result {
  readonly capabilities: { readonly tasks?: object };
  readonly tools: readonly { readonly name: string; readonly execution?: { readonly taskSupport: string } }[];
  readonly task: RawTask;
  readonly tasks: readonly RawTask[];
  readonly nextCursor?: string;
  readonly content?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

export interface RawTask {
  readonly taskId: string;
  readonly status: string;
  readonly ttl: number;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
}

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: object;
  readonly result: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A client of 2025-11-25 that writes its messages by hand. */
export class RawClient {
  /** Received messages that are not responses, in order. */
  readonly heard: Message[] = [];
  /** Answers requests of the server; without an answer, they stay open. */
  answer: (request: Message) => object | undefined = () => undefined;
  readonly #channel;
  readonly #open = new Map<number, (message: Message) => void>();
  #last = 0;

  constructor(server: Server, principal: string) {
    const [near, far] = memoryChannels();
    server.connect(far, { principal });
    this.#channel = near;
    near.open({
      message: (text) => this.#received(JSON.parse(text) as Message),
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    });
  }

  #received(message: Message): void {
    const waiting = message.method === undefined ? this.#open.get(message.id as number) : undefined;
    if (waiting) return waiting(message);
    this.heard.push(message);
    const result = message.id !== undefined && message.method ? this.answer(message) : undefined;
    if (result) this.send({ jsonrpc: "2.0", id: message.id, ...result });
  }

  close(): void {
    void this.#channel.close();
  }

  send(message: object): void {
    this.#channel.send(JSON.stringify(message));
    this.#channel.flush();
  }

  request(method: string, params: object = {}): Promise<Message> {
    const id = ++this.#last;
    const answered = new Promise<Message>((resolve) => this.#open.set(id, resolve));
    this.send({ jsonrpc: "2.0", id, method, params });
    return answered;
  }

  /** Makes the handshake; resolves with its result. */
  async open(capabilities: object = {}, protocolVersion = "2025-11-25"): Promise<Message> {
    const clientInfo = { name: "raw", version: "1" };
    const opened = await this.request("initialize", { protocolVersion, capabilities, clientInfo });
    this.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    return opened;
  }
}
