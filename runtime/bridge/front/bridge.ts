import { invalidParams, type Params } from "@mcpgen/base";
import type { Implementation } from "@mcpgen/protocol/authoring";
import type { HandlerContext, Server } from "@mcpgen/runtime";
import { createServer } from "@mcpgen/runtime/all";
import { type BackServer, type BridgeOptions, backOf } from "../upstream/options.js";
import { Pool } from "../upstream/pool.js";
import { patience } from "../upstream/upstream.js";
import { Changes } from "./changes.js";
import { ToolsOfBack } from "./tools.js";

/** The methods of the protocol whose requests go on as they are. */
const relayed = [
  "completion/complete",
  "prompts/get",
  "prompts/list",
  "resources/list",
  "resources/read",
  "resources/templates/list",
] as const;

type Handler = (params: Params, context: HandlerContext) => Promise<Params>;

/** Handlers by names of which no type is known. */
interface Handling {
  handle(method: string, handler: Handler): void;
}

/**
 * Makes a server that passes everything on to another one, in both directions, whatever revision and transport its clients and
 * that server speak. Serve it as any other: `serveStdio(bridge)`, `serveHttp(bridge)`, with middleware, observation and limits.
 *
 * It connects once, to learn what the server offers, and again for its callers (`share`). Its `close` ends these connections, too:
 * call it after those of the transports.
 *
 * No credential of a client goes on to the server. Between two sides of 2026-07-28 nothing is kept between the rounds of a call. A call
 * of 2026-07-28 that a server of an earlier revision asks waits in this process, within `state.parking`.
 *
 * @param servers the server, by a name that errors and events use
 * @throws {McpError} `invalid-definition`; as `connect`, if the server cannot be reached
 */
export async function createBridge(
  servers: { readonly [name: string]: BackServer },
  options: BridgeOptions = {},
): Promise<Server> {
  const back = backOf(servers, options);
  const pool = new Pool(back);
  const first = await pool.start();
  const { serverInfo, serverCapabilities: capabilities, instructions } = first.client;
  const server = createServer((serverInfo ?? { name: back.name, version: "0" }) as Implementation, {
    capabilities,
    timeouts: patience,
    // The other server has filled them in, or leaves them out.
    validation: { argumentDefaults: false },
    ...(instructions !== undefined && { instructions }),
    ...(options.state && { state: options.state }),
    ...(options.onEvent && { onEvent: options.onEvent }),
  });
  await pool.forget(first);

  const relay =
    (method: string | undefined): Handler =>
    (params, context) =>
      pool.run(params, context, (upstream, given) =>
        upstream.request(method ?? context.method, given, context, method === undefined),
      );
  const { handle }: Handling = {
    handle: (method, handler) => server.handle(method as never, handler as never),
  };
  for (const method of relayed) handle(method, relay(method));
  handle("*", relay(undefined));
  const tools = new ToolsOfBack(back, relay("tools/list"));
  handle("tools/list", (params, context) => tools.list(params, context));
  handle("tools/call", (params, context) => {
    if (!tools.mayCall(params["name"] as string))
      throw invalidParams(`there is no tool ${JSON.stringify(params["name"])}`);
    return relay("tools/call")(params, context);
  });
  server.describeTool((name, context) => tools.describe(name, context));
  new Changes(pool).joinTo(server);

  const closeServer = server.close.bind(server);
  return Object.assign(server, {
    close: async () => {
      await closeServer();
      await pool.close();
    },
  });
}
