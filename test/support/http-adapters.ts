import { once } from "node:events";
import {
  type IncomingMessage,
  type Server as NodeServer,
  type ServerResponse,
  createServer,
} from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import type { Server } from "@mcpgen/runtime";
import {
  type HttpHandler,
  type HttpSessions,
  type HttpStats,
  type ServeHttpOptions,
  createHttpHandler,
  serveHttp,
} from "@mcpgen/runtime/http";
import { onTestFinished } from "vitest";
import { listen } from "./listen.js";

export const adapters = ["node", "fetch"] as const;
export type Adapter = (typeof adapters)[number];

/** A listening server. */
export interface Target {
  readonly port: number;
  readonly url: string;
  readonly node: NodeServer;
  readonly sessions: HttpSessions;
  stats(): HttpStats;
  close(): Promise<void>;
}

/** Serves on a free port of this machine until the test ends. */
export async function serve(
  adapter: Adapter,
  server: Server,
  options: ServeHttpOptions = {},
): Promise<Target> {
  // A handler has no path. Closing does not wait for requests that tests leave running.
  const { path: _, ...handled } = { graceMs: 0, ...options };
  const target =
    adapter === "node"
      ? await serveHttp(server, { port: 0, graceMs: 0, ...options })
      : await bridged(createHttpHandler(server, handled), handled.graceMs > 0);
  onTestFinished(() => target.close());
  return target;
}

/** Simulates a platform with web objects: converts node:http requests and responses. */
async function bridged(handler: HttpHandler, graceful: boolean): Promise<Target> {
  const answers: Promise<unknown>[] = [];
  const node = createServer((request, response) => {
    answers.push(once(response, "close"));
    void answer(handler, request, response);
  });
  const port = await listen(node);
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    node,
    sessions: handler.sessions,
    stats: handler.stats,
    close: async () => {
      await handler.close();
      // An application waits until answers are sent.
      if (graceful) await Promise.all(answers);
      node.closeAllConnections();
      node.close();
    },
  };
}

async function answer(
  handler: HttpHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const web = requestOf(request, gone.signal);
  if (!web) return void response.writeHead(400).end();
  const found = await handler.fetch(web);
  if (response.destroyed) return;
  response.writeHead(found.status, Object.fromEntries(found.headers));
  response.flushHeaders();
  if (!found.body) return void response.end();
  const body = Readable.fromWeb(found.body as ReadableStream);
  response.on("close", () => body.destroy());
  body.on("error", () => response.destroy());
  body.pipe(response);
}

/** Converts a request; `undefined` if a platform would refuse it. */
function requestOf(request: IncomingMessage, signal: AbortSignal): Request | undefined {
  const { method, url, rawHeaders } = request;
  const headers = rawHeaders.flatMap((name, at) => (at % 2 ? [] : [[name, rawHeaders[at + 1]!]]));
  const body = method === "POST" ? { body: Readable.toWeb(request), duplex: "half" } : {};
  try {
    return new Request(`http://${request.headers.host}${url}`, {
      method,
      headers,
      signal,
      ...body,
    } as RequestInit);
  } catch {
    return undefined;
  }
}
