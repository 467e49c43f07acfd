import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { VirtualClock, memoryChannels } from "@mcpgen/testing";
import { tasks } from "@mcpgen/tasks/client";
import { type ReceiverOptions, receiver } from "@mcpgen/tasks/receiver";
import { onTestFinished } from "vitest";
import { heard } from "../../support/heard.mjs";

/** The members of results that these tests read. */
export interface Result {
  readonly task: RawTask;
  readonly tasks: readonly RawTask[];
  readonly nextCursor?: string;
  readonly taskId: string;
  readonly status: string;
  readonly statusMessage?: string;
  readonly action?: string;
  readonly content?: unknown;
  readonly _meta?: { readonly [key: string]: unknown };
}

export interface RawTask {
  readonly taskId: string;
  readonly status: string;
  readonly ttl: number;
  readonly createdAt: string;
  readonly lastUpdatedAt: string;
  readonly pollInterval?: number;
}

export interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [key: string]: unknown };
  readonly result: Result;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A server of revisions with a handshake that writes its messages by hand. */
export class RawServer {
  /** All that came, in order. */
  readonly heard: Message[] = [];
  readonly channel;
  readonly #near;
  readonly #open = new Map<number, (message: Message) => void>();
  readonly #awaited = new Set<{
    readonly is: (message: Message) => boolean;
    readonly resolve: (message: Message) => void;
  }>();
  #last = 0;

  /** @param capabilities of the server */
  constructor(protocolVersion = "2025-11-25", capabilities: object = {}) {
    const [near, far] = memoryChannels();
    this.channel = far;
    this.#near = near;
    near.open({
      message: (text) => {
        const message = JSON.parse(text) as Message;
        if (message.method === "initialize")
          this.send({
            id: message.id,
            result: { protocolVersion, capabilities, serverInfo: { name: "raw", version: "1" } },
          });
        this.#received(message);
      },
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    });
  }

  #received(message: Message): void {
    this.heard.push(message);
    if (message.method === undefined) this.#open.get(message.id as number)?.(message);
    for (const awaited of this.#awaited)
      if (awaited.is(message) && this.#awaited.delete(awaited)) awaited.resolve(message);
  }

  /** The message of a method, whether it has come or not. */
  next(method: string, is: (params: Record<string, unknown>) => boolean = () => true): Promise<Message> {
    const fits = (message: Message): boolean => message.method === method && is(message.params ?? {});
    const found = this.heard.find(fits);
    if (found) return Promise.resolve(found);
    return new Promise((resolve) => this.#awaited.add({ is: fits, resolve }));
  }

  send(message: object): void {
    this.#near.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.#near.flush();
  }

  /** Sends a request; resolves with the response. */
  request(method: string, params: object = {}, id = ++this.#last): Promise<Message> {
    const answered = new Promise<Message>((resolve) => this.#open.set(id, resolve));
    this.send({ id, method, params });
    return answered;
  }

  close(): Promise<void> {
    return this.#near.close();
  }
}

export const form = {
  mode: "form",
  message: "Your name?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
};

export const prompt = { messages: [{ role: "user", content: { type: "text", text: "hi" } }], maxTokens: 9 };

/** A client that runs tasks, and its server. */
export async function running(
  run: ReceiverOptions | undefined,
  options: Partial<ConnectOptions> = {},
  revision = "2025-11-25",
): Promise<{
  readonly server: RawServer;
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly errors: unknown[];
  readonly declared: { readonly tasks?: object };
}> {
  const clock = new VirtualClock(1_000_000);
  const server = new RawServer(revision);
  const errors: unknown[] = [];
  const extension = tasks(clientExtension, run === undefined ? {} : { receiver: receiver(run) });
  const client = await connect(server.channel, {
    revisions: clientRevisions,
    revision,
    extensions: [extension],
    clock,
    ...options,
    onEvent: heard({ handlerError: (error) => errors.push(error), event: options.onEvent }),
  } as ConnectOptions);
  onTestFinished(() => client.close());
  const { params } = await server.next("initialize");
  return { server, client, clock, errors, declared: params!["capabilities"] as object };
}

/** A promise, and the functions that settle it. */
export function deferred<Value = void>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => (resolve = settle));
  return { promise, resolve };
}
