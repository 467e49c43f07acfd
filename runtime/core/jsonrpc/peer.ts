import type { Progress } from "@mcpgen/protocol/model";
import type { Clock } from "../time/clock.js";
import { McpError, invalidRequest, messageOf, parseError } from "./errors.js";
import {
  type NotificationMessage,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  classify,
  idOf,
  isRequestId,
  withoutNullId,
} from "./message.js";
import { Pending, type PendingRequest, type Timeouts, defaultTimeouts, renewed } from "./pending.js";

interface JsonRpcPeerOptions {
  /** Default: 60,000 ms without an answer or progress, 3,600,000 in all. */
  readonly timeouts?: Partial<Timeouts> | undefined;
  readonly clock?: Clock | undefined;
  /** What came since a time and answered no request, for the errors of requests that time out. */
  readonly meanwhile?: (since: number) => string;
}

/**
 * One side of a JSON-RPC connection: the requests that it has sent, and those that it is answering. Its owner writes and
 * sends the messages, and decides what is refused.
 */
export class JsonRpcPeer<Answer, Work extends Abortable> {
  /** Requests of this side that wait for their answers. */
  readonly pending: Pending<Answer>;
  /** Requests of the other side that have no answer yet. */
  readonly running = new Running<Work>();

  constructor({ timeouts, clock, meanwhile }: JsonRpcPeerOptions) {
    this.pending = new Pending({ ...defaultTimeouts, ...timeouts }, clock, meanwhile);
  }

  /** Resolves the request that a response answers. Returns the request; `undefined` for an unknown id. */
  settle(response: Answer & { readonly id?: unknown }): PendingRequest<Answer> | undefined {
    const request = this.pending.answered(response.id);
    request?.resolve(response);
    return request;
  }

  /**
   * Restarts the timeout of the request that a notification of progress names, and reports to its listener. Malformed progress is
   * ignored.
   *
   * @returns what it reports, if no request has its token
   */
  progressed({ progressToken, progress, total, message }: Params): Progress | undefined {
    if (!isFiniteNumber(progress)) return undefined;
    const report = {
      progress,
      ...(isFiniteNumber(total) && { total }),
      ...(typeof message === "string" && { message }),
    };
    const request = this.pending.progressed(progressToken);
    if (!request) return report;
    request.onProgress?.(report);
    return undefined;
  }

  /**
   * The other side cancels its request, or ends one of this side.
   *
   * @param unstated the reason, if it states none
   * @param ends whether it may end a request of this side, by its method
   */
  cancelled(
    { requestId, reason }: Params,
    unstated: string,
    ends = (_method: string): boolean => false,
  ): void {
    const id = requestId as RequestId;
    const why = new McpError("cancelled", typeof reason === "string" ? reason : unstated);
    if (this.running.cancel(id, why)) return;
    const request = this.pending.get(id);
    if (request && ends(request.method)) this.pending.take(id)!.reject(why);
  }

  /** The connection has ended: requests of this side fail, those of the other side are aborted. */
  end(reason: McpError): void {
    this.running.end(reason);
    this.pending.rejectAll(() => reason);
  }
}

/** What a request of the other side started. */
interface Abortable {
  abort(reason: McpError): void;
}

/** The requests of one side that the other is answering. Once one is cancelled, its id may be used again. */
export class Running<Work extends Abortable> {
  #works = new Map<RequestId, Work>();
  #started = 0;

  get size(): number {
    return this.#works.size;
  }

  has(id: RequestId): boolean {
    return this.#works.has(id);
  }

  start(id: RequestId, work: Work): void {
    this.#works = renewed(this.#works, ++this.#started).set(id, work);
  }

  /** Ends a request. Returns whether its answer is to be sent: not if it was cancelled before. */
  finish(id: RequestId, work: Work): boolean {
    return this.#works.get(id) === work && this.#works.delete(id);
  }

  /** Cancels a request. Returns whether it was running. */
  cancel(id: RequestId, reason: McpError): boolean {
    const work = this.#works.get(id);
    this.#works.delete(id);
    work?.abort(reason);
    return work !== undefined;
  }

  /** Cancels all requests. */
  end(reason: McpError): void {
    for (const id of [...this.#works.keys()]) this.cancel(id, reason);
  }
}

/** The arguments of a function that reports progress. */
type Report = [progress: number, total?: number | undefined, message?: string | undefined];

/**
 * The parameters of `notifications/progress`.
 *
 * @param work a request of the other side, with the progress that was sent last
 * @returns `undefined` if nothing is to be sent: the other side asked for no progress, or this is no more than the last
 */
export function progressOf(
  work: { lastProgress: number },
  progressToken: unknown,
  ...[progress, total, message]: Report
): Params | undefined {
  // JSON has only finite numbers, and callers in JavaScript may pass other values.
  if (!isRequestId(progressToken) || !isFiniteNumber(progress) || progress <= work.lastProgress)
    return undefined;
  work.lastProgress = progress;
  return {
    progressToken,
    progress,
    ...(isFiniteNumber(total) && { total }),
    ...(message !== undefined && { message }),
  };
}

function isFiniteNumber(value: unknown): value is number {
  return Number.isFinite(value);
}

/** Takes the messages of the other side. */
export interface MessageTaker {
  /** Whether the other side sends requests of a method: their ids are required. */
  isRequest(method: string): boolean;
  requested(message: RequestMessage): void;
  notified(message: NotificationMessage): void;
  answered(message: ResponseMessage): void;
  /** @param id of the message, if it can be read */
  refuse(id: RequestId | undefined, error: McpError): void;
}

/** Gives the message of a text to the function for its kind. */
export function takeMessage(text: string, taker: MessageTaker): void {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch (error) {
    return taker.refuse(undefined, parseError(messageOf(error)));
  }
  const message = withoutNullId(
    given,
    (method) => taker.isRequest(method),
    () => {},
  );
  const kind = classify(message);
  if (kind === "request") return taker.requested(message as RequestMessage);
  if (kind === "notification") return taker.notified(message as NotificationMessage);
  if (kind === "response") return taker.answered(message as ResponseMessage);
  const problem = kind === "batch" ? "a channel has no batches" : kind.problem;
  taker.refuse(idOf(message), invalidRequest(problem));
}
