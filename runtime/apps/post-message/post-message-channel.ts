import { type Channel, McpError, type Receiver } from "@mcpgen/runtime";
import { checkOptions, gone, invalid, type Rules } from "@mcpgen/base";
import { messageText } from "./message-text.js";

/** A window, a `MessagePort`, a `Worker`, or the global object of a worker. */
export interface MessageTarget {
  postMessage(message: unknown): void;
}

/** The members of a window or port that the channel uses. Any origin may use these members of a window. */
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
  /** Origin of a window, such as `https://host.example`; `null` for a sandboxed frame; `*` for any. Ports have none. */
  readonly origin?: string;
}

/** Maximum length of a message's JSON text in UTF-16 units; a longer message is dropped. */
const limit = 10 * 1024 * 1024;

const rules: Rules<PostMessageOptions, "limit"> = {
  origin: (value) => (isOrigin(String(value)) ? undefined : 'an origin, "null" or "*"'),
  limit: gone("Leave it out: a message with more than 10 Mi characters is dropped."),
};

/**
 * Makes a channel over `postMessage`; each message is one object. Accepts messages only from `target` and its origin.
 * Ignores values that are not JSON-RPC messages, because other programs use the same event. `close` removes the listeners,
 * and closes a port.
 *
 * @param target the other side: `window.parent`, the `contentWindow` of a frame, a port or a worker
 * @throws {McpError} `invalid-definition`: an option is wrong, a window has no `origin`, or there is no target
 */
export function postMessageChannel(target: MessageTarget, options: PostMessageOptions = {}): Channel {
  checkOptions(options, rules, "postMessageChannel: ");
  const { origin } = options;
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

/** Whether a text has the form of `event.origin`: no path, default port, capitals or letters beyond ASCII. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return text === "*" || text === "null";
  const { origin, protocol, host } = new URL(text);
  // For other schemes, such as those of browser extensions, the URL standard defines no origin.
  return text === (origin === "null" ? `${protocol}//${host}` : origin);
}
