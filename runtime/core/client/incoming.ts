import type { IncomingNotification, RequestOptions } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Params, RequestMessage } from "../jsonrpc/message.js";
import { type AnswerContext, type AnswerSetup, answerServer } from "./server-requests.js";
import type { ResultCache } from "./cache.js";
import { withoutNulls } from "./decode.js";
import { messageOf } from "../jsonrpc/errors.js";

/** Handles the messages that the server starts: requests and notifications. */
export class Incoming {
  private readonly answers: AnswerSetup;
  private readonly cache: ResultCache;
  private readonly listeners: Listeners;

  constructor(answers: AnswerSetup, cache: ResultCache, listeners: Listeners) {
    this.answers = answers;
    this.cache = cache;
    this.listeners = listeners;
  }

  /** Answers a request (legacy era). Resolves with the result as JSON. */
  answer(view: RevisionView<"client">, request: RequestMessage, context: AnswerContext): Promise<string> {
    return answerServer(this.answers, view, request, context);
  }

  /** Passes a notification to its listeners. Drops a malformed one. */
  notified(view: RevisionView<"client">, method: string, params: Params): void {
    const entry = view.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.deliver(view, entry, message);
    if (this.answers.nulls === "reject") return;
    void withoutNulls(entry, message)
      .then((mended) => entry.accepts(mended) && this.deliver(view, entry, mended))
      .catch(() => undefined);
  }

  private deliver(
    view: RevisionView<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
  ): void {
    this.cache.invalidate(method, params);
    this.listeners.dispatch(method, entry ? view.lift("incomingNotifications", method, params) : params);
  }
}

/** Receives a notification in the authoring vocabulary. */
export type NotificationListener = (params: Params, method: string) => void;

/** The listeners of notifications. A listener that throws does not stop the messages after it. */
export class Listeners {
  private readonly byMethod = new Map<string, Set<NotificationListener>>();
  private readonly warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.warn = warn;
  }

  /** @param method `*` for all methods */
  add(method: string, listener: NotificationListener): () => void {
    const listeners = this.byMethod.get(method) ?? new Set();
    this.byMethod.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  dispatch(method: string, params: Params): void {
    for (const key of [method, "*"])
      for (const listener of this.byMethod.get(key) ?? [])
        this.attempt(method, () => listener(params, method));
  }

  /** The same options with an `onProgress` that never throws. */
  guard(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return { ...options, onProgress: (progress) => this.attempt("progress", () => onProgress(progress)) };
  }

  /** Calls a listener and warns if it throws, or if it is asynchronous and rejects. */
  private attempt(what: string, call: () => unknown): void {
    const failed = (error: unknown): void => this.warn(`a listener of ${what} failed: ${messageOf(error)}`);
    try {
      const returned = call();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
