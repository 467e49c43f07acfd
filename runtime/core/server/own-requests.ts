import type { RequestOptions } from "@mcpgen/protocol/model";
import { issuesText } from "../protocol/revision-view.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Clock } from "../time/clock.js";
import { type Params, type RequestId, type ResponseMessage, requestText } from "../jsonrpc/message.js";
import { Pending, type Timeouts } from "../jsonrpc/pending.js";
import type { RequestProtocol } from "./request-protocol.js";

/** How requests of the server's own reach the client. */
export interface ServerToClientRoute {
  /** Whether the client takes requests (2025-11-25 and before, lifecycle, initialization). */
  isReady(): boolean;
  send(text: string, origin: RequestId): void;
  /** The server waits no longer for the answer to a request. */
  cancel(protocol: RequestProtocol, id: RequestId, reason: string, origin: RequestId): void;
}

/** Requests a server sends to a client, which waits for the answer to one of its own (legacy era). */
export class ServerToClientRequests {
  private readonly pending: Pending<ResponseMessage>;
  private readonly route: ServerToClientRoute;
  /** What sends those that wait for the client to be ready; their timeouts count all the same. */
  private readonly held = new Map<RequestId, () => void>();

  constructor(timeouts: Timeouts, clock: Clock, route: ServerToClientRoute) {
    this.pending = new Pending(timeouts, clock);
    this.route = route;
  }

  /**
   * @param origin the client's request it is made for
   * @throws {McpError} `missing-capability`, `cancelled`, `timeout`, `remote-error`, `invalid-result`
   */
  async ask(
    protocol: RequestProtocol,
    method: string,
    params: Params | undefined,
    origin: RequestId,
    options: RequestOptions,
  ): Promise<Params> {
    const { spoken } = protocol;
    const entry = spoken.table.outgoingRequests.get(method);
    if (!entry || entry.payload)
      throw new McpError("missing-capability", `revision ${spoken.id} has no ${method}`);
    if (options.signal?.aborted)
      throw new McpError("cancelled", `${method}: nobody waits for the answer any more`);
    const id = this.pending.nextId();
    // With a token the client may tell that it is at work, which puts the timeout off.
    const told = { ...params, _meta: { ...params?._meta, progressToken: id } };
    const lowered = spoken.lower("outgoingRequests", method, told);
    // What cannot be sent fails here: nothing waits for its answer then.
    const text = requestText(id, method, lowered);
    const answer = this.pending.wait(id, method, options, ({ message }) => {
      if (!this.held.delete(id)) this.route.cancel(protocol, id, message, origin);
    });
    if (this.route.isReady()) this.route.send(text, origin);
    else this.held.set(id, () => this.route.send(text, origin));
    const { result, error } = await answer;
    if (error) throw new McpError("remote-error", error.message, { data: error });
    if (!result || !entry.result?.accepts(result))
      throw new McpError(
        "invalid-result",
        `${method}: the client's answer is not one: ${issuesText(await spoken.issues(result, entry.result!), "not an object")}`,
      );
    return spoken.lift("incomingResults", method, result);
  }

  /** The client is ready. */
  sendHeld(): void {
    for (const send of this.held.values()) send();
    this.held.clear();
  }

  /** The client answers; what nobody asked for is left out. */
  answered(response: ResponseMessage): void {
    if (response.id !== undefined) this.pending.take(response.id)?.resolve(response);
  }

  /** The client tells that it is at work on a request. */
  progressed(params: Params | undefined): void {
    this.pending.get(params?.["progressToken"] as RequestId)?.progressed();
  }

  /** Nobody will answer any more. */
  end(reason: McpError): void {
    this.held.clear();
    this.pending.rejectAll(() => reason);
  }
}
