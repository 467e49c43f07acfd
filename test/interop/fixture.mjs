/** The offer of every fixture server, written with any implementation; the behaviours under test rely on it. */
export const note = {
  uri: "test://note",
  name: "note",
  mimeType: "text/plain",
  text: "a note, with ünïcödé",
};
export const picture = {
  uri: "test://picture",
  name: "picture",
  mimeType: "image/png",
  blob: "iVBORw0KGgo=",
};
export const itemTemplate = "test://items/{id}";
export const names = ["Ada", "Alan", "Grace"];

/** The text of the item at a URI of `itemTemplate`. */
export function itemText(id) {
  return `item ${id}`;
}

export function startingWith(value) {
  return names.filter((name) => name.startsWith(value));
}

export function text(value) {
  return { content: [{ type: "text", text: value }] };
}

export function greeting(name) {
  return { messages: [{ role: "user", content: { type: "text", text: `Greet ${name}` } }] };
}

/** The questions that tools ask the client. */
export const nameForm = {
  message: "Who are you?",
  requestedSchema: {
    type: "object",
    properties: { name: { type: "string" }, age: { type: "integer" } },
    required: ["name"],
  },
};
export const page = { message: "Please visit", url: "https://example.com/visit", elicitationId: "visit-1" };
export const sampling = {
  messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
  maxTokens: 100,
};

/** The gate at which the tool `count` waits until `release` is called. */
export class Gate {
  #opened = deferred();

  open() {
    this.#opened.resolve();
  }

  passed() {
    return this.#opened.promise;
  }
}

/** The state of the tool `wait`, which other tools report. */
export class Waiting {
  #begun = deferred();
  #aborted = deferred();
  #times = 0;

  async until(signal) {
    this.#begun.resolve();
    await new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", resolve);
    });
    this.#times++;
    this.#aborted.resolve();
  }

  begun() {
    return this.#begun.promise;
  }

  /** How often it was, once it was. */
  async aborted() {
    await this.#aborted.promise;
    return String(this.#times);
  }
}

export function deferred() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
