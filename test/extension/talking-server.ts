import { isDeepStrictEqual } from "node:util";
import {
  type CodeFirstServer,
  type HandlerContext,
  McpError,
  type ServerOptions,
  createServer,
} from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { serveStdio } from "@mcpgen/runtime/stdio";
import type { Conversation, Message, Part } from "./conversation.js";

// The server of the conversation: it only knows the generated modules of the extensions and the samples.

/** The exports of the modules of an extension for one side: the extension, and functions that send. */
export interface Module {
  readonly [name: string]: unknown;
}

/** A generated extension of unknown types. */
interface Implementable<Used> {
  implement(handlers: object, options: object): Used;
}

type Used = NonNullable<ServerOptions["extensions"]>[number];

type Send = (caller: unknown, params: object) => Promise<object> | void;

/** Serves on the wire that the command line names. */
export async function serve(
  modules: { readonly [id: string]: Module },
  revisions: ServerOptions["revisions"],
  conversation: Conversation,
): Promise<void> {
  const server = new Speaker(modules, conversation).server(revisions);
  if (process.argv[2] === "stdio") serveStdio(server);
  else console.log((await serveHttp(server, { port: 0 })).url);
}

class Speaker {
  readonly #modules: { readonly [id: string]: Module };
  readonly #conversation: Conversation;
  readonly #heard: { readonly method: string; readonly params: object }[] = [];
  #onHeard: () => void = () => {};

  constructor(modules: { readonly [id: string]: Module }, conversation: Conversation) {
    this.#modules = modules;
    this.#conversation = conversation;
  }

  server(revisions: ServerOptions["revisions"]): CodeFirstServer {
    const extensions = Object.entries(this.#modules).map(([id, module]) => this.#implemented(id, module));
    const server = createServer(
      { name: "s", version: "1" },
      { revisions, extensions, state: { keys: ["0".repeat(64)], parking: "routed" }, onEvent: () => true },
    );
    const object = { inputSchema: { type: "object" } } as const;
    server.tool("plain", object, () => "plain");
    // A tool whose result an extension replaces: see `around`.
    server.tool("later", object, () => "now");
    server.tool("ask", object, async ({ id }, context) => this.#asked(id as string, context));
    server.tool("announce", object, (_, context) => this.#announce(context));
    server.tool("heard", object, ({ count }) => this.#waited(count as number));
    server.tool("change", object, ({ id, method, params }, { revision }) => {
      const { stub } = this.#part(revision, id as string).messages[method as string]!;
      (this.#modules[id as string]![stub] as Send)(server, params as object);
      return "changed";
    });
    return server;
  }

  #part(revision: string, id: string): Part {
    return this.#conversation[revision]![id]!;
  }

  #implemented(id: string, module: Module): Used {
    const parts = Object.values(this.#conversation).flatMap((each) => each[id] ?? []);
    const { name, settings } = parts[0]!;
    const own = parts.flatMap(({ messages }) =>
      Object.entries(messages).filter(([, { sender, off }]) => sender === "client" && !off),
    );
    const of = (kind: Message["kind"]): string[] =>
      own.flatMap(([method, message]) => (message.kind === kind ? [method] : []));
    const handlers = of("request").map((method) => [
      method,
      (params: object, { revision }: HandlerContext) =>
        this.#answer(this.#part(revision, id).messages[method]!, params),
    ]);
    const on = of("notification").map((method) => [method, (params: object) => this.#hear(method, params)]);
    const around = parts.some(({ added }) => added) ? { "tools/call": this.#later(id) } : {};
    return (module[name] as Implementable<Used>).implement(Object.fromEntries(handlers), {
      ...(settings.server && { settings: settings.server }),
      on: Object.fromEntries(on),
      around,
    });
  }

  /** The sample of the result, if the params are those of the sample. */
  #answer({ params, result }: Message, given: object): object {
    if (!isDeepStrictEqual(withoutMeta(given), params))
      throw new Error(`got ${JSON.stringify(given)}, not ${JSON.stringify(params)}`);
    return structuredClone(result!);
  }

  /** Answers the tool `later` with the result that the extension adds. */
  #later(id: string) {
    return (
      {
        params,
        context,
      }: {
        params: { name: string; arguments?: { id?: string } };
        context: HandlerContext;
      },
      next: () => object,
    ): object =>
      params.name === "later" && params.arguments?.id === id
        ? structuredClone(this.#part(context.revision, id).added!)
        : next();
  }

  /** Sends all requests of the extension to the client; returns what was wrong. */
  async #asked(id: string, context: HandlerContext): Promise<string> {
    const wrong: unknown[] = [];
    for (const [method, message] of Object.entries(this.#part(context.revision, id).messages)) {
      const { kind, sender, result, off } = message;
      if (sender !== "server" || kind !== "request") continue;
      try {
        const answer = await this.#ask(id, method, message, context);
        if (off || !isDeepStrictEqual(withoutMeta(answer), result)) wrong.push([method, answer, result]);
      } catch (error) {
        // A missing answer ends the round.
        if (!(error instanceof McpError)) throw error;
        if (!off || error.code !== "missing-capability") wrong.push([method, String(error)]);
      }
    }
    return JSON.stringify(wrong);
  }

  /** Sends a request to the client: in its session, or in the result of its request, depending on the era. */
  async #ask(
    id: string,
    method: string,
    { stub, params }: Message,
    context: HandlerContext,
  ): Promise<object> {
    const { session, ask } = context;
    if (session.era === "legacy") return (await (this.#modules[id]![stub] as Send)(session, params))!;
    const answers = await ask.all({ [method]: { method, params } as never });
    return answers[method]!;
  }

  /** Sends the notifications of all extensions to the client. */
  #announce({ revision, session }: HandlerContext): string {
    const sent: string[] = [];
    for (const [id, { messages }] of Object.entries(this.#conversation[revision]!)) {
      for (const [method, { kind, sender, stub, params, filter, off }] of Object.entries(messages)) {
        if (kind !== "notification" || sender !== "server" || filter || off) continue;
        sent.push(method);
        (this.#modules[id]![stub] as Send)(session, params);
      }
    }
    return JSON.stringify(sent);
  }

  #hear(method: string, params: object): void {
    this.#heard.push({ method, params: withoutMeta(params) });
    this.#onHeard();
  }

  /** Waits until so many notifications were heard, and forgets them. */
  async #waited(count: number): Promise<string> {
    while (this.#heard.length < count) await new Promise<void>((resolve) => (this.#onHeard = resolve));
    return JSON.stringify(this.#heard.splice(0));
  }
}

/** Returns the members without those that the runtime adds for an era. */
export function withoutMeta(given: object): object {
  const ofEras = new Set(["_meta", "resultType", "ttlMs", "cacheScope"]);
  return Object.fromEntries(Object.entries(given).filter(([key]) => !ofEras.has(key)));
}
