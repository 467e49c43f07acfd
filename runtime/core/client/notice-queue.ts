import { limitExceeded } from "./limits.js";
import type { ChangeNotice } from "./subscriptions.js";

/** Characters of the URIs of all notices that wait. */
const mostCharacters = 1_048_576;

/**
 * Changes that wait to be read, and readers that wait for changes. Where as many wait as may, a notice that says what
 * one of them says is dropped, and any other ends the subscription: changes would be missed.
 */
export class NoticeQueue implements AsyncIterator<ChangeNotice, undefined> {
  /** Ends what fills the queue: a reader has left off, or too much waits. */
  leave: () => Promise<void> = async () => this.end();
  private readonly notices: ChangeNotice[] = [];
  private readers: {
    resolve: (result: IteratorResult<ChangeNotice, undefined>) => void;
    reject: (error: Error) => void;
  }[] = [];
  private over: { readonly error?: Error } | undefined;
  private characters = 0;
  private readonly most: number;

  /** @param most notices that may wait */
  constructor(most: number) {
    this.most = most;
  }

  push(notice: ChangeNotice): void {
    if (this.over) return;
    const reader = this.readers.shift();
    if (reader) return reader.resolve({ value: notice, done: false });
    const characters = notice.uri?.length ?? 0;
    if (this.notices.length < this.most && this.characters + characters <= mostCharacters) {
      this.characters += characters;
      this.notices.push(notice);
    } else if (!this.notices.some(({ method, uri }) => method === notice.method && uri === notice.uri)) {
      const text = `more than ${this.most} notices of a subscription wait to be read`;
      this.fail(limitExceeded(text, "maxNotices", this.most));
      void this.leave().catch(() => undefined);
    }
  }

  end(): void {
    this.settle({});
  }

  fail(error: Error): void {
    this.settle({ error });
  }

  next(): Promise<IteratorResult<ChangeNotice, undefined>> {
    const notice = this.notices.shift();
    if (notice) {
      this.characters -= notice.uri?.length ?? 0;
      return Promise.resolve({ value: notice, done: false });
    }
    if (this.over?.error) return Promise.reject(this.over.error);
    if (this.over) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => this.readers.push({ resolve, reject }));
  }

  /** A reader leaves off: the subscription ends. */
  async return(): Promise<IteratorResult<ChangeNotice, undefined>> {
    this.notices.length = 0;
    await this.leave();
    return { value: undefined, done: true };
  }

  private settle(over: { readonly error?: Error }): void {
    if (this.over) return;
    this.over = over;
    for (const { resolve, reject } of this.readers)
      if (over.error) reject(over.error);
      else resolve({ value: undefined, done: true });
    this.readers = [];
  }
}
