// Everything of @mcpgen/runtime, with functions that need no `revisions`: they bring all that @mcpgen/protocol holds.
// What is to be small imports @mcpgen/runtime, and gives the revisions that it speaks.
import type { Implementation } from "@mcpgen/protocol/authoring";
import { serverRevisions } from "@mcpgen/protocol/server";
import type { Client } from "./client/client.js";
import type { ConnectOptions as CoreConnectOptions, Source } from "./connect/connect.js";
import { connect as connectWith } from "./legacy/client/connect.js";
import {
  createServer as createServerWith,
  defineServer as defineServerWith,
} from "./legacy/server/servers.js";
import type { CodeFirstServer } from "./server/create-server.js";
import type {
  Contract,
  ContractHandlers,
  DefineServerOptions as CoreDefineServerOptions,
} from "./server/define-server.js";
import type { Server, ServerOptions as CoreServerOptions } from "./server/server.js";

export * from "./index.js";

type Optional<Options, Name extends keyof Options> = Omit<Options, Name> & Partial<Pick<Options, Name>>;

/** `revisions`: all released ones without it. */
export type ServerOptions = Optional<CoreServerOptions, "revisions">;

/** `revisions`: all released ones without it. */
export type DefineServerOptions = Optional<CoreDefineServerOptions, "revisions">;

/** `revisions`: all released ones without it. */
export type ConnectOptions = Optional<CoreConnectOptions, "revisions">;

/** As `createServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition` */
export function createServer(info: Implementation, options: ServerOptions = {}): CodeFirstServer {
  return createServerWith(info, { ...options, revisions: options.revisions ?? serverRevisions });
}

/** As `defineServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition` */
export function defineServer(
  contract: Contract,
  handlers: ContractHandlers,
  options: DefineServerOptions,
): Server {
  return defineServerWith(contract, handlers, {
    ...options,
    revisions: options.revisions ?? serverRevisions,
  });
}

/** As `connect` of @mcpgen/runtime, which says what it throws. */
export async function connect(source: Source, options: ConnectOptions = {}): Promise<Client> {
  // A server has no use for what a client speaks.
  const { clientRevisions } = await import("@mcpgen/protocol/client");
  return connectWith(source, { ...options, revisions: options.revisions ?? clientRevisions });
}
