import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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

/** The contents of `note` or `picture`. */
export function contentsOf(resource) {
  const { name: _, ...contents } = resource;
  return contents;
}

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

/** Tools of the official SDKs' servers that always give the same result, by name. */
export const results = {
  image: { content: [{ type: "image", data: picture.blob, mimeType: picture.mimeType }] },
  audio: { content: [{ type: "audio", data: picture.blob, mimeType: "audio/wav" }] },
  link: {
    content: [{ type: "resource_link", uri: note.uri, name: note.name, mimeType: "text/plain", size: 21 }],
  },
  embedded: {
    content: [note, picture].map((resource) => ({ type: "resource", resource: contentsOf(resource) })),
  },
  marked: {
    content: [
      {
        type: "text",
        text: "marked",
        annotations: { audience: ["user"], priority: 0.5 },
        _meta: { "example.com/part": 1 },
      },
    ],
    _meta: { "example.com/whole": { of: [1] } },
  },
  large: text("x".repeat(200_000)),
};

/** How those tools are listed. */
export const listing = {
  title: "Always the same",
  annotations: { readOnlyHint: true, openWorldHint: false },
  _meta: { "example.com/listed": true },
};

/** The messages of the prompt `rich`. */
export const rich = {
  description: "All kinds of content",
  messages: [
    { role: "user", content: results.image.content[0] },
    { role: "assistant", content: results.embedded.content[0] },
  ],
};

/** The second page of the resource templates: the first has this cursor. */
export const secondPage = "second page";
export const secondTemplate = { uriTemplate: "test://others/{id}", name: "other" };

/** The error of the request `vendor/fail`. */
export const refusal = { code: -31999, message: "not so", data: { why: ["a reason"] } };

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

/**
 * The gate at which the tool `count` waits until `release` is called.
 *
 * @param folder shares it with other processes: a bridge may run each call in another one
 */
export class Gate {
  #opened;

  constructor(folder, name = "opened") {
    this.#opened = event(name, folder);
  }

  get isOpen() {
    return this.#opened.happened();
  }

  open() {
    this.#opened.resolve();
  }

  passed() {
    return this.#opened.promise();
  }
}

/** The state of the tool `wait`, which other tools report. @param folder as of `Gate` */
export class Waiting {
  #begun;
  #aborted;
  #times = 0;

  constructor(folder) {
    this.#begun = event("begun", folder);
    this.#aborted = event("aborted", folder);
  }

  async until(signal) {
    this.#begun.resolve();
    await new Promise((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener("abort", resolve);
    });
    this.#aborted.resolve(String(++this.#times));
  }

  begun() {
    return this.#begun.promise();
  }

  /** How often it was, once it was. */
  aborted() {
    return this.#aborted.promise();
  }
}

/** Happens once, with a text: in this process, or in all that have the folder. */
function event(name, folder) {
  if (folder === undefined) {
    const { promise, resolve } = deferred();
    let has = false;
    const resolveOnce = (value) => ((has = true), resolve(value));
    return { promise: () => promise, resolve: resolveOnce, happened: () => has };
  }
  const file = join(folder, name);
  return {
    resolve: (value = "") => writeFileSync(file, value),
    happened: () => existsSync(file),
    promise: () =>
      new Promise((resolve) => {
        const look = setInterval(() => {
          if (!existsSync(file)) return;
          clearInterval(look);
          resolve(readFileSync(file, "utf8"));
        }, 5).unref();
      }),
  };
}

export function deferred() {
  let resolve;
  const promise = new Promise((given) => {
    resolve = given;
  });
  return { promise, resolve };
}
