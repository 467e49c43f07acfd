import { isDeepStrictEqual } from "node:util";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import type { Conversation, Message, Part } from "./conversation.js";
import { type Module, withoutMeta } from "./talking-server.js";

// The client of the conversation. It prints its outcome.

type Used = NonNullable<ConnectOptions["extensions"]>[number];

type Send = (caller: unknown, params: object) => Promise<object>;

/** The numbers of the client's actions, and the results that contradict the samples and the notes of the extensions. */
export interface Outcome {
  readonly done: { [what: string]: number };
  readonly wrong: unknown[];
}

/** Talks with the server at the revision and the source that the command line names. */
export async function talk(
  modules: { readonly [id: string]: Module },
  revisions: ConnectOptions["revisions"],
  conversation: Conversation,
): Promise<void> {
  const [base, source] = process.argv.slice(2) as [string, string];
  const talking = new Talking(modules, conversation[base]!, { revisions, revision: base });
  await talking.all(source);
  console.log(JSON.stringify(talking.outcome));
}

class Talking {
  readonly outcome: Outcome = { done: {}, wrong: [] };
  readonly #modules: { readonly [id: string]: Module };
  readonly #parts: { readonly [id: string]: Part };
  readonly #options: Pick<ConnectOptions, "revision" | "revisions">;
  readonly #heard = new Set<string>();
  #onHeard: () => void = () => {};

  constructor(
    modules: { readonly [id: string]: Module },
    parts: { readonly [id: string]: Part },
    options: Pick<ConnectOptions, "revision" | "revisions">,
  ) {
    this.#modules = modules;
    this.#parts = parts;
    this.#options = options;
  }

