import type { Channel, Receiver } from "./runtime.js";
import { replaced } from "./server-link.js";

/** Wraps a connection to the server. */
export interface Tap {
  readonly channel: (channel: Channel) => Channel;
  readonly fetch: (send: typeof fetch) => typeof fetch;
}

/** Gets the messages of a connection. */
export interface Heard {
  message(from: "client" | "server", text: string): void;
  /** The server closed the channel. */
  ended?(reason: Error | undefined): void;
}

/**
 * Makes a tap that hears every message.
 *
 * @param heard gets those over HTTP
 * @param opened returns what gets those of a new channel
 */
export function tapOf(heard: Heard, opened: () => Heard = () => heard): Tap {
  return {
    channel: (channel) => heardChannel(channel, opened()),
    fetch: (fetch) => heardFetch(fetch, heard),
  };
}

function heardChannel(channel: Channel, heard: Heard): Channel {
  let isClosing = false;
  const received = (receiver: Receiver): Receiver =>
    replaced(receiver, {
      message: (text) => {
        heard.message("server", text);
        receiver.message(text);
      },
      closed: (reason) => {
        if (!isClosing) heard.ended?.(reason);
        receiver.closed(reason);
      },
    });
  return replaced(channel, {
    open: (receiver) => channel.open(received(receiver)),
    send: (text) => {
      heard.message("client", text);
      channel.send(text);
    },
    close: () => {
      isClosing = true;
      return channel.close();
    },
  });
}

function heardFetch(fetch: typeof globalThis.fetch, heard: Heard): typeof globalThis.fetch {
  return async (to, init = {}) => {
    if (typeof init.body === "string" && init.body !== "") heard.message("client", init.body);
    const response = await fetch(to, init);
    const { body, status, statusText, headers } = response;
    const type = headers.get("content-type") ?? "";
    if (!body || !/^(application\/json|text\/event-stream)/i.test(type)) return response;
    const reader = new EventReader(/^text/i.test(type), (text) => heard.message("server", text));
    const decoder = new TextDecoder();
    const read = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        reader.read(decoder.decode(chunk, { stream: true }));
        controller.enqueue(chunk);
      },
      flush: () => reader.end(),
    });
    const passed = new Response(body.pipeThrough(read), { status, statusText, headers });
    Object.defineProperty(passed, "url", { value: response.url });
    return passed;
  };
}

/** Reads the messages in an HTTP response: one JSON text, or the data of server-sent events. */
export class EventReader {
  readonly #isStream: boolean;
  readonly #message: (text: string) => void;
  #rest = "";
  #data: string[] = [];
  #event = "";

  constructor(isStream: boolean, message: (text: string) => void) {
    this.#isStream = isStream;
    this.#message = message;
  }

  read(chunk: string): void {
    this.#rest += chunk;
    if (!this.#isStream) return;
    // A final CR may be the first half of a line end.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop()!;
    for (const line of lines) this.#line(line);
  }

  end(): void {
    if (!this.#isStream && this.#rest.trim() !== "") this.#message(this.#rest);
  }

  #line(line: string): void {
    if (line === "") {
      const text = this.#data.join("\n");
      if (text !== "" && (this.#event === "" || this.#event === "message")) this.#message(text);
      this.#data = [];
      this.#event = "";
      return;
    }
    const [, name, value = ""] = /^([^:]*):? ?(.*)$/.exec(line)!;
    if (name === "data") this.#data.push(value);
    if (name === "event") this.#event = value;
  }
}
