import { type Channel, McpError, type Receiver } from "@mcpgen/runtime";
import { checkOptions, invalid, type Rules } from "@mcpgen/base";
import { messageText } from "./message-text.js";

/** A window, a `MessagePort`, a `Worker`, or the global object of a worker. */
export interface MessageTarget {
  postMessage(message: unknown): void;
}

/** What is read of a window, whatever its origin, and of a port. */
interface Target {
  postMessage(message: unknown, origin?: string): void;
  addEventListener(type: string, listener: (event: MessageEvent) => void): void;
  removeEventListener(type: string, listener: (event: MessageEvent) => void): void;
  readonly window?: unknown;
  readonly closed?: boolean;
  start?(): void;
  close?(): void;
}

type MessageEvent = { readonly data?: unknown; readonly source?: unknown; readonly origin?: string };

export interface PostMessageOptions {
  /** Of a window, such as `https://host.example`. `null`: a sandboxed frame, which has none. `*`: any. Ports have none. */
  readonly origin?: string;
  /** UTF-16 units of the JSON text of one message; a longer one is dropped. Default: 10,485,760. */
  readonly limit?: number;
}

const rules: Rules<PostMessageOptions> = {
  origin: (value) => (isOrigin(String(value)) ? undefined : 'an origin, "null" or "*"'),
  limit: "amount",
};

/**
 * A channel over `postMessage`: each message is one object. It reads messages of `target` and of its origin alone, and
 * ignores what is no JSON-RPC message, because other programs use the same event. `close` removes the listeners, and
 * closes a port.
 *
 * @param target the other side: `window.parent`, the `contentWindow` of a frame, a port or a worker
 * @throws {McpError} `invalid-definition`: an option is wrong, a window has no `origin`, or there is no target
 */
export function postMessageChannel(target: MessageTarget, options: PostMessageOptions = {}): Channel {
  checkOptions(options, rules, "postMessageChannel: ");
  const { origin, limit = 10 * 1024 * 1024 } = options;
  const other = target as Target;
  if (!other)
    throw invalid("postMessageChannel: there is no target. A frame outside of a document has no window.");
  const isWindow = other.window === other;
  if (isWindow !== (origin !== undefined))
    throw invalid(`postMessageChannel: origin: ${isWindow ? "a window needs one" : "a port has none"}.`);
  const events = isWindow ? (globalThis as unknown as Target) : other;
  let receiver: Receiver | undefined;
  const read = ({ data, source, origin: from }: MessageEvent): void => {
    if (isWindow && (source !== other || (origin !== "*" && from !== origin))) return;
    const text = messageText(data, limit);
    if (text === "") return;
    if (text === undefined) receiver?.tooLong(limit);
    else receiver?.message(text);
    receiver?.turn();
  };
  const end = (reason?: Error): void => {
    for (const [type, listener] of listeners) events.removeEventListener(type, listener);
    const ended = receiver;
    receiver = undefined;
    ended?.closed(reason);
  };
  const listeners = [["message", read] as const, ...(isWindow ? [] : [["close", () => end()] as const])];
  return {
    open(opened) {
      receiver = opened;
      for (const [type, listener] of listeners) events.addEventListener(type, listener);
      if (!isWindow) other.start?.();
    },
    send(text) {
      try {
        if (other.closed) throw new Error("the window is closed");
        if (receiver) other.postMessage(JSON.parse(text), origin === "null" ? "*" : origin);
      } catch (cause) {
        end(new McpError("connection-closed", "postMessage failed: the other side is gone", { cause }));
      }
    },
    flush() {},
    async close() {
      receiver = undefined;
      end();
      if (!isWindow && other.start) other.close?.();
    },
  };
}

/** Whether events spell an origin so: without a path, a default port, capitals and letters beyond ASCII. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return text === "*" || text === "null";
  const { origin, protocol, host } = new URL(text);
  // The standard gives no origin to URLs of other schemes, such as those of browser extensions.
  return text === (origin === "null" ? `${protocol}//${host}` : origin);
}
