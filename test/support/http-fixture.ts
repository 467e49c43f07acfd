import { serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, type ServerOptions, createServer } from "@mcpgen/runtime";
import type { ServeHttpOptions } from "@mcpgen/runtime/http";
import { VirtualClock } from "@mcpgen/testing";
import { heard } from "./heard.mjs";
import { type Adapter, type Target, serve } from "./http-adapters.js";
import { type Members, Party } from "./raw-http-client.js";

/** A gate that opens once, and the promises that wait for it. */
export class Gate {
  open!: () => void;
  readonly opened = new Promise<void>((resolve) => (this.open = resolve));
}

/** The internals of the server that a test can observe and control. */
export interface Inside {
  readonly server: CodeFirstServer;
  readonly clock: VirtualClock;
  /** Opened by a test to let `gated` end. */
  readonly gate: Gate;
  /** Opened when `gated` has begun. */
  readonly began: Gate;
  /** Opened when the signal of `gated` has aborted. */
  readonly aborted: Gate;
  readonly warnings: string[];
}

export function inside(options: Partial<ServerOptions> = {}): Inside {
  const warnings: string[] = [];
  const clock = new VirtualClock();
  const server = createServer(
    { name: "http", version: "1.0.0" },
    {
      revisions: serverRevisions,
      capabilities: { logging: {} },
      clock,
      ...options,
      onEvent: heard({ warning: (message) => void warnings.push(message), event: options.onEvent }),
    },
  );
  const found = { server, clock, gate: new Gate(), began: new Gate(), aborted: new Gate(), warnings };
  addTools(found);
  server.resource("note://one", { name: "one" }, () => "one");
  server.resource("note://zwei/für", { name: "zwei" }, () => "zwei");
  server.prompt("hello", {}, () => "hello");
  return found;
}

function addTools({ server, gate, began, aborted }: Inside): void {
  server.tool<{ text: string }>("echo", {}, ({ text }) => String(text));
  // Reports progress before it waits, and after.
  server.tool<{ steps: number }>("gated", {}, async ({ steps = 0 }, { progress, signal }) => {
    signal.addEventListener("abort", () => aborted.open());
    for (let step = 1; step <= steps; step++) progress(step, 2 * steps);
    began.open();
    await gate.opened;
    for (let step = 1; step <= steps; step++) progress(steps + step, 2 * steps);
    return "done";
  });
  server.tool<{ count: number }>("steps", {}, async ({ count }, { progress }) => {
    for (let step = 1; step <= count; step++) {
      await Promise.resolve();
      progress(step);
    }
    return "stepped";
  });
  server.tool("greet", {}, async (_, { ask }) => {
    const answer = await ask.elicit<{ name: string }>("name", {
      message: "Who is it?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return answer.action === "accept" ? `Hello, ${answer.content.name}` : answer.action;
  });
  server.tool("poll", {}, async (_, { disconnect }) => {
    disconnect(700);
    began.open();
    await gate.opened;
    return "polled";
  });
  server.tool("route", { inputSchema: routed }, (args) => JSON.stringify(args));
  const late = server.tool("late", {}, () => "late");
  let isLate = true;
  server.tool("change", {}, () => {
    isLate = !isLate;
    if (isLate) late.enable();
    else late.disable();
    server.resourceUpdated("note://one");
    return "changed";
  });
}

/** A schema with parameters that headers mirror. */
const routed = {
  type: "object",
  properties: {
    region: { type: "string", "x-mcp-header": "Region" },
    limit: { type: "integer", "x-mcp-header": "Limit" },
    dry: { type: ["boolean", "null"] },
    flag: { type: "boolean", "x-mcp-header": "Flag" },
    a: {
      type: "object",
      properties: {
        b: { type: "object", properties: { c: { type: "string", "x-mcp-header": "Deep" } } },
      },
    },
  },
} as const;

/** Starts that server over HTTP, and connects a client. */
export async function http(
  adapter: Adapter,
  revision: string,
  options: ServeHttpOptions = {},
  capabilities: Members = {},
  serverOptions: Partial<ServerOptions> = {},
): Promise<Inside & { readonly target: Target; readonly party: Party }> {
  const found = inside(serverOptions);
  const target = await serve(adapter, found.server, { keepAliveMs: 0, ...options });
  const party = await new Party(target.url, revision, {}, capabilities).open();
  return { ...found, target, party };
}
