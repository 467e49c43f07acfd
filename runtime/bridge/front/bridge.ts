import { type Params, invalidParams, withTimeout } from "@mcpgen/base";
import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { HandlerContext, Server } from "@mcpgen/runtime";
import { createServer } from "@mcpgen/runtime/all";
import { listMs } from "../upstream/notices.js";
import { type BackServer, type BridgeContract, type BridgeOptions, backsOf } from "../upstream/options.js";
import type { Pool } from "../upstream/pool.js";
import { type Relaying, identity, longTimeouts } from "../upstream/upstream.js";
import { Changes } from "./changes.js";
import { extensionsOf } from "./extensions.js";
import { Joined } from "./joined.js";
import { type ListMethod, Part, lists } from "./part.js";

/** The methods of the protocol, besides lists and calls of tools, whose requests go on to a server. */
const routed = ["completion/complete", "prompts/get", "resources/read"] as const;

/** The bytes of the instructions of one server among several. */
const mostInstructions = 4096;

type Handler = (params: Params, context: HandlerContext) => Promise<Params>;

/** Handlers by names of which no type is known. */
interface Handling {
  handle(method: string, handler: Handler): void;
}

/**
 * Makes a server that passes everything on to others, in both directions, whatever revision and transport its clients and those
 * servers speak. Serve it as any other: `serveStdio(bridge)`, `serveHttp(bridge)`, with middleware, observation and limits.
 *
 * It connects once, to learn what each server offers, unless a contract says that, and again for its callers (`share`). Its `close`
 * ends these connections, too: call it after those of the transports.
 *
 * Several servers are one: names of tools and prompts begin with those of their servers, and a list has the entries of all of them.
 * A server that is away, or needs more than 5 s, is left out of a list; `list_changed` says when it was reached again. At least one must
 * answer at the start. Of servers with one URI, the first keeps it. Methods outside of the protocol pass to a single server only.
 *
 * No credential of a client goes on to a server. Between two sides of 2026-07-28 nothing is kept between the rounds of a call. A call
 * of 2026-07-28 that a server of an earlier revision asks waits in this process, within `state.parking`.
 *
 * @param servers the servers, by names that errors and events use
 * @throws {McpError} `invalid-definition`; as `connect`, if no server can be reached
 */
export async function createBridge(
  servers: { readonly [name: string]: BackServer },
  options: BridgeOptions = {},
): Promise<Server> {
  const parts = backsOf(servers, options).map((back) => new Part(back));
  const closeParts = () => Promise.all(parts.map(({ pool }) => pool.close()));
  try {
    return await bridgeOf(parts, options, closeParts);
  } catch (error) {
    await closeParts();
    throw error;
  }
}

async function bridgeOf(
  parts: readonly Part[],
  options: BridgeOptions,
  closeParts: () => Promise<unknown>,
): Promise<Server> {
  const { contract, state, onEvent } = options;
  const reached = contract ? [factsOf(contract)] : await start(parts);
  const joined = new Joined(parts);
  const relay = async (params: Params, context: HandlerContext, how?: Relaying): Promise<Params> => {
    const { method } = context;
    const found = await joined.route(method, params, context);
    if (method === "tools/call" && !found.part.mayCall(found.params["name"] as string))
      throw invalidParams(`there is no tool ${JSON.stringify(params["name"])}`);
    const result = await found.part.relay(method, found.params, context, how);
    joined.learn(found, result, context);
    return result;
  };
  const relayOther: Handler = (params, context) => relay(params, context, { isOther: true });
  const server = createServer(infoOf(reached) as Implementation, {
    ...extensionsOf(capabilitiesOf(reached), relayOther),
    timeouts: longTimeouts,
    // The other server has filled defaults in, or leaves them out; what it sends is judged by the client, or passes.
    validation: { argumentDefaults: false, send: "off" },
    ...instructionsOf(parts, reached),
    ...(state && { state }),
    ...(onEvent && { onEvent }),
  });
  const { handle }: Handling = {
    handle: (method, handler) => server.handle(method as never, handler as never),
  };
  for (const method of [...routed, "tools/call"]) handle(method, (params, context) => relay(params, context));
  handle("*", relayOther);
  for (const method of Object.keys(lists) as ListMethod[])
    handle(method, (params, context) => joined.list(method, params, context));
  server.describeTool(async (name, context) => {
    const { part, params } = await joined.route("tools/call", { name }, context);
    return part.describe(params["name"] as string, context);
  });
  new Changes(joined).joinTo(server);

  const closeServer = server.close.bind(server);
  return Object.assign(server, {
    close: async () => {
      await closeServer();
      await closeParts();
    },
  });
}

