import type { IncomingNotification, RequestOptions } from "@mcpgen/protocol/model";
import type { Params } from "../jsonrpc/message.js";
import type { RevisionView } from "../protocol/revision-view.js";
import type { ResultCache } from "./cache.js";
import type { NotificationListener } from "./middleware.js";
import type { Questions } from "./questions.js";

/** The notifications of the server, and their listeners. A listener that throws does not stop the messages after it. */
export class Notifications {
  readonly #byMethod = new Map<string, Set<NotificationListener>>();
  readonly #cache: ResultCache;
  readonly #questions: Questions;

  /** @param questions reports what listeners throw */
  constructor(cache: ResultCache, questions: Questions) {
    this.#cache = cache;
    this.#questions = questions;
  }

  /**
   * @param method `*` for all methods
   * @returns a function that removes the listener
   */
  add(method: string, listener: NotificationListener): () => void {
    const listeners = this.#byMethod.get(method) ?? new Set();
    this.#byMethod.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  /** Passes a notification to its listeners. Drops a malformed one. */
  received(view: RevisionView<"client">, method: string, params: Params): void {
    const entry = view.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.#deliver(view, entry, message);
    void this.#questions.hooked
      .readNulls(entry, message, method)
      .then((mended) => entry.accepts(mended) && this.#deliver(view, entry, mended))
      .catch(() => undefined);
  }

  /** The same options with an `onProgress` that never throws. */
  guard(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return {
      ...options,
      onProgress: (progress) => this.attempt("notifications/progress", () => onProgress(progress)),
    };
  }

  /** Calls a listener, and reports what it throws or, if it is asynchronous, rejects with. */
  attempt(method: string, call: () => unknown): void {
    const failed = (error: unknown): void => this.#questions.report(error, method);
    try {
      const returned = call();
      if (returned instanceof Promise) returned.catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  #deliver(
    view: RevisionView<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
  ): void {
    let lifted = params;
    try {
      if (entry) lifted = view.lift("incomingNotifications", method, params);
    } catch (error) {
      return this.#questions.report(error, method);
    }
    if (entry) this.#cache.invalidate(entry, lifted, view.table.outgoingRequests);
    for (const key of [method, "*"])
      for (const listener of this.#byMethod.get(key) ?? [])
        this.attempt(method, () => listener(lifted, method));
  }
}
