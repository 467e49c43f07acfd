import type { Era } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";

/** The differences between the eras for a client, apart from the negotiation. */
export interface ClientEra {
  /** Whether servers send JSON-RPC requests. Otherwise they ask for input in results. */
  readonly serverRequests: boolean;
  /** Whether results have a `resultType`, and defaults for absent members. */
  readonly resultTypes: boolean;
  /** Whether each request carries the revision, the client and the log level in `_meta`. */
  readonly requestMeta: boolean;
  /** Whether a request sets the log level, once for each connection. */
  readonly logLevelRequest: boolean;
  /** Whether the end of an HTTP exchange cancels its request. */
  readonly cancelsByExchange: boolean;
  /** Whether headers mirror parameters of tools. */
  readonly paramHeaders: boolean;
}

const eras: { readonly [era in Era]: ClientEra } = {
  legacy: {
    serverRequests: true,
    resultTypes: false,
    requestMeta: false,
    logLevelRequest: true,
    cancelsByExchange: false,
    paramHeaders: false,
  },
  modern: {
    serverRequests: false,
    resultTypes: true,
    requestMeta: true,
    logLevelRequest: false,
    cancelsByExchange: true,
    paramHeaders: true,
  },
};

export function eraOf({ era }: RevisionView<"client">): ClientEra {
  return eras[era];
}