const changing = { listChanged: true };

/** What clients get to know of a server first. */
interface Facts {
  readonly info: object | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
}

async function factsFrom(pool: Pool): Promise<Facts> {
  const { serverInfo: info, serverCapabilities: capabilities, instructions } = await pool.learn();
  return { info, capabilities, instructions };
}

/** The facts of a contract. Without capabilities, it allows what its lists need. */
function factsOf(contract: BridgeContract): Facts {
  const { name = identity.name, version = "0", title, instructions, capabilities } = contract;
  const needed = {
    ...(contract.tools && { tools: changing }),
    ...(contract.prompts && { prompts: changing }),
    ...((contract.resources ?? contract.resourceTemplates) && { resources: changing }),
  };
  const info = { name, version, ...(title !== undefined && { title }) };
  return { info, capabilities: capabilities ?? needed, instructions };
}

/** Connects to all servers at once. Of several, `undefined` stands for those that are away; without any, the first that answers counts. */
async function start(parts: readonly Part[]): Promise<readonly (Facts | undefined)[]> {
  const opening = parts.map(({ pool }) => factsFrom(pool));
  const [only, another] = opening;
  if (!another) return [await only];
  const ends = await Promise.allSettled(opening.map((each) => withTimeout(listMs, each)));
  const reached = ends.map((end) => (end.status === "fulfilled" ? end.value : undefined));
  if (!reached.some(Boolean)) {
    const first = Promise.any(opening.map(async (each, index) => ({ index, facts: await each })));
    const { index, facts } = await first.catch(({ errors }: AggregateError) => Promise.reject(errors[0]));
    reached[index] = facts;
  }
  for (const [index, part] of parts.entries()) part.isMissed = !reached[index];
  return reached;
}

function infoOf([first, ...others]: readonly (Facts | undefined)[]): object {
  return others.length === 0 ? (first?.info ?? identity) : identity;
}

/** The capabilities with a list. */
const offered: ReadonlySet<string> = new Set(Object.values(lists).map(({ of }) => of));

/** The capabilities of all servers together. A server that is away now may come back with any list. */
function capabilitiesOf(reached: readonly (Facts | undefined)[]): ServerCapabilities {
  const declared = reached.flatMap((each) => (each ? [each.capabilities] : []));
  if (reached.length === 1) return declared[0]!;
  const any = {
    tools: changing,
    prompts: changing,
    resources: { ...changing, subscribe: true },
    completions: {},
    logging: {},
  };
  const merged: Record<string, object> = {};
  for (const each of reached.length > declared.length ? [any, ...declared] : declared)
    for (const [name, value] of Object.entries(each))
      if (name !== "tasks")
        merged[name] = { ...merged[name], ...(value as object), ...(offered.has(name) && changing) };
  return merged;
}

/** The instructions of several servers are texts of strangers: each is named and bounded. */
function instructionsOf(
  parts: readonly Part[],
  reached: readonly (Facts | undefined)[],
): { readonly instructions?: string } {
  const given = reached.flatMap((each, index) => {
    const text = each?.instructions;
    return text === undefined ? [] : [{ name: parts[index]!.back.name, text }];
  });
  if (given.length === 0) return {};
  if (parts.length === 1) return { instructions: given[0]!.text };
  const labelled = given.map(
    ({ name, text }) => `# The server ${name} says\n\n${within(text, mostInstructions)}`,
  );
  return { instructions: labelled.join("\n\n") };
}

/** The beginning of a text, within a number of bytes. */
function within(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return read < text.length ? `${text.slice(0, read)}…` : text;
}
