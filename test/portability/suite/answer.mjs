/** An answer of HTTP as it comes in, read with web streams. */
export class Answer {
  status;
  headers;
  /** All that has come of the body. */
  text = "";
  /** Whether the body came to its end. */
  complete = false;
  over = false;
  #controller;
  #reader;
  #waiting = [];

  /** @param controller aborts the request */
  constructor(response, controller) {
    this.status = response.status;
    this.headers = response.headers;
    this.#controller = controller;
    if (!response.body) {
      this.complete = this.over = true;
      return;
    }
    this.#reader = response.body.getReader();
    void this.#read();
  }

  async #read() {
    const decoder = new TextDecoder();
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) break;
        this.text += decoder.decode(value, { stream: true });
        this.#look();
      }
      this.complete = !this.dropped;
    } catch {
      // What it has is what came before.
    }
    this.over = true;
    this.#look();
  }

  get type() {
    return (this.headers.get("content-type") ?? "").split(";")[0];
  }

  /** The events that have come whole; comments are left out. */
  get events() {
    return this.text
      .split("\n\n")
      .slice(0, -1)
      .map((block) =>
        Object.fromEntries(
          block
            .split("\n")
            .filter((line) => !line.startsWith(":"))
            .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
        ),
      )
      .filter((event) => Object.keys(event).length > 0);
  }

  /** All messages that have come, with batches split. */
  get messages() {
    const texts = this.type === "text/event-stream" ? this.events.map(({ data }) => data ?? "") : [this.text];
    return texts.filter((text) => text !== "").flatMap((text) => JSON.parse(text));
  }

  /** Resolves once `found` gives something. Rejects if the body ends without it. */
  async until(found) {
    for (;;) {
      const value = found(this);
      if (value !== undefined && value !== false) return value;
      if (this.over) throw new Error(`ended without it: ${this.status} ${this.text}`);
      await new Promise((resolve) => this.#waiting.push(resolve));
    }
  }

  /** Resolves with itself once `count` messages have come. */
  async count(count) {
    await this.until(({ messages }) => messages.length >= count);
    return this;
  }

  /** Resolves with itself once the body is over. */
  async whole() {
    while (!this.over) await new Promise((resolve) => this.#waiting.push(resolve));
    return this;
  }

  /** Drops the stream of the body. */
  async drop() {
    this.dropped = true;
    await this.#reader?.cancel().catch(() => undefined);
  }

  /** Aborts the request. */
  abort() {
    this.dropped = true;
    this.#controller.abort();
  }

  #look() {
    for (const each of this.#waiting.splice(0)) each();
  }
}
