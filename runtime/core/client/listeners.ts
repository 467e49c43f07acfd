import type { RequestOptions } from "@mcpgen/protocol/model";
import { messageOf } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";

/** A notification that arrived, in the authoring vocabulary. */
export type NotificationListener = (params: Params, method: string) => void;

/** Who hears what. What the application fails at must not cost it the messages that came with this one. */
export class Listeners {
  private readonly byMethod = new Map<string, Set<NotificationListener>>();
  private readonly warn: (message: string) => void;

  constructor(warn: (message: string) => void) {
    this.warn = warn;
  }

  /** @param method `*` for all of them */
  add(method: string, listener: NotificationListener): () => void {
    const listeners = this.byMethod.get(method) ?? new Set();
    this.byMethod.set(method, listeners.add(listener));
    return () => void listeners.delete(listener);
  }

  tell(method: string, params: Params): void {
    for (const key of [method, "*"])
      for (const listener of this.byMethod.get(key) ?? [])
        this.attempt(method, () => listener(params, method));
  }

  /** The same options, with one who hears of progress and never throws. */
  guard(options: RequestOptions): RequestOptions {
    const { onProgress } = options;
    if (!onProgress) return options;
    return { ...options, onProgress: (progress) => this.attempt("progress", () => onProgress(progress)) };
  }

  /** Listeners may be asynchronous, whatever their type says: what they reject with is theirs, too. */
  private attempt(what: string, tell: () => unknown): void {
    const failed = (error: unknown): void => this.warn(`a listener of ${what} failed: ${messageOf(error)}`);
    try {
      const told = tell();
      if (told instanceof Promise) told.catch(failed);
    } catch (error) {
      failed(error);
    }
  }
}