  async all(source: string): Promise<void> {
    const extensions = Object.entries(this.#parts).map(([id, part]) => this.#implemented(id, part));
    const client = await connect(source, { ...this.#options, extensions });
    for (const [id, part] of Object.entries(this.#parts)) await this.#through(client, id, part);
    await this.#announced(client);
    await this.#heardByServer(client);
    await client.close();
    // A client without the extensions gets an error at each gate.
    const stranger = await connect(source, this.#options);
    for (const [id, part] of Object.entries(this.#parts)) await this.#refused(stranger, id, part);
    await stranger.close();
  }

  #implemented(id: string, { name, messages, settings, added }: Part): Used {
    const own = Object.entries(messages).filter(([, { sender, off }]) => sender === "server" && !off);
    const handlers = own.flatMap(([method, { kind, params, result }]) =>
      kind === "request"
        ? [
            [
              method,
              (given: object) =>
                isDeepStrictEqual(withoutMeta(given), params) ? result : Promise.reject(new Error("params")),
            ] as const,
          ]
        : [],
    );
    const on = own.flatMap(([method, { kind, params, filter }]) =>
      kind === "notification" && !filter
        ? [[method, (given: object) => this.#hear(method, given, params)] as const]
        : [],
    );
    const module = this.#modules[id]![name] as { implement(handlers: object, options: object): Used };
    return module.implement(Object.fromEntries(handlers), {
      ...(settings.client && { settings: settings.client }),
      on: Object.fromEntries(on),
      ...(added && { around: { "tools/call": resolving(added) } }),
    });
  }

  #count(what: string): void {
    this.outcome.done[what] = (this.outcome.done[what] ?? 0) + 1;
  }

  #compare(what: string, got: unknown, wanted: unknown, ...where: unknown[]): void {
    this.#count(what);
    if (!isDeepStrictEqual(got, wanted)) this.outcome.wrong.push([what, ...where, { got, wanted }]);
  }

  async #through(client: Client, id: string, part: Part): Promise<void> {
    const { [id]: declared } = (client.serverCapabilities.extensions ?? {}) as { [id: string]: object };
    this.#compare("settings", declared, part.settings.server, id);
    for (const [method, message] of Object.entries(part.messages)) {
      if (message.sender === "client") await this.#sent(client, id, method, message);
      else if (message.filter) await this.#subscribed(client, id, method, message);
    }
    if (Object.values(part.messages).some(({ kind, sender }) => kind === "request" && sender === "server"))
      this.#compare("asks", JSON.parse(await textOf(client, "ask", { id })), [], id);
    if (part.added) {
      const result = await client.callTool("later", { id });
      this.#compare("added results", result.content, [{ type: "text", text: "resolved" }], id);
    }
  }

  async #sent(client: Client, id: string, method: string, message: Message): Promise<void> {
    const { kind, stub, params, result, off } = message;
    const send = this.#modules[id]![stub] as Send;
    const outcome = await settled(send(client, params));
    if (off) this.#compare("switched off", outcome.code, "missing-capability", method);
    else if (kind === "notification") this.#compare("notifications sent", outcome, {}, method);
    else this.#compare("requests", outcome.code ?? withoutMeta(outcome), result, method);
  }

  /** One notification that the filter does not select, then one that it does. */
  async #subscribed(
    client: Client,
    id: string,
    method: string,
    { filter, params, off }: Message,
  ): Promise<void> {
    const { member, key } = filter!;
    const wanted = { [member]: key === undefined ? true : ["wanted"] };
    const subscription = await client.subscribe(wanted as never);
    const notices = subscription[Symbol.asyncIterator]();
    const named = (job: string): object => (key === undefined ? params : { ...params, [key]: job });
    this.#compare("filters", [subscription.honoured, off], [wanted, false], method);
    if (key !== undefined) await client.callTool("change", { id, method, params: named("other") });
    await client.callTool("change", { id, method, params: named("wanted") });
    const { value } = await notices.next();
    const got = [value?.method, withoutMeta(value?.params ?? {})];
    this.#compare("notices", got, [method, named("wanted")], method);
    await subscription.close();
  }

  /** The notifications that the server announces. */
  async #announced(client: Client): Promise<void> {
    const sent = JSON.parse(await textOf(client, "announce", {})) as string[];
    for (const method of sent) {
      while (!this.#heard.has(method)) await new Promise<void>((resolve) => (this.#onHeard = resolve));
      this.#count("notifications heard");
    }
  }

  #hear(method: string, given: object, params: object): void {
    this.#compare("announced", withoutMeta(given), params, method);
    this.#heard.add(method);
    this.#onHeard();
  }

  /** The notifications that reached the server. */
  async #heardByServer(client: Client): Promise<void> {
    const all = Object.values(this.#parts).flatMap(({ messages }) => Object.entries(messages));
    const sent = all.filter(
      ([, { kind, sender, off }]) => kind === "notification" && sender === "client" && !off,
    );
    const heard = JSON.parse(await textOf(client, "heard", { count: sent.length })) as {
      method: string;
      params: object;
    }[];
    const inOrder = (list: readonly { method: string; params: object }[]): object =>
      Object.fromEntries(list.map(({ method, params }) => [method, params]));
    this.#compare(
      "heard by the server",
      inOrder(heard),
      inOrder(sent.map(([method, { params }]) => ({ method, params }))),
    );
  }

  /** Checks the errors for a client without extensions. */
  async #refused(client: Client, id: string, { messages, added }: Part): Promise<void> {
    for (const [method, { kind, sender, params, requires, result, off }] of Object.entries(messages)) {
      if (kind !== "request" || sender !== "client") continue;
      const { rpcCode, data, ...outcome } = await settled(client.request(method, params, { result: {} }));
      if (off) this.#compare("switched off, unknown", rpcCode, -32_601, method);
      else if (requires) this.#compare("gates", [rpcCode, data], gate(client, requires), method);
      else this.#compare("requests without gates", withoutMeta(outcome), result, method);
    }
    if (added) {
      const { rpcCode } = await settled(client.callTool("later", { id }));
      this.#compare("added results refused", rpcCode, -32_603, id);
    }
  }
}

/** The error of the era for a client that has not declared what a method requires. */
function gate({ revision }: Client, path: readonly string[]): [number, unknown] {
  if (revision < "2026-07-28") return [-32_601, undefined];
  const required = path.toReversed().reduce((inner, key) => ({ [key]: inner }), {});
  return [-32_021, { requiredCapabilities: required }];
}

interface Settled {
  readonly code?: string;
  readonly rpcCode?: number;
  readonly data?: unknown;
  readonly [member: string]: unknown;
}

/** The value with which a promise resolves, or the error with which it rejects. */
async function settled(promise: Promise<unknown>): Promise<Settled> {
  try {
    return ((await promise) ?? {}) as Settled;
  } catch (error) {
    const { code, rpcCode, data, message } = error as Settled & Error;
    return { code: `${code}`, ...(rpcCode !== undefined && { rpcCode }), data, message };
  }
}

async function textOf(client: Client, tool: string, given: object): Promise<string> {
  const { content } = await client.callTool(tool, given);
  return (content[0] as { text: string }).text;
}

/** Makes a plain result of the result that an extension adds. */
function resolving(added: object) {
  return async (_: unknown, next: () => Promise<object>): Promise<object> => {
    const result = await next();
    const marked = Object.entries(added).every(([key, value]) =>
      isDeepStrictEqual((result as Module)[key], value),
    );
    return marked ? { content: [{ type: "text", text: "resolved" }] } : result;
  };
}
