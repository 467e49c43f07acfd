import {
  type ErrorObject,
  interrupted,
  isObject,
  isResponse,
  isSameId,
  McpError,
  messageOf,
  type platform,
  type RequestId,
  type ResponseMessage,
  shortened,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";

/** One HTTP request. */
export interface HttpRequest {
  readonly method: "POST" | "GET" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  readonly signal: platform.AbortSignal;
  /**
   * Calls `callback` when the signal aborts or has aborted, without creating the signal. Returns a function that
   * removes the callback.
   */
  onAbort?(callback: () => void): () => void;
  /** The URL, if it differs from the URL of the server. */
  readonly to?: string;
  /** The revision, if no header names it. */
  readonly revision?: string | undefined;
  /** Called with the authorization of the request for each attempt. */
  readonly authorized?: ((authorization: string | undefined) => void) | undefined;
}

/** Sends a request with these headers. Redirects are not followed. */
export type Reach = (
  url: string,
  request: HttpRequest,
  headers: Record<string, string>,
) => Promise<HttpResponse>;

/** Takes a chunk of a body. If it returns a promise, reading waits for it. */
export type Take = (chunk: Uint8Array) => void | Promise<void>;

/** A response without web streams, which would cost more than the rest of the request. */
export interface PlainResponse {
  readonly status: number;
  readonly ok: boolean;
  /** Headers for the application; `get` is faster. */
  readonly headers: platform.Headers;
  readonly body: { cancel(): Promise<void> };
  /** @param name in lower case */
  get(name: string): string | null;
  /** Like the function `pump`. */
  pump(take: Take): Promise<void>;
}

/** The response to an HTTP request. */
export type HttpResponse = platform.Response | PlainResponse;

/** @param name in lower case */
export function headerOf(response: HttpResponse, name: string): string | null {
  return "pump" in response ? response.get(name) : response.headers.get(name);
}

/** The media type of a response, without parameters, in lower case. */
export function mediaType(response: HttpResponse): string {
  const type = headerOf(response, "content-type") ?? "";
  const end = type.indexOf(";");
  return (end < 0 ? type : type.slice(0, end)).trim().toLowerCase();
}

/**
 * Passes the chunks of a body to `take`.
 *
 * @throws {Error} the error of `take`, or of the connection; reading stops
 */
export function pump(response: HttpResponse, take: Take): Promise<void> {
  return "pump" in response ? response.pump(take) : read(response, take);
}

async function read(response: platform.Response, take: Take): Promise<void> {
  const body = response.body?.getReader();
  if (!body) return;
  try {
    for (;;) {
      const chunk = await body.read();
      if (chunk.done) return;
      const busy = take(chunk.value);
      if (busy) await busy;
    }
  } catch (error) {
    await body.cancel().catch(() => undefined);
    throw error;
  }
}

/** Bytes of one message of the server: 10 MiB. */
export const defaultLimit = 10 * 1_048_576;

export function tooLong(limit: number): McpError {
  return new McpError("message-too-long", `a message of the server was longer than ${limit} bytes`);
}

/**
 * The text of a body, in UTF-8.
 *
 * @throws {McpError} `message-too-long`: the body has more bytes than `limit`
 */
export function textWithin(response: HttpResponse, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const take = (chunk: Uint8Array): void => {
    length += chunk.length;
    if (length > limit) throw tooLong(limit);
    chunks.push(chunk);
  };
  return pump(response, take).then(() =>
    utf8.decode(chunks.length === 1 ? chunks[0] : joined(chunks, length)),
  );
}

/** Only for whole texts: decoding in parts costs more. */
const utf8 = new TextDecoder();

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array {
  const whole = new Uint8Array(length);
  let used = 0;
  for (const chunk of chunks) {
    whole.set(chunk, used);
    used += chunk.length;
  }
  return whole;
}

/** For these statuses, an error in the body that answers no request is ignored: the status is more precise. */
const decidedByStatus: ReadonlySet<number> = new Set([401, 429, 503]);

/**
 * The text of an answer.
 *
 * @throws {McpError} `message-too-long`, `connection-closed`
 */
export async function bodyOf(response: HttpResponse, limit: number): Promise<string> {
  try {
    return await textWithin(response, limit);
  } catch (error) {
    throw error instanceof McpError ? error : interrupted(`the answer broke off: ${messageOf(error)}`, error);
  }
}

/**
 * The parsed message or batch with which a body answers the request `id`. A response with another id or without one is
 * also an answer, because the exchange identifies the request. An HTTP response that is not OK is parsed whatever its
 * type is (2026-07-28, Streamable HTTP, backward compatibility).
 *
 * @throws {McpError} `connection-closed`: the body is not an answer; `data` has the body
 */
export function answerIn(response: HttpResponse, type: string, text: string, id: RequestId): unknown {
  const { ok, status } = response;
  const isRead = type === "application/json" || !ok;
  const body = parsed(text);
  const messages = listed(body);
  const answering = messages.some(
    (each) => answers(each, id, ok) || (!decidedByStatus.has(status) && isAnswer(each, ok)),
  );
  if (answering && isRead) return body;
  const wrongType = `, with the content type ${shortened(JSON.stringify(type), 80)} in place of application/json or text/event-stream`;
  throw refusal(response, text, !ok ? "" : isRead ? ", and not the request" : wrongType);
}

/**
 * The messages with which a body answers the requests of a batch. An error without an id answers all of them.
 *
 * @throws {McpError} `connection-closed`: the body does not answer them; `data` has the body
 */
export function answersIn(response: HttpResponse, text: string, ids: readonly RequestId[]): unknown {
  const { ok } = response;
  const body = parsed(text);
  const messages = listed(body);
  if (messages.some((each) => ids.some((id) => answers(each, id, ok)))) return body;
  const error = decidedByStatus.has(response.status) ? undefined : strayError(messages);
  if (error) return ids.map((id): ResponseMessage => ({ jsonrpc: "2.0", id, error }));
  throw refusal(response, text, ok ? ", and not the batch" : "");
}

/** The last message of a stream if it is a response, whatever its id is: it then answers the request of the stream. */
export function strayAnswerIn(text: string): unknown {
  return listed(parsed(text)).find((each) => isAnswer(each, true));
}

/** The code of the JSON-RPC error in a body. */
export function errorCodeOf(text: string): number | undefined {
  const message = parsed(text);
  const error = isObject(message) ? message["error"] : undefined;
  return isObject(error) && typeof error["code"] === "number" ? error["code"] : undefined;
}

/** Whether a 404 means that the session is gone: its body is not an error of the method. */
export function isSessionLost(text: string, id: RequestId): boolean {
  const message = parsed(text);
  if (!isObject(message) || !isObject(message["error"]) || !isSameId(message["id"], id)) return true;
  return errorCodeOf(text) !== rpc.methodNotFound;
}

/** Revision 2025-03-26 has batches of answers. */
function listed(body: unknown): readonly unknown[] {
  return Array.isArray(body) ? body : [body];
}

function answers(message: unknown, id: RequestId, ok: boolean): boolean {
  if (!isObject(message) || !isSameId(message["id"], id) || typeof message["method"] === "string")
    return false;
  return ok || isError(message["error"]);
}

/** Whether a message is a response, whatever its id is. */
function isAnswer(message: unknown, ok: boolean): message is ResponseMessage {
  if (!isResponse(message) || message.jsonrpc !== "2.0") return false;
  return isError(message.error) || (ok && isObject(message.result));
}

function strayError(messages: readonly unknown[]): ErrorObject | undefined {
  return messages.find((each) => isAnswer(each, false))?.error;
}

function isError(value: unknown): value is ErrorObject {
  return isObject(value) && typeof value["code"] === "number";
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The error of a response without an answer. Its `data` has `status` and `body`, and if the server sent them
 * `challenge` (`WWW-Authenticate`), `retryAfterMs` and `location`.
 */
export function refusal(response: HttpResponse, body: string, to = ""): McpError {
  const { status } = response;
  const details = detailsOf(response);
  const what = body === "" ? "" : `: ${shortened(body, 200)}`;
  return new McpError(
    "connection-closed",
    `the server answered ${status}${to}${adviceFor(status, details)}${what}`,
    {
      data: { status, body: body.slice(0, 1000), ...details },
    },
  );
}

/** The headers that explain a refusal. */
interface RefusalDetails {
  readonly challenge?: string;
  readonly retryAfterMs?: number;
  readonly location?: string;
}

function detailsOf(response: HttpResponse): RefusalDetails {
  const challenge = headerOf(response, "www-authenticate");
  const retryAfterMs = retryAfter(headerOf(response, "retry-after"));
  const location = headerOf(response, "location");
  return {
    ...(challenge === null ? {} : { challenge }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(location === null ? {} : { location }),
  };
}

/** The milliseconds of `Retry-After` (RFC 9110, 10.2.3), which is a number of seconds or a date. */
export function retryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function adviceFor(status: number, { challenge, retryAfterMs, location }: RefusalDetails): string {
  if (status === 401)
    return ` (give http.headers or http.authorize${challenge === undefined ? "" : `; asked for: ${challenge.slice(0, 200)}`})`;
  if (status >= 300 && status < 400 && location !== undefined)
    return ` and points to ${location.slice(0, 200)}; 307 and 308 on the same origin alone are followed, five in a row`;
  return retryAfterMs === undefined ? "" : ` (it may be asked again in ${retryAfterMs} ms)`;
}

/** The server has forgotten the session and did not take the request. */
export function sessionLost(): McpError {
  return new McpError("session-lost", "the server has forgotten the session");
}

export function connectionClosed(): McpError {
  return new McpError("connection-closed", "the connection is closed");
}
