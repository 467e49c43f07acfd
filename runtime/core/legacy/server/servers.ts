import type { Implementation } from "@mcpgen/protocol/authoring";
import type { UsedExtension } from "@mcpgen/protocol/model";
import type { HandlerContext } from "../../server/context.js";
import * as core from "../../server/create-server.js";
import * as contracts from "../../server/define-server.js";
import type { MembersOf } from "../../server/definitions.js";
import type { LegacyEra } from "../../server/server-definition.js";
import type { Server, ServerOptions } from "../../server/server.js";
import { legacyEra } from "./handshake.js";
import { subscriptions } from "./subscriptions.js";

// The functions that make servers for the revisions of both eras.

/** The legacy era with resource subscriptions, which a server that has only tools omits. */
function withSubscriptions(): LegacyEra {
  return { ...legacyEra, methods: [...legacyEra.methods, ...subscriptions] };
}

/**
 * Makes a server that is defined in code: register tools, resources and prompts, then serve it.
 *
 * @throws {McpError} `invalid-definition`
 */
export function createServer<const Used extends readonly UsedExtension<"server", HandlerContext>[] = []>(
  info: Implementation,
  options: ServerOptions & { readonly extensions?: Used },
): core.CodeFirstServer<MembersOf<Used>> {
  return core.createServer(info, options, withSubscriptions());
}

/**
 * Makes a server for a contract.
 *
 * @throws {McpError} `invalid-definition`: a handler or a check is missing, or the contract has no entry for it
 */
export function defineServer(
  contract: contracts.Contract,
  handlers: contracts.ContractHandlers,
  options: contracts.DefineServerOptions,
): Server {
  return contracts.defineServer(contract, handlers, options, withSubscriptions());
}

/**
 * Like `defineServer`, for a contract that has only tools: a bundle omits resources, prompts and completions.
 *
 * @throws {McpError} `invalid-definition`: as `defineServer`, and for a contract with more than tools
 */
export function defineToolServer(
  contract: contracts.Contract,
  handlers: contracts.ContractHandlers,
  options: contracts.DefineServerOptions,
): Server {
  return contracts.defineToolServer(contract, handlers, options, legacyEra);
}
