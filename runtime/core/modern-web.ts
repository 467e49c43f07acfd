// Servers and clients that only use modern revisions, for platforms without the modules of Node: the `workerd` and
// `browser` conditions of the package choose it in place of `modern`.
export type { PermitCall, Denial, Principal } from "./http/server/exchange.js";
import type { Implementation } from "@mcpgen/protocol/authoring";
import type { UsedExtension } from "@mcpgen/protocol/model";
import type { Client } from "./client/client.js";
import * as client from "./connect/connect.js";
import type { EndpointOptions } from "./http/server/endpoint-options.js";
import { modernEndpoint } from "./http/server/endpoint.js";
import { type HttpHandler, fetchHandler, withoutParking } from "./http/server/fetch-http.js";
import { requireModern } from "./protocol/revision-view.js";
import type { HandlerContext } from "./server/context.js";
import * as code from "./server/create-server.js";
import * as contracts from "./server/define-server.js";
import type { MembersOf } from "./server/definitions.js";
import type { Server, ServerOptions } from "./server/server.js";

export * from "./index.js";

/** Like `createServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition`: also for a legacy revision */
export function createServer<const Used extends readonly UsedExtension<"server", HandlerContext>[] = []>(
  info: Implementation,
  options: ServerOptions & { readonly extensions?: Used },
): code.CodeFirstServer<MembersOf<Used>> {
  return modern(code.createServer(info, options));
}

/** Like `defineServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition`: also for a legacy revision */
export function defineServer(
  contract: contracts.Contract,
  handlers: contracts.ContractHandlers,
  options: contracts.DefineServerOptions,
): Server {
  return modern(contracts.defineServer(contract, handlers, options));
}

/** Like `defineToolServer` of @mcpgen/runtime. @throws {McpError} `invalid-definition`: also for a legacy revision */
export function defineToolServer(
  contract: contracts.Contract,
  handlers: contracts.ContractHandlers,
  options: contracts.DefineServerOptions,
): Server {
  return modern(contracts.defineToolServer(contract, handlers, options));
}

function modern<Made extends Server>(server: Made): Made {
  requireModern(server.definition.legacy);
  return server;
}

/** Like `connect` of @mcpgen/runtime. @throws {McpError} as there; `invalid-definition` also for a legacy revision */
export function connect(source: client.Source, options: client.ConnectOptions): Promise<Client> {
  return client.connect(source, options);
}

/**
 * Like `createHttpHandler` of @mcpgen/runtime/http, without session options. @throws {McpError} `invalid-definition`
 */
export function createHttpHandler(server: Server, options?: EndpointOptions): HttpHandler {
  return fetchHandler(modernEndpoint(withoutParking(server), options));
}

// The same type as in @mcpgen/runtime/http.
export type { HttpHandler };
export type { EndpointOptions as HttpOptions } from "./http/server/endpoint-options.js";
export type { HttpLimits } from "./http/server/limits.js";
export type { HttpRoute } from "./http/server/endpoint-options.js";
export type { Permit } from "./http/server/permit.js";
export { guardRequest, type GuardOptions, type Refusal } from "./http/server/access.js";
export type { HttpCounters, HttpGauges, HttpStats, LimitName } from "./http/server/http-stats.js";
export { requestHeaders } from "./http/server/access.js";
export { paramHeadersOf, type ParamHeader, type ParamHeaders } from "./protocol/param-headers.js";
