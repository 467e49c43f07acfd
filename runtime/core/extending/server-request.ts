import { type Asked, McpError, type Params, type RequestId } from "@mcpgen/base";
import type { ClientCapabilities, Implementation } from "@mcpgen/protocol/authoring";
import { scopesOfCall } from "../http/server/permit.js";
import { metaKeys } from "../protocol/meta.js";
import { declares, sendError } from "../protocol/revision-view.js";
import { answerOf, liftedAnswer, missingCapability } from "../server/ask.js";
import { ServerConnection } from "../server/connection.js";
import type { HandlerContext } from "../server/context.js";
import { RequestContext, modernServer } from "../server/request.js";
import { type RequestProtocol, SerialisedResult } from "../server/server-definition.js";
import type { Server } from "../server/server.js";

/** A request of a client as JSON, so that it can be repeated. */
export interface StoredRequest {
  readonly method: string;
  /** In the authoring vocabulary, without the members of a single round. */
  readonly params: object;
  readonly revision: string;
  readonly clientCapabilities: ClientCapabilities;
  readonly clientInfo?: Implementation;
  /** Name of the authenticated client, or an empty string. */
  readonly principal: string;
  /** Whether the texts of handlers' exceptions are hidden from the client. */
  readonly hidesErrors: boolean;
}

/** A request that the server repeats for a client. */
export interface RequestAgain {
  readonly context: HandlerContext;
  /** Calls the handler of the method, inside the middleware. */
  call(): Promise<object>;
}

const ofProtocol: ReadonlySet<string> = new Set(Object.values(metaKeys));

/** A request of a client, for packages that implement an extension: it can do more than the context of handlers. */
export class ServerRequest {
  readonly #context: RequestContext;

  /** @param context the context that a handler or a middleware gets */
  constructor(context: HandlerContext) {
    this.#context = context as RequestContext;
  }

  /**
   * Sends an ask as at 2026-07-28: it rejects, and the request keeps it in its rounds until the client has answered it.
   */
  static get askInRounds(): NonNullable<RequestContext["sendAsk"]> {
    return answerOf;
  }

  /**
   * Repeats a request without a connection to its client.
   *
   * @param auth the value of `context.auth`
   * @throws {McpError} `unsupported-version`, `method-not-found`: this server differs from the server of the first
   *   request
   */
  static again(server: Server, stored: StoredRequest, auth: unknown): RequestAgain {
    const { definition } = server;
    const { method, principal, hidesErrors, clientCapabilities, clientInfo } = stored;
    const revision = definition.revisions.find(({ id }) => id === stored.revision);
    if (!revision)
      throw new McpError("unsupported-version", `protocol version ${stored.revision} is not served`);
    const noClient = {
      isBrief: true,
      hidesErrors,
      send: () => false,
      answer() {},
      flush() {},
      async close() {},
    };
    const connection = new ServerConnection(definition, noClient, { auth, principal });
    const era = revision.era === "modern" ? modernServer : definition.legacyEra!;
    const protocol = { era, revision, clientCapabilities, clientInfo };
    return requestOn(connection, protocol, crypto.randomUUID(), method, stored.params as Params);
  }

  /**
   * Makes another request for the client, with the id of this one.
   *
   * @param params in the authoring vocabulary; they are not checked
   * @throws {McpError} `method-not-found`
   */
  within(method: string, params: object): RequestAgain {
    const { connection, protocol, requestId, auth, http } = this.#context;
    const made = requestOn(connection, protocol, requestId, method, params as Params);
    // The connection holds the values of its latest request, which may have come with another token of the client.
    made.context.auth = auth;
    made.context.http = http;
    return made;
  }

  /** Returns the request in the form that `again` accepts. @param params in the authoring vocabulary */
  stored(params: object): StoredRequest {
    const { connection, protocol, method } = this.#context;
    const { inputResponses: _, requestState: __, _meta = {}, ...rest } = params as Params;
    const meta = Object.entries(_meta).filter(([key]) => !ofProtocol.has(key));
    const { clientCapabilities, clientInfo, revision } = protocol;
    return {
      method,
      params: { ...rest, ...(meta.length > 0 && { _meta: Object.fromEntries(meta) }) },
      revision: revision.id,
      clientCapabilities,
      ...(clientInfo && { clientInfo }),
      principal: connection.principal,
      hidesErrors: connection.thrownErrors === "hide",
    };
  }

  /**
   * The scopes that a call needs.
   *
   * @param server the server of the request
   * @throws {McpError} `invalid-definition`: `scopes` of the definition returned something else
   */
  scopes(server: Server, params: object): readonly string[] {
    return scopesOfCall(server, this.#context.method, params as Params);
  }

  /** Whether the client has declared something. @param path into its capabilities */
  declares(path: readonly string[]): boolean {
    return declares(this.#context.clientCapabilities, path);
  }

  /**
   * The error for a client that has not declared a capability that the request needs. @param path into its capabilities
   */
  undeclared(path: readonly string[]): McpError {
    return missingCapability(this.#context.protocol, path);
  }

  /**
   * Converts a result to the request's revision; it is then sent unchanged.
   *
   * @throws {McpError} `invalid-message`: the result does not match its definition (`validation.send`)
   */
  asSent(result: object): object {
    const { method, protocol } = this.#context;
    const { revision } = protocol;
    const wrong = sendError(revision, "results", method, result);
    if (wrong) throw wrong;
    return SerialisedResult.of(JSON.stringify(result), revision, result as Params);
  }

  /**
   * Converts a received result of another method to the result of a request to the client.
   *
   * @param result valid, without members that are null instead of absent
   * @returns in the authoring vocabulary
   */
  liftedAnswer(asked: Asked, result: object): Promise<object> | object {
    return liftedAnswer(this.#context, asked, result as Params, false);
  }
}

function requestOn(
  connection: ServerConnection,
  protocol: RequestProtocol,
  id: RequestId,
  method: string,
  params: Params,
): RequestAgain & { readonly context: RequestContext } {
  const context = new RequestContext(connection, { jsonrpc: "2.0", id, method, params }, protocol);
  const { handler } = context;
  if (!handler) throw new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`);
  // No request of a client could continue its handler.
  if (protocol.revision.era === "modern") context.sendAsk = answerOf;
  return { context, call: async () => handler(params as never, context) };
}
