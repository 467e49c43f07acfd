import type { ConnectOptions } from "@mcpgen/runtime";
import { type Members, type Wired, clientOf } from "../../../support/scripted-http-server.js";

/** A request as `fetch` gets it. */
export interface Fetched {
  readonly verb: string;
  /** The method of the message; without a message, the verb. */
  readonly name: string;
  readonly message: Wired | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

type Answering = Readonly<Record<string, (request: Fetched) => Response | Promise<Response>>>;

/** Answers a request with a result. */
export function resultOf({ message }: Fetched, result: Members, headers: Members = {}): Response {
  return Response.json(
    { jsonrpc: "2.0", id: message!.id, result },
    { headers: headers as Record<string, string> },
  );
}

/** Never answers; fails when its signal aborts. */
export function never({ signal }: Fetched): Promise<Response> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error));
  });
}

const standard: Answering = {
  initialize: (request) =>
    resultOf(
      request,
      {
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "fetched", version: "1" },
      },
      { "mcp-session-id": "s1" },
    ),
  "tools/call": (request) => resultOf(request, { content: [] }),
  GET: () => new Response(null, { status: 405 }),
  DELETE: () => new Response(null, { status: 204 }),
};

/** A client of 2025-11-25 without a network, so that tests may use virtual timers. */
export async function fetching(
  answering: Answering,
  options: Partial<ConnectOptions> = {},
): Promise<{ readonly client: Awaited<ReturnType<typeof clientOf>>; readonly sent: Fetched[] }> {
  const sent: Fetched[] = [];
  const fetch = async (_: string, { method, headers, body, signal }: RequestInit): Promise<Response> => {
    const message = typeof body === "string" ? (JSON.parse(body) as Wired) : undefined;
    const verb = method!;
    const name = verb === "POST" ? (message?.method ?? "response") : verb;
    const request = { verb, name, message, headers: headers as Record<string, string>, signal: signal! };
    sent.push(request);
    const answer = answering[name] ?? standard[name];
    return answer ? answer(request) : new Response(null, { status: 202 });
  };
  const client = await clientOf("http://fetched.invalid/mcp", {
    revision: "2025-11-25",
    ...options,
    http: { ...options.http, fetch },
  });
  return { client, sent };
}
