import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import { invalidParams } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { Change } from "./changes.js";
import type { RequestContext } from "./context.js";
import type { MethodHandler, ServerDefinition } from "./server-definition.js";
import type { ServerEra, RequestProtocol } from "./request-protocol.js";
import { mostReserved, weightOf } from "../jsonrpc/weight.js";
import { introduced } from "../protocol/introduced.js";
import { type LogLevel, isLogLevel } from "../protocol/meta.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { type Ask, askWith } from "./ask.js";

/** What a handshake settled (2025-11-25 and before, lifecycle). */
export interface Session extends RequestProtocol {
  logLevel: LogLevel | undefined;
  ready: boolean;
  /** Changes that the client is to be notified of as soon as it is ready, by what they are about. */
  held: Map<string, Change> | undefined;
  /** What the server declared; what came later, this client is not told of. */
  readonly declared: ServerCapabilities;
  /** URIs whose changes the client asked to hear of. */
  watched: Set<string> | undefined;
  /** Bytes that are reserved for it, those of `watched` with it. */
  weight: number;
}

/** With it the client is ready (2025-11-25 and before, lifecycle, initialization). */
export const readyMethod = "notifications/initialized";

/** A handshake opens a session. */
export const legacyServer: ServerEra = {
  finish: (result) => result,
  ask: askByRequest,
};

/** The revision that answers a client which offers `version`: that one, or the newest there is. */
export function negotiate(core: ServerDefinition, version: unknown): RevisionView<"server"> | undefined {
  const legacy = core.spoken.filter(({ era }) => era === "legacy");
  return legacy.find(({ id }) => id === version) ?? legacy[0];
}

/** RequestProtocol of a connection on which no handshake was made. */
export function beforeHandshake(spoken: RevisionView<"server">): RequestProtocol {
  return { era: legacyServer, spoken, clientCapabilities: {}, clientInfo: undefined, logLevel: undefined };
}

export const initialize: MethodHandler = (params: Params, context: RequestContext) => {
  const { connection, protocol } = context;
  const { core } = connection;
  const declared = core.capabilities();
  const { clientCapabilities, clientInfo, weight } = introduced(params);
  connection.reserve(weight);
  if (connection.session) connection.release(connection.session.weight);
  connection.openSession({
    era: legacyServer,
    spoken: protocol.spoken,
    clientCapabilities,
    clientInfo,
    weight,
    // Until the client sets a level, the choice is the server's: all of them.
    logLevel: "debug",
    ready: false,
    held: undefined,
    declared,
    watched: undefined,
  });
  return {
    protocolVersion: protocol.spoken.id,
    capabilities: declared,
    serverInfo: core.info,
    ...(core.instructions === undefined ? {} : { instructions: core.instructions }),
  };
};

export const ping: MethodHandler = () => ({});

export const setLevel: MethodHandler = ({ level }: Params, { connection }: RequestContext) => {
  if (!isLogLevel(level)) throw invalidParams(`there is no log level ${JSON.stringify(level)}`);
  if (connection.session) connection.session.logLevel = level;
  return {};
};

export const watch: MethodHandler = ({ uri }: Params, { connection }: RequestContext) => {
  const { session } = connection;
  if (!session || session.watched?.has(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  connection.reserve(weight);
  session.weight += weight;
  session.watched = (session.watched ?? new Set()).add(uri as string);
  return {};
};

export const unwatch: MethodHandler = ({ uri }: Params, { connection }: RequestContext) => {
  const { session } = connection;
  if (!session?.watched?.delete(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  session.weight -= weight;
  connection.release(weight);
  return {};
};

/** Asks by requests of the server's own (2025-11-25 and before). */
export function askByRequest(context: RequestContext): Ask {
  const { connection, protocol, signal, request } = context;
  return askWith(context, (_key, { method, params }, options) =>
    connection.ask(protocol, method, named(params), request.id, { ...options, signal }),
  );
}

/** Legacy revisions name each page the user is sent to (2025-11-25, elicitation, URL mode). */
function named(params: Params | undefined): Params | undefined {
  return params?.["mode"] === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}
