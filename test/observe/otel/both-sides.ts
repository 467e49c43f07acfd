// A client and a server that are traced, and send each other any method of the tables.
import { readFileSync } from "node:fs";
import { type ReadableSpan } from "@opentelemetry/sdk-trace-base";
import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Role } from "@mcpgen/protocol/model";
import {
  type Client,
  type CodeFirstServer,
  McpError,
  type ServerSession,
  createServer,
} from "@mcpgen/runtime";
import { instrument, instrumentation } from "@mcpgen/observe/otel";
import { VirtualClock, createTestPair } from "@mcpgen/testing";
import { definitionOf } from "../../support/definition-names.js";
import { heard } from "../../support/heard.mjs";
import type { Ending, Operation, SpanFacts } from "./conventions.js";
import { telemetry } from "./telemetry.js";

type Params = { readonly [name: string]: unknown };

interface Vector {
  readonly validator: string;
  readonly method?: string;
  readonly from: readonly Role[];
  readonly valid: boolean;
  readonly message: Params & { readonly params?: Params };
}

/** The valid messages and results of a revision, as `generate` writes them. */
function vectorsOf(revision: string): readonly Vector[] {
  const file = new URL(`../../../generated/${revision}/vectors.json`, import.meta.url);
  const { vectors } = JSON.parse(readFileSync(file, "utf8")) as { readonly vectors: readonly Vector[] };
  return vectors.filter(({ valid }) => valid);
}

const uri = "note://one?key=secret";

/** Parameters of an operation: the parameters of a generated message, with names that the server offers. */
export function paramsOf({ method, sender }: Operation, revision: string): Params {
  const vectors = vectorsOf(revision);
  const { message } = vectors.find((each) => each.method === method && each.from.includes(sender))!;
  const { _meta, ...params } = message.params ?? {};
  // Pages and questions need values that their types do not require.
  if (method === "elicitation/create")
    return { mode: "form", message: "Who?", requestedSchema: { type: "object", properties: {} } };
  if (method === "completion/complete")
    return { ref: { type: "ref/prompt", name: "hello" }, argument: { name: "to", value: "A" } };
  return {
    ...params,
    ...("name" in params && { name: method === "prompts/get" ? "hello" : "order" }),
    ...("uri" in params && { uri }),
  };
}

/** A generated result of a request, without what the runtime adds to it. */
function resultOf({ method, sender }: Operation, revision: string): Params {
  const revisions = sender === "client" ? clientRevisions : serverRevisions;
  const { table } = revisions.find(({ id }) => id === revision)!;
  const name = definitionOf(revision, table.outgoingRequests.get(method)!.result!.accepts);
  const { message } = vectorsOf(revision).find(({ validator }) => validator === name)!;
  const { resultType: _, _meta, ...result } = message;
  return result;
}

/** The tool that makes the requests which are parts of results. */
const asking = "ask";

/** The behaviour of an operation's handler. */
interface Plan {
  readonly operation: Operation;
  readonly ending: Ending;
  readonly reached: () => void;
}

interface Incoming {
  readonly direction: string;
  readonly method: string;
  readonly params: Params;
  readonly context: { readonly signal?: AbortSignal | undefined };
}

/** Middleware inside the instrumentation: answers the planned operations in place of their handlers. */
function answering(plans: readonly Plan[], side: Role, revision: string) {
  return async (request: Incoming, next: () => object | Promise<object>) => {
    const { direction, method, params, context } = request;
    const plan = plans.find(({ operation }) => operation.method === method && operation.sender !== side);
    if (direction !== "incoming" || !plan || params["name"] === asking) return next();
    const { operation, ending, reached } = plan;
    reached();
    if (operation.isStream && typeof ending !== "object") return next();
    if (ending === "success") return resultOf(operation, revision);
    if (ending === "isError") return { content: [], isError: true };
    if (typeof ending === "object")
      throw new McpError("refused" as never, ending.message, { rpcCode: ending.code });
    return new Promise<object>((_, reject) =>
      context.signal!.addEventListener("abort", () => reject(new Error("aborted"))),
    );
  };
}

const tasks = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const ofTasks = { list: {}, cancel: {}, requests: { elicitation: { create: {} } } };

function shop(clock: VirtualClock): CodeFirstServer {
  const server = createServer(
    { name: "shop", version: "1.0.0" },
    {
      revisions: serverRevisions,
      clock,
      onEvent: () => true,
      capabilities: { logging: {}, completions: {}, resources: { subscribe: true }, tasks } as never,
    },
  );
  server.tool("order", {}, () => "ordered");
  server.prompt("hello", { arguments: [{ name: "to" }] }, () => "hello");
  server.resource(uri, { name: "one" }, () => "one");
  for (const method of ["tasks/cancel", "tasks/get", "tasks/list", "tasks/result"])
    server.handle(method, () => ({}));
  return server;
}

