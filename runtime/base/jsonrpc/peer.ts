import type { Progress } from "@mcpgen/protocol/model";
import { McpError, invalidRequest, messageOf, parseError } from "./errors.js";
import {
  type NotificationMessage,
  type NullTaker,
  type Params,
  type RequestId,
  type RequestMessage,
  type ResponseMessage,
  classify,
  idOf,
  isRequestId,
  renewed,
  withoutNullId,
} from "./message.js";
import { Pending, type PendingOptions, type PendingRequest } from "./pending.js";

/**
 * One side of a JSON-RPC connection: the requests that it has sent, and those that it is answering. Its owner writes and
 * sends the messages, and decides what is refused.
 */
export class JsonRpcPeer<Answer, Work extends Abortable> {
  /** Requests of the other side that have no answer yet. */
  readonly running = new Running<Work>();
  readonly #options: PendingOptions;
  #pending: Pending<Answer> | undefined;

  constructor(options: PendingOptions) {
    this.#options = options;
  }

  /** Requests of this side that wait for their answers. Made when it is first read: many sides only answer. */
  get pending(): Pending<Answer> {
    return (this.#pending ??= new Pending(this.#options));
  }

  /**
   * Resolves the request that a response answers.
   *
   * @param exchange the request that it answers whatever its id is: the transport says so
   * @returns the request; `undefined` if no request waits for the response
   */
  settle(
    response: Answer & { readonly id?: unknown },
    exchange?: RequestId,
  ): PendingRequest<Answer> | undefined {
    const { pending } = this;
    const request = exchange === undefined ? pending.answered(response.id) : pending.take(exchange);
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
    const numbers = reportOf(progress, total);
    if (!numbers) return undefined;
    const report = typeof message === "string" ? { ...numbers, message } : numbers;
    const request = this.pending.progressed(progressToken);
    request?.onProgress?.(report);
    return request ? undefined : report;
  }

  /**
   * The other side cancels its request, or ends one of this side.
   *
   * @param unstated the reason, if it states none
   * @param ends whether it may end a request of this side, by its method
   */
  cancelled({ requestId, reason }: Params, unstated: string, ends?: (method: string) => boolean): void {
    const id = requestId as RequestId;
    const why = new McpError("cancelled", typeof reason === "string" ? reason : unstated);
    if (this.running.cancel(id, why)) return;
    const request = this.pending.get(id);
    if (request && ends?.(request.method)) this.pending.take(id)!.reject(why);
  }

  /** Requests of this side fail: the other one can no longer answer. */
  unanswered(reason: McpError): void {
    this.#pending?.rejectAll(() => reason);
  }

  /** The connection has ended: requests of this side fail, those of the other side are aborted. */
  end(reason: McpError): void {
    this.running.end(reason);
    this.unanswered(reason);
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

/** Calls a function after this turn of the event loop. Most handlers that return a promise are done by then. */
export function afterTurn(work: () => void): void {
  const { setImmediate: soon = setTimeout } = globalThis as {
    readonly setImmediate?: (work: () => void) => unknown;
  };
  soon(work);
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
  const report = reportOf(progress, total);
  if (!report || !isRequestId(progressToken) || progress <= work.lastProgress) return undefined;
  work.lastProgress = progress;
  return { progressToken, ...report, ...(message !== undefined && { message }) };
}

/** JSON has only finite numbers; peers, and callers in JavaScript, may give other values. */
function reportOf(progress: unknown, total: unknown): Progress | undefined {
  if (!Number.isFinite(progress)) return undefined;
  return { progress: progress as number, ...(Number.isFinite(total) && { total: total as number }) };
}

/**
 * Takes the messages of the other side.
 *
 * @typeParam Carrier what brings a message, beside the channel: a batch, or an exchange of the transport
 */
export interface MessageTaker<Carrier = unknown> extends NullTaker {
  requested(message: RequestMessage, carrier?: Carrier): void;
  notified(message: NotificationMessage, carrier?: Carrier): void;
  answered(message: ResponseMessage, carrier?: Carrier): void;
  batched(messages: readonly unknown[], carrier?: Carrier): void;
  /**
   * @param id of the message, if it can be read
   * @param given the message; its text if it is not JSON
   */
  refuse(id: RequestId | undefined, error: McpError, carrier: Carrier | undefined, given: unknown): void;
}

/** Gives the message of a text to the function for its kind. */
export function takeMessage<Carrier>(text: string, taker: MessageTaker<Carrier>, carrier?: Carrier): void {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    return taker.refuse(undefined, parseError(messageOf(error)), carrier, text);
  }
  takeParsed(message, taker, carrier);
}

/** Gives a parsed message, or those of a batch, to the function for its kind. A notification whose id is null has none. */
export function takeParsed<Carrier>(given: unknown, taker: MessageTaker<Carrier>, carrier?: Carrier): void {
  const kind = classify(given);
  if (kind === "request") return taker.requested(given as RequestMessage, carrier);
  if (kind === "notification") return taker.notified(given as NotificationMessage, carrier);
  if (kind === "response") return taker.answered(given as ResponseMessage, carrier);
  if (kind === "batch") {
    const messages = (given as unknown[]).map((each) => withoutNullId(each, taker));
    return taker.batched(messages, carrier);
  }
  const message = withoutNullId(given, taker);
  if (message === given) taker.refuse(idOf(given), invalidRequest(kind.problem), carrier, given);
  else takeParsed(message, taker, carrier);
}
