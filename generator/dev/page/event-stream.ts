import type { ServerResponse } from "node:http";
import type { PageEvent } from "../../page/browser/dev/messages.js";

/** Events of one kind that a page which opens later still gets. */
const kept = { cycle: 50, log: 500, wire: 2_000, call: 100 } as const;

/** Characters of all events that are kept. */
const mostKept = 32_000_000;

/** Bytes that a page may lag behind before its connection ends; it connects again, and gets what is kept. */
const mostBuffered = 64_000_000;

/** An event with its text, which all pages get. */
interface Sent {
  readonly event: PageEvent;
  readonly text: string;
}

/** Sends events to every open page, and the state so far to each page that opens. */
export class EventStream {
  readonly #pages = new Set<ServerResponse>();
  /** By a key: a later event of the same key replaces the earlier one. */
  readonly #kept = new Map<string, Sent>();
  #size = 0;
  #count = 0;

  send(event: PageEvent): void {
    const text = `data: ${JSON.stringify(event)}\n\n`;
    this.#keep({ event, text });
    for (const page of this.#pages) {
      page.write(text);
      if (page.writableLength > mostBuffered) page.destroy();
    }
  }

  /** Answers a page with all events until it leaves. */
  open(page: ServerResponse): void {
    page.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
    page.write(`retry: 500\n\n${[...this.#kept.values()].map(({ text }) => text).join("")}`);
    this.#pages.add(page);
    page.on("close", () => this.#pages.delete(page));
  }

  close(): void {
    for (const page of this.#pages) page.end();
    this.#pages.clear();
  }

  #keep(sent: Sent): void {
    const { event } = sent;
    if (event.type === "settled") return this.#forget(`question ${event.question}`);
    const key = this.#keyOf(event);
    const place = this.#kept.get(key);
    this.#size += sent.text.length - (place?.text.length ?? 0);
    this.#kept.set(key, sent);
    if (!place && event.type in kept) this.#limit(event.type as keyof typeof kept);
    for (const [oldest, { event: old }] of this.#kept) {
      if (this.#size <= mostKept) break;
      if (old.type in kept) this.#forget(oldest);
    }
  }

  #keyOf(event: PageEvent): string {
    switch (event.type) {
      case "wire":
        return `wire ${event.number}`;
      case "call":
        return `call ${event.id}`;
      case "question":
        return `question ${event.question}`;
      case "connection":
      case "offer":
        return event.type;
      default:
        return `${event.type} ${++this.#count}`;
    }
  }

  #limit(type: keyof typeof kept): void {
    const keys = [...this.#kept].flatMap(([key, { event }]) => (event.type === type ? [key] : []));
    if (keys.length > kept[type]) this.#forget(keys[0]!);
  }

  #forget(key: string): void {
    this.#size -= this.#kept.get(key)?.text.length ?? 0;
    this.#kept.delete(key);
  }
}
