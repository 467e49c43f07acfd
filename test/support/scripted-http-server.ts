import { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { clientRevisions } from "@mcpgen/protocol";
import { type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { expect, onTestFinished } from "vitest";
import { type Members, type Wired, problemFromClient } from "./sent-messages.js";
import { listen } from "./listen.js";
import { Arrivals } from "./arrivals.js";

export type { Members, Wired };

/** An HTTP request, with functions by which a script answers it. */
export class Incoming {
  /** POST, GET or DELETE. */
  readonly verb: string;
  /** Path with the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly message: Wired | undefined;
  /** Time of arrival in milliseconds. */
  readonly at = performance.now();
  /** Resolves when either side has closed the connection. */
  readonly closed: Promise<void>;
  readonly response: ServerResponse;

  constructor(request: IncomingMessage, response: ServerResponse, text: string) {
    this.verb = request.method!;
    this.path = request.url!;
    this.headers = request.headers;
    this.text = text;
    this.message = text === "" ? undefined : (JSON.parse(text) as Wired);
    this.response = response;
    this.closed = new Promise((resolve) => response.on("close", resolve));
  }

  status(status: number, text = "", headers: Readonly<Record<string, string>> = {}): void {
    this.response.writeHead(status, headers).end(text);
  }

  json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): void {
    this.status(status, JSON.stringify(body), { "content-type": "application/json", ...headers });
  }

  /** Begins or continues an event stream. */
  events(text: string | Uint8Array = "", headers: Readonly<Record<string, string>> = {}): this {
    if (!this.response.headersSent)
      this.response.writeHead(200, { "content-type": "text/event-stream", ...headers });
    this.response.flushHeaders();
    this.response.write(text);
    return this;
  }

  event(message: unknown, id?: string): this {
    return this.events(`${id === undefined ? "" : `id: ${id}\n`}data: ${JSON.stringify(message)}\n\n`);
  }

  end(): void {
    this.response.end();
  }

  /** Cuts the connection after all written data is sent. */
  reset(): void {
    setImmediate(() => this.response.socket?.resetAndDestroy());
  }

  /** Answers the JSON-RPC request in the body. */
  reply(reply: Members, headers: Readonly<Record<string, string>> = {}): void {
    this.json(this.answer(reply), 200, headers);
  }

  answer(reply: Members): Members {
    return { jsonrpc: "2.0", id: this.message!.id, ...("error" in reply ? reply : { result: reply }) };
  }
}

/** Answers by method of the message or verb of the request. */
export interface Script {
  readonly [method: string]: (incoming: Incoming, server: ScriptedHttp) => void | Promise<void>;
}

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
};
const serverInfo = { name: "scripted", version: "1" };

/** A handwritten server: answers from a script, and records requests. */
export class ScriptedHttp {
  readonly revision: string;
  script: Script;
  readonly received: Incoming[] = [];
  url = "";
  /** Id of the sessions that it opens; absent for no sessions. */
  session: string | undefined = "s1";
  private readonly arrivals = new Arrivals();

  constructor(revision: string, script: Script) {
    this.revision = revision;
    this.script = script;
  }

  /** Returns the received messages of a method, or requests of a verb. */
  of(name: string): Incoming[] {
    return this.received.filter(
      ({ message, verb }) => (verb === "POST" ? (message?.method ?? "response") : verb) === name,
    );
  }

  async until(name: string, count = 1): Promise<Incoming> {
    while (this.of(name).length < count) await this.arrivals.next();
    return this.of(name)[count - 1]!;
  }

  /** Makes a result, with the members that the revision requires of all results. */
  result(members: Members): Members {
    return this.revision < "2026"
      ? members
      : { resultType: "complete", ttlMs: 0, cacheScope: "private", ...members };
  }

  get faults(): string[] {
    return this.received.flatMap(({ message: body, text }) =>
      [body ?? []].flat().flatMap((message) => {
        if (!message.method && "result" in message) return [];
        const problem = problemFromClient(message, this.revision);
        return problem === undefined ? [] : [`${text} ${problem}`];
      }),
    );
  }

  take(incoming: Incoming): void {
    this.received.push(incoming);
    const name = incoming.verb === "POST" ? (incoming.message?.method ?? "response") : incoming.verb;
    void (this.script[name] ?? standard[name] ?? unknown)(incoming, this);
    this.arrivals.announce();
  }
}

const unknown: Script[string] = (incoming, { revision }) =>
  incoming.message?.id === undefined
    ? incoming.status(202)
    : incoming.json(
        incoming.answer({ error: { code: -32601, message: "no such method" } }),
        revision < "2026" ? 200 : 404,
      );

const standard: Script = {
  initialize: (incoming, { revision, session }) =>
    incoming.reply(
      { protocolVersion: revision, capabilities, serverInfo },
      session === undefined ? {} : { "mcp-session-id": session },
    ),
  "server/discover": (incoming, server) =>
    server.revision < "2026"
      ? incoming.status(400)
      : incoming.reply(server.result({ supportedVersions: [server.revision], capabilities })),
  "tools/list": (incoming, server) => incoming.reply(server.result({ tools: [] })),
  "tools/call": (incoming, server) => incoming.reply(server.result({ content: [] })),
  ping: (incoming) => incoming.reply({}),
  GET: (incoming) => incoming.status(405),
  DELETE: (incoming) => incoming.status(204),
};

/** Starts a scripted server until the test ends. Then checks that all received messages were valid. */
export async function scripted(revision: string, script: Script = {}): Promise<ScriptedHttp> {
  const server = new ScriptedHttp(revision, script);
  const node = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => void chunks.push(chunk));
    request.on("end", () => server.take(new Incoming(request, response, Buffer.concat(chunks).toString())));
  });
  const port = await listen(node);
  server.url = `http://127.0.0.1:${port}/mcp`;
  onTestFinished(() => {
    node.closeAllConnections();
    node.close();
    expect(server.faults).toEqual([]);
  });
  return server;
}

/** Connects a client to a scripted server, at one revision. */
export async function connected(
  revision: string,
  script: Script = {},
  options: Partial<ConnectOptions> = {},
): Promise<{ readonly server: ScriptedHttp; readonly client: Client }> {
  const server = await scripted(revision, script);
  return { server, client: await clientOf(server.url, { revision, ...options }) };
}

export async function clientOf(url: string, options: Partial<ConnectOptions> = {}): Promise<Client> {
  const client = await connect(url, {
    revisions: clientRevisions,
    onEvent: () => true,
    ...options,
    http: { reconnects: { delayMs: 20 }, ...options.http },
  });
  onTestFinished(() => client.close());
  return client;
}
