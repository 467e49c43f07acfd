import type { OpenDefinition, Progress, RequestOptions } from "@mcpgen/protocol/model";
import { harmless, McpError } from "../../jsonrpc/errors.js";
import {
  type Params,
  type RequestId,
  type ResponseMessage,
  isObject,
  requestOf,
  requestText,
} from "../../jsonrpc/message.js";
import { Pending } from "../../jsonrpc/pending.js";
import { warning } from "../../protocol/protocol-warnings.js";
import { requestParams } from "../../protocol/revision-view.js";
import { sendError } from "../../protocol/send-check.js";
import { withElicitationId } from "../../server/ask.js";
import type { ServerConnection } from "../../server/connection.js";
import type { ClientRequests, ServerRequest } from "../../server/server-definition.js";
import { listRoots, rootsOf } from "./kept-roots.js";

/** Of a method that the revision does not define. */
const anyResult: OpenDefinition = { name: "Result", accepts: isObject };

/** Requests that a server sends to the client (legacy era). */
export class ServerToClientRequests implements ClientRequests {
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

  /** As `#send`. Kept roots answer without a request. */
  ask(request: ServerRequest, options: RequestOptions, origin: RequestId | undefined): Promise<Params> {
    const { session } = this.#connection;
    const send = (): Promise<Params> => this.#send(request, options, origin);
    return request.method === listRoots && session ? rootsOf(this.#connection, session, send) : send();
  }

  /**
   * Sends a request and resolves with its result.
   *
   * @param origin the request of the client that it belongs to
   * @throws {McpError} `missing-capability`, `cancelled`, `timeout`, `remote-error`, `invalid-result`,
   *   `invalid-message`
   */
  async #send(
    { revision, method, params }: ServerRequest,
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
