/** Notifications of one kind, in the order of their arrival, whether or not a test waits for one already. */
export class Inbox {
  #arrived = [];
  #waiting = [];

  put(value) {
    const waiting = this.#waiting.shift();
    if (waiting) waiting(value);
    else this.#arrived.push(value);
  }

  next() {
    if (this.#arrived.length > 0) return Promise.resolve(this.#arrived.shift());
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}

/** The messages that arrive on a session. */
export function inboxes() {
  return { logs: new Inbox(), updated: new Inbox(), toolsChanged: new Inbox(), rest: new Inbox() };
}

/** The user and the model behind every client; tests change the answers. */
export function answers() {
  return {
    elicit: () => ({ action: "accept", content: { name: "Ada" } }),
    sample: () => ({ role: "assistant", model: "fixture", content: { type: "text", text: "something" } }),
    roots: () => ({ roots: [{ uri: "file:///home/ada", name: "home" }] }),
  };
}
