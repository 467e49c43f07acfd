import { tasks as clientExtension } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/tasks/client";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { VirtualClock, memoryChannels } from "@mcpgen/testing";
import { type ClientTasks, type ClientTasksOptions, tasks } from "@mcpgen/tasks/client";
import { onTestFinished } from "vitest";

interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: { readonly [member: string]: unknown };
  readonly result?: object;
  readonly error?: object;
}

/** The result of a request, or its error in a member `error`; `undefined` leaves the request open. */
export type Script = (
  params: { readonly [member: string]: unknown },
  count: number,
  id: number | string,
) => object | undefined | Promise<object | undefined>;

/** The capabilities of a server of 2026-07-28 with tasks. */
export const extensionDeclared = { extensions: { "io.modelcontextprotocol/tasks": {} } };

/** A task of 2026-07-28. */
export const taskAt = (status: string, taskId = "one", pollIntervalMs = 1000) => ({
  resultType: "complete",
  taskId,
  status,
  createdAt: "2026-01-01T00:00:00Z",
  lastUpdatedAt: "2026-01-01T00:00:00Z",
  ttlMs: null,
  pollIntervalMs,
});

/** A server that answers by a script, at one revision. */
export class ScriptedServer {
  /** The messages of the client after the handshake, in order. */
  readonly sent: Message[] = [];
  readonly channel;
  readonly revision: string;
  readonly scripts: Record<string, Script>;
  readonly #far;
  readonly #answered = new Map<number, (message: Message) => void>();
  #asked = 0;

  constructor(revision: string, capabilities: object, scripts: Record<string, Script>) {
    this.revision = revision;
    this.scripts = scripts;
    const [near, far] = memoryChannels();
    this.channel = near;
    this.#far = far;
    const serverInfo = { name: "scripted", version: "1" };
    const declared = { tools: { listChanged: true }, ...capabilities };
    const opening: Record<string, object> = {
      initialize: { protocolVersion: revision, capabilities: declared, serverInfo },
      "server/discover": {
        resultType: "complete",
        supportedVersions: [revision],
        capabilities: declared,
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
        ttlMs: 0,
        cacheScope: "private",
      },
      ping: {},
    };
    far.open({
      message: (text) => void this.#received(JSON.parse(text) as Message, opening),
      turn: () => {},
      tooLong: () => {},
      closed: () => {},
    });
  }

  /** The methods that the client sent, in order. */
  get methods(): string[] {
    return this.sent.flatMap(({ method }) => (method === undefined ? [] : [method]));
  }

  params(method: string): object[] {
    return this.sent.filter((message) => message.method === method).map(({ params = {} }) => params);
  }

  async #received(message: Message, opening: Record<string, object>): Promise<void> {
    const { id, method = "", params = {} } = message;
    if (method === "" && this.#answered.has(id as number)) {
      this.sent.push(message);
      return this.#answered.get(id as number)!(message);
    }
    if (method === "notifications/initialized") return;
    const isOpening =
      Object.hasOwn(opening, method) && (method !== "server/discover" || this.revision >= "2026");
    if (isOpening) return this.#send({ id, result: opening[method] });
    this.sent.push(message);
    if (id === undefined) return;
    const script = Object.hasOwn(this.scripts, method) ? this.scripts[method] : undefined;
    if (!script) return this.#send({ id, error: { code: -32601, message: `no ${method}` } });
    const answer = await script(params, this.params(method).length, id);
    if (!answer) return;
    const isError = "error" in answer && !("status" in answer);
    this.#send(isError ? { id, ...answer } : { id, result: answer });
  }

  #send(message: object): void {
    this.#far.send(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.#far.flush!();
  }

  /** Sends a request to the client. Resolves with the answer. */
  ask(method: string, params: object): Promise<Message> {
    const id = 1000 + ++this.#asked;
    const answered = new Promise<Message>((resolve) => this.#answered.set(id, resolve));
    this.#send({ id, method, params });
    return answered;
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }
}

/** A client of a scripted server, with tasks. */
export async function clientOf(
  server: ScriptedServer,
  options: ClientTasksOptions = {},
  more: Partial<ConnectOptions> = {},
  clock = new VirtualClock(1000),
): Promise<{ readonly client: Client; readonly own: ClientTasks; readonly clock: VirtualClock }> {
  const own = tasks(clientExtension, options);
  const client = await connect(server.channel, {
    revisions: clientRevisions,
    revision: server.revision,
    extensions: [own],
    clock,
    onEvent: () => true,
    ...more,
  });
  onTestFinished(() => client.close());
  return { client, own, clock };
}

/** Moves the time until the promise settles. */
export async function during<Value>(clock: VirtualClock, work: Promise<Value>, step = 500): Promise<Value> {
  const state = { isOver: false };
  const end = (): void => void (state.isOver = true);
  work.then(end, end);
  while (!state.isOver) await clock.advance(step);
  return work;
}
