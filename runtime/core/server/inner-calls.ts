import type { Params } from "../jsonrpc/message.js";
import type { Server } from "./server.js";

/** A request that another request makes. Its params are not checked yet. */
export interface InnerCall {
  readonly method: string;
  readonly params: Params;
}

const byServer = new WeakMap<Server, Map<string, (params: Params) => InnerCall>>();

/** Says which request the requests of a method of an extension make. Who may send that one may send them. */
export function makesCall(server: Server, method: string, callOf: (params: Params) => InnerCall): void {
  const calls = byServer.get(server) ?? new Map<string, (params: Params) => InnerCall>();
  byServer.set(server, calls.set(method, callOf));
}

/** The request that a request makes, or itself. */
export function innerCallOf(server: Server, method: string, params: Params): InnerCall {
  return byServer.get(server)?.get(method)?.(params) ?? { method, params };
}
