// Servers under fire in a separate process, on a clock that the process which started them moves.
import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, type McpError, type ServerEvent, createServer } from "@mcpgen/runtime";
import {
  type HttpServer,
  type HttpStats,
  MemorySessionStore,
  type ServeHttpOptions,
  serveHttp,
} from "@mcpgen/runtime/http";
import { type RateLimits, rateLimit, timeLimit } from "@mcpgen/observe";
import { serveStdio } from "@mcpgen/runtime/stdio";
import { VirtualClock } from "@mcpgen/testing";
import { heap } from "../../../support/heap.js";

/** How the servers are made. */
export interface Setup {
  /** Servers over HTTP, with one store of sessions; without any, one server over stdio. */
  readonly endpoints: number;
  readonly http?: Pick<ServeHttpOptions, "limits"> & { readonly sessions?: { readonly idleMs?: number } };
  readonly rates?: readonly RateLimits[];
  readonly timeLimit?: number;
  /** Whether the process exits at the end of its input. */
  readonly exit?: boolean;
}

/** The reports of one server since the last reading, and its counts. */
export interface Reading {
  readonly events: readonly object[];
  /** Of `onSession`: what, why, which. */
  readonly sessions: readonly string[];
  readonly server: ReturnType<CodeFirstServer["stats"]>;
  readonly http: HttpStats | undefined;
  /** Ids in the order of `http.sessions`. */
  readonly ids: readonly string[];
}

/** Resources that remain when all servers are closed. */
export interface Remains {
  readonly timers: number;
  /** Sockets, timers and others that the process did not have before the servers. */
  readonly handles: readonly string[];
  readonly connections: number;
}

/** The orders of the parent, and the answers. */
export interface Orders {
  start(setup: Setup): Promise<readonly string[]>;
  advance(ms: number): Promise<void>;
  read(): readonly Reading[];
  /** Ends sessions of one server. */
  end(endpoint: number, ids: readonly string[]): Promise<readonly boolean[]>;
  /** Lets the waiting handlers end. Returns their number. */
  release(): Promise<number>;
  heap(): Promise<number>;
  close(): Promise<Remains>;
}

const clock = new VirtualClock();
const store = new MemorySessionStore(clock);

interface Served {
  readonly server: CodeFirstServer;
  readonly http: HttpServer | undefined;
  events: object[];
  sessions: string[];
}

const served: Served[] = [];

/** Handlers that wait for the parent. */
const held = new Set<() => void>();

function serverOf({ rates = [], timeLimit: most }: Setup): CodeFirstServer {
  const server = createServer(
    { name: "fired", version: "1.0.0" },
    {
      revisions: serverRevisions,
      clock,
      // Each client reaches one server.
      state: { keys: ["0123456789abcdef"], parking: "routed" },
      onEvent: () => true,
    },
  );
  server.tool("t", {}, () => "done");
  server.tool("later", {}, async () => "done");
  server.tool("throws", {}, () => {
    throw new Error("thrown");
  });
  const messages = [{ role: "user" as const, content: { type: "text" as const, text: "?" } }];
  server.tool("sample", {}, async (_, { ask }) => (await ask.sample("k", { messages, maxTokens: 1 })).model);
  // Ends when its signal aborts.
  server.tool("heeds", {}, (_, { signal }) => {
    return new Promise<string>((resolve) => signal.addEventListener("abort", () => resolve("aborted")));
  });
  server.tool("ignores", {}, () => {
    return new Promise<string>((resolve) => {
      const end = (): void => {
        held.delete(end);
        resolve("released");
      };
      held.add(end);
    });
  });
  for (const rate of rates) server.use(rateLimit(rate));
  if (most !== undefined) server.use(timeLimit(most));
  return server;
}

/** An event as JSON can carry it. */
function plain(event: ServerEvent): object {
  if (!("error" in event)) return event;
  const { code, message } = event.error as McpError;
  return { ...event, error: code ?? message };
}

async function serve(setup: Setup): Promise<void> {
  const server = serverOf(setup);
  const events: object[] = [];
  const sessions: string[] = [];
  server.onEvent((event) => void found.events.push(plain(event)));
  const http =
    setup.endpoints === 0
      ? undefined
      : await serveHttp(server, {
          port: 0,
          keepAliveMs: 0,
          graceMs: 0,
          authenticate: ({ header }) => {
            const principal = header("authorization");
            return principal === undefined ? { status: 401, text: "who?" } : { principal };
          },
          ...setup.http,
          sessions: {
            store,
            onSession: (event) =>
              void found.sessions.push(
                `${event.type} ${event.type === "ended" ? `${event.reason} ` : ""}${event.session.id}`,
              ),
            ...setup.http?.sessions,
          },
        });
  const found: Served = { server, http, events, sessions };
  served.push(found);
  if (!http) serveStdio(server, { exit: setup.exit ?? false });
}

function readingOf(found: Served): Reading {
  const { server, http, events, sessions } = found;
  found.events = [];
  found.sessions = [];
  const ids = [...(http?.sessions ?? [])].map(({ id }) => id);
  return { events, sessions, server: server.stats(), http: http?.stats(), ids };
}

const activeHandles = (): object[] =>
  (process as unknown as { _getActiveHandles(): object[] })._getActiveHandles();

/** The resources that exist before the servers, such as the channel to the parent. */
let first: ReadonlySet<object> = new Set();

function handles(): string[] {
  return activeHandles()
    .filter((each) => !first.has(each))
    .map((each) => each.constructor.name);
}

const orders: Orders = {
  start: async (setup) => {
    first = new Set<object>([process.stdin, process.stdout, process.stderr, ...activeHandles()]);
    for (let left = Math.max(1, setup.endpoints); left > 0; left--) await serve(setup);
    return served.flatMap(({ http }) => (http ? [http.url] : []));
  },
  advance: (ms) => clock.advance(ms),
  read: () => served.map(readingOf),
  end: (endpoint, ids) => Promise.all(ids.map((id) => served[endpoint]!.http!.sessions.end(id))),
  release: async () => {
    const count = held.size;
    for (const end of held) end();
    await new Promise((resolve) => setImmediate(resolve));
    return count;
  },
  heap,
  close: async () => {
    await Promise.all(served.map(({ http, server }) => http?.close() ?? server.close()));
    // Sockets that were destroyed leave in the next turns.
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve));
    const connections = served.reduce((sum, { server }) => sum + server.connections.size, 0);
    return { timers: clock.waiting, handles: handles(), connections };
  },
};

interface Order {
  readonly id: number;
  readonly name: keyof Orders;
  readonly args: readonly unknown[];
}

process.on("message", ({ id, name, args }: Order) => {
  void Promise.resolve()
    .then(() => (orders[name] as (...given: readonly unknown[]) => unknown)(...args))
    .then(
      (answer) => process.send!({ id, answer }),
      (error: Error) => process.send!({ id, failure: String(error.stack) }),
    );
});
process.once("disconnect", () => process.exit());