/** A pair whose handlers follow plans, and the spans of both sides. */
async function tracedPair(revision: string, plans: Plan[], { options }: ReturnType<typeof telemetry>) {
  const clock = new VirtualClock();
  const server = shop(clock);
  instrument(server, options);
  server.use(answering(plans, "server", revision) as never);
  let asked: { readonly method: string; readonly params: Params } | undefined;
  let said: typeof asked;
  server.tool(asking, {}, async (_, { ask, notify }) => {
    if (said) notify(said.method, said.params);
    if (asked) await ask.all({ key: asked as never });
    return "asked";
  });
  const { use, onEvent } = instrumentation(options);
  const declaring = (request: { readonly method: string; readonly params: Params }, next: never) => {
    if (request.method !== "initialize") return (next as () => object)();
    const capabilities = { ...(request.params["capabilities"] as object), tasks: ofTasks };
    return (next as (params: object) => object)({ ...request.params, capabilities });
  };
  const { client, connection, close } = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    clock,
    onEvent: heard({ event: onEvent }),
    use: [...use, declaring as never, answering(plans, "client", revision) as never],
    elicit: { form: () => ({ action: "accept", content: {} }), url: () => ({ action: "accept" }) },
    sample: () => ({ role: "assistant", model: "m", content: { type: "text", text: "a" } }),
    roots: [],
    prepare: (opened: Client) => {
      for (const method of ["tasks/cancel", "tasks/get", "tasks/list", "tasks/result"])
        opened.handle(method, () => ({}));
    },
  });
  const send = (
    { method, sender, kind, isPartOfResult }: Operation,
    params: Params,
    bounds: { readonly signal?: AbortSignal; readonly timeout?: number },
  ): unknown => {
    const session = (): ServerSession => [...server.sessions][0]!;
    if (kind === "notification" && sender === "client")
      return client.notify(method as never, params as never);
    if (kind === "notification") {
      [asked, said] = [undefined, { method, params }];
      return client.setLogLevel("debug").then(() => client.callTool(asking));
    }
    if (isPartOfResult) {
      asked = { method, params };
      const { timeout } = bounds;
      return client.callTool(asking, {}, timeout ? { totalTimeout: timeout } : bounds);
    }
    if (sender === "client") return client.request(method as never, params as never, bounds);
    return session().request(method as never, params as never, bounds);
  };
  return { client, connection, clock, close, send };
}

/** Runs operations to their ends, and resolves with the spans of these. */
export async function run(
  revision: string,
  operations: readonly (readonly [Operation, Params])[],
  ending: Ending,
): Promise<SpanFacts[]> {
  const traced = telemetry();
  const plans: Plan[] = [];
  const { clock, send, close } = await tracedPair(revision, plans, traced);
  const waits = ending === "cancelled" || ending === "timeout" || ending === "disconnect";
  const sent: Promise<unknown>[] = [];
  for (const [operation, params] of operations) {
    let reached = (): void => {};
    const arrival = new Promise<void>((resolve) => (reached = resolve));
    plans.splice(0, waits ? 0 : plans.length, { operation, ending, reached });
    const stop = new AbortController();
    const bounds =
      ending === "cancelled" ? { signal: stop.signal } : ending === "timeout" ? { timeout: 1000 } : {};
    const answer = Promise.resolve(send(operation, params, bounds)).catch((error: unknown) => error);
    if (waits) await arrival;
    stop.abort();
    if (ending === "timeout") await clock.advance(1000);
    if (ending !== "disconnect") await answer;
    sent.push(answer);
  }
  await close();
  await Promise.all(sent);
  return factsOf(
    traced.spans(),
    operations.map(([{ method }]) => method),
  );
}

/** Connects with a method that ends so, and resolves with the spans of this method. */
export async function runOpening(
  revision: string,
  operation: Operation,
  ending: Ending,
): Promise<SpanFacts[]> {
  const traced = telemetry();
  const plan = { operation, ending, reached: () => {} };
  const plans = ending === "success" ? [] : [plan];
  const pair = await tracedPair(revision, plans, traced).catch(() => undefined);
  await pair?.close();
  return factsOf(traced.spans(), [operation.method]);
}

/** Subscribes until the subscription ends so, and resolves with the spans of the subscription. */
export async function runStream(
  revision: string,
  operation: Operation,
  ending: Ending,
): Promise<SpanFacts[]> {
  const traced = telemetry();
  const plans = [{ operation, ending, reached: () => {} }];
  const { client, connection, close } = await tracedPair(revision, plans, traced);
  const subscription = await client.subscribe({ tools: true }).catch(() => undefined);
  if (ending === "success") {
    void connection.drain();
    for await (const _ of subscription!);
  }
  if (ending === "cancelled") await subscription!.close();
  await close();
  return factsOf(traced.spans(), [operation.method]);
}

function factsOf(spans: readonly ReadableSpan[], methods: readonly string[]): SpanFacts[] {
  return spans
    .filter(({ attributes }) => methods.includes(String(attributes["mcp.method.name"])))
    .filter(({ attributes }) => attributes["gen_ai.tool.name"] !== asking)
    .map(factOf);
}

function factOf({ name, kind, status, attributes }: ReadableSpan): SpanFacts {
  const id = attributes["jsonrpc.request.id"];
  return {
    name,
    kind: SpanKind[kind] as "CLIENT",
    status: SpanStatusCode[status.code] as "UNSET",
    description: status.message,
    attributes: { ...attributes, ...(/^\d+$/.test(String(id)) && { "jsonrpc.request.id": "an id" }) },
  };
}
