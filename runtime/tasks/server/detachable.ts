import type { HandlerContext, Params } from "@mcpgen/runtime";
import { type Asked, RequestContext, type Rounds, ServerRequest } from "@mcpgen/runtime/extending";
import type { Done, Journal } from "../state/record.js";
import { requestOf } from "./request.js";
import type { Report } from "./tool-call.js";

/** What happens in a handler that may be detached. */
export interface DetachedHooks {
  /** An effect of `context.once` has ended, here or in an earlier round. `once` resolves after this function. */
  readonly done: (effect: Done) => void | Promise<void>;
  /** An effect of `context.once` is to begin: it does not if this function throws or rejects. */
  readonly begins: () => void | Promise<void>;
  /** The handler reports progress. */
  readonly progressed: (...report: Report) => void;
  /** The detached handler sends a notification or a log message. */
  readonly sent: (method: string, params: object | undefined) => void;
}

/** The context of a handler that may run on after the answer to its request. */
export class DetachableRequest extends RequestContext {
  override readonly rounds: Rounds;
  readonly #request: RequestContext;
  readonly #hooks: DetachedHooks;
  readonly #abort = new AbortController();
  #isDetached = false;

  /**
   * @param context of the request
   * @param added further members of the context
   * @param journal of an earlier run of the handler
   */
  constructor(
    context: HandlerContext,
    hooks: DetachedHooks,
    added: object,
    journal: Journal = { answers: {}, once: [] },
  ) {
    const request = requestOf(context);
    super(request.connection, request.request, request.protocol);
    this.auth = request.auth;
    this.http = request.http;
    this.params = request.params;
    this.entry = { ...request.entry, multiRoundTrip: true };
    Object.assign(this, added);
    this.#request = request;
    this.#hooks = hooks;
    for (const [key, running] of request.rounds?.once ?? [])
      void running.then((value) => hooks.done(doneOf(key, value)));
    this.rounds = request.rounds ??= roundsOf(journal);
    const { era, revision } = request.protocol;
    const { sendAsk = revision.era === "modern" ? ServerRequest.askInRounds : era.sendAsk } = request;
    this.sendAsk = (...asked) => (this.#isDetached ? ServerRequest.askInRounds : sendAsk)(...asked);
    if (request.signal.aborted) this.#follow();
    else request.signal.addEventListener("abort", this.#follow);
  }

  readonly #follow = (): void => {
    if (!this.#isDetached) this.cancel(this.#request.signal.reason as Error);
  };

  /** Answers of the client, by the key of the ask. */
  get answers(): ReadonlyMap<string, Params> {
    return this.rounds.answers;
  }

  /** The asks that have no answer, as the revision sends them. If there are any, the handler's result is discarded. */
  get wanted(): ReadonlyMap<string, Asked> {
    return this.rounds.wanted;
  }

  /**
   * Separates the handler from its request: from now on the end of the request does not abort the signal; what the handler
   * reports goes to the hooks; asks without an answer reject, and stand in `wanted`.
   */
  detach(): void {
    this.#isDetached = true;
    this.#request.signal.removeEventListener("abort", this.#follow);
    this.#request.rounds = undefined;
  }

  /** Aborts the signal of the handler. */
  cancel(reason: Error): void {
    this.#abort.abort(reason);
  }

  override get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** A detached handler has no request that could be over. What an aborted one throws is not reported. */
  override get over(): boolean {
    return this.#isDetached ? this.signal.aborted : this.#request.over;
  }

  override get progress(): HandlerContext["progress"] {
    return (...report) => {
      if (!this.#isDetached) this.#request.progress(...report);
      this.#hooks.progressed(...report);
    };
  }

  override get disconnect(): HandlerContext["disconnect"] {
    return (retryMs) => {
      if (!this.#isDetached) this.#request.disconnect(retryMs);
    };
  }

  override send(method: string, params: Params | undefined): void {
    if (this.#isDetached) this.#hooks.sent(method, params);
    else this.#request.send(method, params);
  }

  override async runOnce<T>(key: string, effect: () => T | Promise<T>): Promise<T> {
    const held = this.#hooks.begins();
    if (held) await held;
    const value = await super.runOnce(key, effect);
    await this.#hooks.done(doneOf(key, value));
    return value;
  }
}

function doneOf(key: string, value: unknown): Done {
  return value === undefined ? { key } : { key, value };
}

function roundsOf({ answers, once }: Journal): Rounds {
  return {
    answers: new Map(Object.entries(answers)),
    once: new Map(once.map(({ key, value }) => [key, Promise.resolve(value)])),
    encoding: [],
    wanted: new Map(),
  };
}
