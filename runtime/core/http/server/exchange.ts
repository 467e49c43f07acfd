import { McpError, type Params, type platform } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { HttpRequest } from "../../server/connection.js";
import type { HttpCounts } from "./http-stats.js";
import type { BodyReading } from "./endpoint.js";

/** Bytes of an event stream that may wait for its reader. One more message then closes the connection. */
export const maxWaitingBytes = 8 * 1_048_576;

/** Headers of a JSON body. */
export const jsonHeaders: Readonly<Record<string, string>> = { "content-type": "application/json" };

/** The status with which `rateLimit` refuses a request (RFC 6585, 4). */
export const tooManyRequests = 429;

/** The headers of the response with which `rateLimit` refuses a request. @param text the body of the response */
export function retryHeaders(text: string): Readonly<Record<string, string>> {
  const { error } = JSON.parse(text) as { error: { data?: { retryAfterMs?: number } } };
  const seconds = Math.max(1, Math.ceil((error.data?.retryAfterMs ?? 1000) / 1000));
  return { ...jsonHeaders, "retry-after": String(seconds) };
}

/** An open event stream, the body of a response. */
export interface EventSink {
  /** Writes the text of events at once. Returns `false` if the client has disconnected. */
  write(text: string): boolean;
  end(): void;
}

/**
 * The authenticated caller. `principal` names the owner of sessions and state. `auth` needs a `principal`: otherwise,
 * anyone who knows a session's id could use the session.
 */
export type Principal =
  | {
      /** Handlers read it as `context.auth`. It belongs to one request. */
      readonly auth: unknown;
      /** Never empty. */
      readonly principal: string;
    }
  | { readonly auth?: undefined; readonly principal?: string };

/** The answer of `authenticate` that rejects a request before its body is read. */
export interface Denial {
  /** From 200 to 599. */
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly text?: string;
}

/** One request of a POST, for `permit`. */
export interface PermitCall {
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource or template. */
  readonly name?: string;
  /** The unchecked params of the client. */
  readonly params: Params;
  /** The scopes of the tool, prompt, resource or template, by its definition. */
  readonly scopes: readonly string[];
}

/**
 * One HTTP request and its response, independent of the platform. The transport uses only this interface.
 */
export interface Exchange {
  /** In upper case. */
  readonly method: string;
  /** The request target as the client sent it: path and query, or a whole URL. */
  readonly url: string;
  /** The path of `url`. */
  readonly path: string;
  /** The whole URL of the request, by its `Host`. */
  readonly href: string;
  /** The network address of the other end, where the platform knows it. */
  readonly address?: string | undefined;
  /** Value of a header; several values are joined by commas. @param name in lower case */
  header(name: string): string | undefined;
  /**
   * Reads the whole body as UTF-8.
   *
   * @param reading keeps the arriving bytes; when it rejects some, reading stops
   * @param done receives the text, `undefined` if `reading` rejected bytes, or `null` if the bytes are not UTF-8; not called
   *   if the client disconnects first
   * @param gone called if the client disconnects; a call after `done` has no effect
   * @throws {McpError} `invalid-definition`: other code has already consumed the body
   */
  readBody(reading: BodyReading, done: (text: string | undefined | null) => void, gone: () => void): void;
  /** The `Origin` of the page that calls; set before anything is answered. */
  origin?: string | undefined;
  /** Counts of the endpoint. */
  readonly counts: HttpCounts;
  /** The headers for handlers; set if there is the option `contextHeaders`. */
  passed?: Readonly<Record<string, string>>;
  /** Asks the option `permit` about an earlier call; set if there is the option. */
  permits?: NonNullable<HttpRequest["permits"]>;
  /** The calls that `permit` has decided about; set if there is the option. */
  calls?: readonly PermitCall[];
  /** The denial of `permits`, which answers the request instead of an error. */
  denial?: Denial;
  /** Characters of the body; set after the body is read. */
  size: number;
  /** The principal that `authenticate` returned; empty without one. */
  principal: string;
  /** Sends a complete response. */
  reply(status: number, headers: Readonly<Record<string, string>>, text?: string): void;
  /** The request for a route of the application, as a web object. */
  webRequest(url: string, body: string | undefined): platform.Request;
  /** Sends the response of a route. */
  respond(response: platform.Response): void | Promise<void>;
  /** Sends the headers and returns a stream for the body. */
  openStream(status: number, headers: Readonly<Record<string, string>>): EventSink;
  /** Calls `listener` once if the client disconnects before the response is complete. */
  onGone(listener: () => void): void;
}

/** @param advice how to fix it, as an imperative sentence */
export function alreadyRead(advice: string): McpError {
  return new McpError("invalid-definition", `the body was read before it came here; ${advice}`, {
    rpcCode: rpc.internalError,
  });
}

/** The headers with these names, in lower case. */
export function headersNamed(exchange: Exchange, names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const lower = name.toLowerCase();
      const value: unknown = exchange.header(lower);
      // Node also finds members of Object.prototype.
      return typeof value === "string" ? [[lower, value] as const] : [];
    }),
  );
}

/** Base for relative request targets. The host does not matter. */
const base = "http://localhost";

/** A path without the slash at its end. Hosts copy `/mcp/` from servers that need the slash. */
export function unslashed(path: string): string {
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

/** Parses a request target: a path with query, or a whole URL. */
export function parseTarget(url: string): platform.URL | undefined {
  return URL.canParse(url, base) ? new URL(url, base) : undefined;
}
