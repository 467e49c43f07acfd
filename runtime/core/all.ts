// Everything of @mcpgen/runtime, with functions that need no `revisions`: they bring all that @mcpgen/protocol holds.
// What is to be small imports @mcpgen/runtime, and gives the revisions that it speaks.
import { checkOptions, isObject } from "@mcpgen/base";
import type { Implementation } from "@mcpgen/protocol/authoring";
import type { Role } from "@mcpgen/protocol/model";
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
import type { KnownRevisions, ServerRevisions } from "./protocol/revision-view.js";
import { serverRules } from "./server/definition-check.js";
import type { Server, ServerOptions as CoreServerOptions } from "./server/server.js";

export * from "./index.js";

/** The options, where `revisions`, or `known` of it, may be left out. */
type Optional<Options, Given extends KnownRevisions<Role>> = Omit<Options, "revisions"> & {
  readonly revisions?: Given["known"] | Partial<Given>;
};

/** `revisions`: all released ones without it. */
export type ServerOptions = Optional<CoreServerOptions, ServerRevisions>;

/** `revisions`: all released ones without it. */
export type DefineServerOptions = Optional<CoreDefineServerOptions, ServerRevisions>;

/** `revisions`: all released ones without it. */
export type ConnectOptions = Optional<CoreConnectOptions, KnownRevisions<"client">>;

/** As `createServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition` */
export function createServer(info: Implementation, options: ServerOptions = {}): CodeFirstServer {
  return createServerWith(info, {
    ...options,
    revisions: completed<ServerRevisions>(options.revisions, serverRevisions),
  });
}

/** As `defineServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition` */
export function defineServer(
  contract: Contract,
  handlers: ContractHandlers,
  options: DefineServerOptions,
): Server {
  const given = {
    ...options,
    revisions: completed<ServerRevisions>(options.revisions, serverRevisions),
  };
  // Where bytes count, `defineServer` checks names alone.
  checkOptions(given, { ...serverRules, checks: "object", schemas: "anything" });
  return defineServerWith(contract, handlers, given);
}

/** As `connect` of @mcpgen/runtime, which says what it throws. */
export async function connect(source: Source, options: ConnectOptions = {}): Promise<Client> {
  // A server has no use for what a client speaks.
  const { clientRevisions } = await import("@mcpgen/protocol/client");
  return connectWith(source, {
    ...options,
    revisions: completed<KnownRevisions<"client">>(options.revisions, clientRevisions),
  });
}

/** The option `revisions`, with all revisions where it does not say which are known. Anything malformed stays: it is refused. */
function completed<Given extends KnownRevisions<Role>>(
  given: Given["known"] | Partial<Given> | undefined,
  known: Given["known"],
): Given | Given["known"] {
  if (given === undefined) return known;
  return (isObject(given) && given["known"] === undefined ? { ...given, known } : given) as Given;
}
