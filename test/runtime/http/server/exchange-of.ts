import type { EventSink, Exchange } from "../../../../runtime/core/http/server/exchange.js";
import { HttpCounts } from "../../../../runtime/core/http/server/http-stats.js";
import { Hooks } from "../../../../runtime/core/protocol/hooks.js";
import type { BodyReading } from "../../../../runtime/core/http/server/endpoint.js";

/** Counts of no endpoint. */
export function noCounts(): HttpCounts {
  return new HttpCounts(new Hooks());
}

/** An exchange that does not depend on a platform. */
export function exchangeOf(
  method: string,
  headers: Readonly<Record<string, string>>,
  body = "",
  counts = noCounts(),
): Exchange & {
  gone(): void;
  status: number;
  session: string | undefined;
  written: string;
  body: string;
  ended: boolean;
} {
  const listeners: (() => void)[] = [];
  const found = {
    method,
    url: "/mcp",
    path: "/mcp",
    href: "http://localhost/mcp",
    status: 0,
    written: "",
    body: "",
    ended: false,
    session: undefined as string | undefined,
    header: (name: string) => (name === "host" ? "localhost" : headers[name]),
    size: 0,
    principal: "",
    counts,
    readBody(reading: BodyReading, done: (text: string | undefined) => void): void {
      done(reading.take(new TextEncoder().encode(body)) ? body : undefined);
    },
    reply(status: number, given: Readonly<Record<string, string>>, text = ""): void {
      found.status = status;
      found.body = text;
      found.session = given["mcp-session-id"];
    },
    webRequest: (url: string) => new Request(url, { method, headers }),
    respond: ({ status }: Response): void => void (found.status = status),
    openStream(status: number): EventSink {
      found.status = status;
      return { write: (text) => (found.written += text) !== "", end: () => void (found.ended = true) };
    },
    onGone: (listener: () => void) => void listeners.push(listener),
    gone: () => listeners.splice(0).forEach((listener) => listener()),
  };
  return found;
}
