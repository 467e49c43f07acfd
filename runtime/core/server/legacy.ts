import type { ServerCapabilities, ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { invalidParams, McpError } from "../jsonrpc/errors.js";
import {
  type Params,
  type RequestId,
  type ResponseMessage,
  isObject,
  requestOf,
  requestText,
} from "../jsonrpc/message.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import type { MethodHandler, ServerDefinition } from "./server-definition.js";
import { warning } from "../protocol/protocol-warnings.js";
import { harmless } from "../protocol/hooks.js";
import type { KeptRoots } from "./kept-roots.js";
import type { ServerEra, RequestProtocol } from "./request-protocol.js";
import { mostReserved, weightOf } from "../jsonrpc/json-limits.js";
import { type LogLevel, isLogLevel } from "../protocol/meta.js";
import { type RevisionView, declaredIn, requestParams } from "../protocol/revision-view.js";
import { sendError } from "../protocol/send-check.js";
import { type Ask, askWith } from "./ask.js";
import type { OpenDefinition, Progress, RequestOptions } from "@mcpgen/protocol/model";
import { Pending } from "../jsonrpc/pending.js";

/** A session: the protocol that a handshake negotiated, and its state (2025-11-25 and before, lifecycle). */
export interface Session extends RequestProtocol {
  logLevel: LogLevel | undefined;
  ready: boolean;
  /** Sends the notifications that wait until the client is initialized; changes by notification and URI. */
  held?: Map<unknown, () => void> | undefined;
  /** Capabilities that the server declared in the handshake: the client gets no notifications of later ones. */
  readonly declared: ServerCapabilities;
  /** URIs of the resources that the client subscribed to. */
  watched?: Set<string> | undefined;
  /** Bytes that the session reserves on its connection, `watched` and `roots` included. */
  weight: number;
  /** The client's roots, once a handler or the application has asked for them. */
  roots?: KeptRoots | undefined;
}

/** The notification that ends the handshake (2025-11-25 and before, lifecycle, initialization). */
export const readyMethod = "notifications/initialized";

/** A handshake opens a session. */
const legacyServer: ServerEra = {
  finish: (result) => result,
  ask: askByRequest,
};

/** Chooses the revision for a client that offers `version`: that revision, or the newest legacy revision. */
export function negotiate(
  definition: ServerDefinition,
  version: unknown,
): RevisionView<"server"> | undefined {
  return definition.legacy.find(({ id }) => id === version) ?? definition.legacy[0];
}

/** The protocol of a request that needs no handshake, or opens it. */
export function beforeHandshake(revision: RevisionView<"server">): RequestProtocol {
  return { era: legacyServer, revision, clientCapabilities: {} };
}

export const initialize: MethodHandler = (params: Params, context: RequestContext) => {
  const { connection, protocol } = context;
  const { definition } = connection;
  const declared = definition.capabilities(protocol.revision.id);
  const { clientCapabilities, clientInfo, weight } = clientProfile(
    declaredIn(context.request.params?.["capabilities"], params["capabilities"]) as ClientCapabilities,
    params["clientInfo"] as Params,
  );
  definition.followChanges();
  connection.reserve(weight);
  if (connection.session) connection.release(connection.session.weight);
  connection.session = {
    era: legacyServer,
    revision: protocol.revision,
    clientCapabilities,
    clientInfo,
    weight,
    // Until the client sets a level, the server chooses (logging): it sends every level.
    logLevel: "debug",
    ready: false,
    declared,
  };
  return {
    protocolVersion: protocol.revision.id,
    capabilities: declared,
    serverInfo: definition.info,
    instructions: definition.instructions,
  };
};

export const ping: MethodHandler = () => ({});

export const setLevel: MethodHandler = ({ level }: Params, { connection }: RequestContext) => {
  const least = logLevelOf(level);
  if (connection.session) connection.session.logLevel = least;
  return saved(connection);
};

/** @throws {McpError} `invalid-params`: a client sent something else as a log level */
export function logLevelOf(level: unknown): LogLevel {
  if (!isLogLevel(level)) throw invalidParams(`there is no log level ${JSON.stringify(level)}`);
  return level;
}

/** An empty result, after the session is stored. */
function saved(connection: ServerConnection): Params | Promise<Params> {
  return connection.save?.().then(() => ({})) ?? {};
}

export const watch: MethodHandler = ({ uri }: Params, { connection }: RequestContext) => {
  const { session } = connection;
  if (!session || session.watched?.has(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  connection.reserve(weight);
  session.weight += weight;
  session.watched = (session.watched ?? new Set()).add(uri as string);
  return saved(connection);
};

export const unwatch: MethodHandler = ({ uri }: Params, { connection }: RequestContext) => {
  const { session } = connection;
  if (!session?.watched?.delete(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  session.weight -= weight;
  connection.release(weight);
  return saved(connection);
};

/** Asks the client by requests from the server (2025-11-25 and before). */
function askByRequest(context: RequestContext): Ask {
  const { connection, signal, protocol, request } = context;
  return askWith(context, (_key, { method, params }, options) =>
    connection.ask(protocol.revision, method, params, { ...options, signal }, request.id),
  );
}

/** URL mode requires an `elicitationId` (2025-11-25, elicitation). */
export function withElicitationId<Given extends Params | undefined>(params: Given): Given {
  return params?.["mode"] === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}

/** Bytes that a client's capabilities and description may take in memory. */
const mostDeclared = 65_536;

/** Bytes of a `clientInfo` that is kept whole. */
const mostInfo = 16_384;

/** Members of a larger `clientInfo` that are kept, and characters of their texts. */
const mostMembers = 8;
const longestText = 1024;

/** The part of `initialize` that a session keeps. */
interface ClientProfile {
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo: Implementation;
  /** Bytes in memory. */
  readonly weight: number;
}

/** @throws {McpError} `invalid-params`: the capabilities take more than 64 KiB in memory */
function clientProfile(clientCapabilities: ClientCapabilities, info: Params): ClientProfile {
  const clientInfo = shortened(info) as unknown as Implementation;
  const weight = weightOf([clientCapabilities, clientInfo], mostDeclared);
  if (weight > mostDeclared)
    throw invalidParams(`params.capabilities: more than ${mostDeclared} bytes in memory`);
  return { clientCapabilities, clientInfo, weight };
}

/** Drops the long members of a large `clientInfo`, such as icons: it is for display only. */
function shortened(info: Params): Params {
  if (weightOf(info, mostInfo) <= mostInfo) return info;
  const kept = Object.entries(info).flatMap(([key, value]) => {
    const short = typeof value === "string" ? value.slice(0, longestText) : value;
    return weightOf([key, short], 4 * longestText) <= 4 * longestText ? [[key, short] as const] : [];
  });
  // A slice would keep the whole text in memory.
  return JSON.parse(JSON.stringify(Object.fromEntries(kept.slice(0, mostMembers)))) as Params;
}

/** Of a method that the revision does not define. */
const anyResult: OpenDefinition = { name: "Result", accepts: isObject };

/** Requests that a server sends to the client (legacy era). */
export class ServerToClientRequests {
  readonly #pending: Pending<ResponseMessage>;
  readonly #connection: ServerConnection;
  /**
   * Sends the requests that wait until the client is initialized, or opens a stream. Their timeouts run meanwhile.
   * Returns `false` if the client has no stream.
   */
  readonly #held = new Map<RequestId, () => boolean>();

  constructor(connection: ServerConnection) {
    const { timeouts, clock } = connection.definition;
    this.#pending = new Pending(timeouts, clock);
    this.#connection = connection;
  }

  /**
   * Sends a request and resolves with its result.
   *
   * @param origin the request of the client that it belongs to
   * @throws {McpError} `missing-capability`, `cancelled`, `timeout`, `remote-error`, `invalid-result`,
   *   `invalid-message`
   */
  async ask(
    revision: RevisionView<"server">,
    method: string,
    params: Params | undefined,
    options: RequestOptions,
    origin: RequestId | undefined,
  ): Promise<Params> {
    const connection = this.#connection;
    const entry = revision.table.outgoingRequests.get(method);
    if (
      entry
        ? entry.payload
        : origin !== undefined || connection.definition.defines("outgoingRequests", method)
    )
      throw new McpError("missing-capability", `revision ${revision.id} has no ${method}`);
    if (options.signal?.aborted) throw new McpError("cancelled", `${method}: its request has ended`);
    const number = this.#pending.nextId();
    const id = connection.requestId?.(number) ?? number;
    // Progress of the client restarts the timeout.
    const withToken = { ...withElicitationId(params), _meta: { ...params?._meta, progressToken: id } };
    const lowered = revision.lower("outgoingRequests", method, withToken);
    // Parameters that cannot be serialised throw here, before anything waits for a response.
    const text = requestText(id, method, lowered);
    const wrong = sendError(revision, "requests", method, requestOf(id, method, lowered));
    if (wrong) throw wrong;
    const answer = this.#pending.wait(id, method, options, (error) => {
      const { code, message } = error;
      if (code === "timeout")
        connection.emit({ type: "request-timed-out", direction: "outgoing", method, error });
      if (!this.#held.delete(id))
        connection.notify(
          { revision },
          "notifications/cancelled",
          { requestId: id, reason: message },
          origin,
        );
    });
    const send = (): boolean => connection.send(text, origin);
    // Before the client is initialized, only pings are sent (2025-11-25, lifecycle, initialization).
    if ((connection.session?.ready === false && method !== "ping") || !send()) this.#held.set(id, send);
    const { result: given, error } = await answer;
    if (error) throw new McpError("remote-error", error.message, { data: error });
    const definition = entry?.result ?? anyResult;
    const result = await connection.read(
      revision,
      definition,
      given,
      method,
      (problem) => new McpError("invalid-result", `${method}: invalid result: ${problem}`),
    );
    return revision.lift("incomingResults", method, result as Params, requestParams(lowered, params));
  }

  /** Sends the requests that waited until the client was initialized, or opened a stream. */
  sendHeld(): void {
    if (this.#connection.session?.ready === false) return;
    for (const [id, send] of this.#held) if (send()) this.#held.delete(id);
  }

  /** Settles the request that a response answers; an unknown id is ignored. */
  answered(response: ResponseMessage): void {
    const request = this.#pending.answered(response.id);
    if (!request) return;
    request.resolve(response);
    if (request.id !== response.id)
      this.#connection.emit(warning("response-id", JSON.stringify(response.id), request.method));
  }

  /** Restarts the timeout of a request that the client reports progress on. */
  progressed({ progressToken, progress, total, message }: Params = {}): void {
    const request = this.#pending.progressed(progressToken);
    if (!request?.onProgress || !Number.isFinite(progress)) return;
    // Some languages write absent members as null.
    const report = { progress, total: total ?? undefined, message: message ?? undefined };
    harmless(request.onProgress)(report as Progress);
  }

  /** Rejects all requests: the client can no longer answer. */
  end(reason: McpError): void {
    this.#held.clear();
    this.#pending.rejectAll(() => reason);
  }
}
