import { McpError } from "../peer/errors.js";
import type { ChangeNotice } from "./subscriptions.js";

/** Changes that wait to be read, and readers that wait for changes. */
export class NoticeQueue implements AsyncIterator<ChangeNotice, undefined> {
  /** What a reader that leaves off ends; set by who fills the queue. */
  leave: () => Promise<void> = async () => this.end();
  private readonly notices: ChangeNotice[] = [];
  private readers: {
    resolve: (result: IteratorResult<ChangeNotice, undefined>) => void;
    reject: (error: Error) => void;
  }[] = [];
  private over: { readonly error?: Error } | undefined;

  push(notice: ChangeNotice): void {
    if (this.over) return;
    const reader = this.readers.shift();
    if (reader) reader.resolve({ value: notice, done: false });
    else this.notices.push(notice);
  }

  end(): void {
    this.settle({});
  }

  fail(error: Error): void {
    this.settle({ error });
  }

  /** Throws what it failed with before there was anything to read. */
  async failure(): Promise<void> {
    throw (
      this.over?.error ??
      new McpError(
        "invalid-result",
        "subscriptions/listen: the server ended the subscription without acknowledging it",
      )
    );
  }

  next(): Promise<IteratorResult<ChangeNotice, undefined>> {
    const notice = this.notices.shift();
    if (notice) return Promise.resolve({ value: notice, done: false });
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
