import { abortable, interrupted, isInterrupted, McpError, messageOf } from "@mcpgen/base";
import type { LegacyHttp, SessionUser } from "../../http/client/http-client.js";
import type { HttpRequests } from "../../http/client/http-requests.js";
import {
  type HttpRequest,
  type HttpResponse,
  connectionClosed,
  mediaType,
  pump,
  refusal,
  sessionLost,
  textWithin,
} from "../../http/client/http-response.js";
import { type ServerEvent, SseReader } from "../../http/client/sse-reader.js";

/** Milliseconds that a server has to send the `endpoint` event. */
const endpointTimeout = 5000;

/** Statuses of GET from a server that does not have HTTP+SSE. */
const noStream: ReadonlySet<number> = new Set([400, 404, 405, 406]);

/**
 * HTTP+SSE (2024-11-05): all messages of the server come on one stream, whose first event, `endpoint`, names the URL for POSTs.
 */
export const openSse: LegacyHttp["openSse"] = async (requests, limit, signal, user, refused) => {
  const own = new AbortController();
  const both = AbortSignal.any([signal, own.signal]);
  const timer = setTimeout(() => own.abort(noEndpoint(`within ${endpointTimeout} ms`)), endpointTimeout);
  try {
    const response = await requests.send({ method: "GET", headers: {}, signal: both });
    const type = mediaType(response);
    if (!response.ok && !noStream.has(response.status))
      throw refusal(response, await textWithin(response, 1000).catch(() => ""), " to GET (HTTP+SSE)");
    if (!response.ok || type !== "text/event-stream") return void (await response.body?.cancel());
    const first = await abortable(both, firstOf(response, limit, both, user), connectionClosed);
    if (first?.event !== "endpoint") throw noEndpoint(first ? "as its first" : "before the end");
    const to = ofSameOrigin(first.data, requests.url);
    return { post: (body, headers, given) => post(requests, { body, headers, signal: given, to }, user) };
  } catch (error) {
    const why: unknown = own.signal.aborted ? own.signal.reason : error;
    own.abort();
    if (isInterrupted(why)) return undefined;
    throw withRefusal(why, refused);
  } finally {
    clearTimeout(timer);
  }
};

/**
 * Posts a message. Its answer comes on the stream.
 *
 * @throws {McpError} `connection-closed`: the server refused it; `session-lost`
 */
async function post(
  requests: HttpRequests,
  message: Omit<HttpRequest, "method">,
  user: SessionUser,
): Promise<void> {
  const response = await requests.send({ method: "POST", ...message });
  if (response.ok) return void (await response.body?.cancel());
  const text = await textWithin(response, 1000).catch(() => "");
  if (response.status !== 404) throw refusal(response, text, " to a message");
  user.forgotten();
  throw sessionLost();
}

/** Adds the earlier answer to the handshake to the error of a stream that cannot be opened. */
function withRefusal(error: unknown, { status, body }: Parameters<LegacyHttp["openSse"]>[4]): unknown {
  if (!(error instanceof McpError)) return error;
  const before = `it answered ${status} to the handshake before${body === "" ? "" : `: ${body.slice(0, 200)}`}`;
  return new McpError(error.code, `${error.message} (${before})`, { data: error.data, cause: error });
}

/** The error for a stream without an endpoint. It has a status, because the server has answered. */
function noEndpoint(when: string): McpError {
  const text = `the server opened the HTTP+SSE stream, but sent no endpoint event ${when}`;
  return new McpError("connection-closed", text, { data: { status: 200 } });
}

/** Reads a stream to its end. Resolves with the first event; `undefined` if there is none. */
function firstOf(
  response: HttpResponse,
  limit: number,
  signal: AbortSignal,
  user: SessionUser,
): Promise<ServerEvent | undefined> {
  return new Promise((resolve) => {
    let first: ServerEvent | undefined;
    const reader = new SseReader((event) => {
      if (first) {
        if (event.event === "message") user.message(event.data);
      } else resolve((first = event));
    }, limit);
    pump(response, (chunk) => {
      reader.push(chunk);
      user.turn();
      return user.room();
    }).then(
      () => over(interrupted("the server ended the stream, which cannot be resumed")),
      (error: unknown) =>
        over(
          error instanceof McpError
            ? error
            : interrupted(`the stream broke, and cannot be resumed: ${messageOf(error)}`, error),
        ),
    );
    const over = (why: McpError): void => {
      resolve(undefined);
      if (first?.event === "endpoint" && !signal.aborted) user.ended(why);
    };
  });
}

/**
 * The URL for messages. It must be on the origin of the server, because messages carry the authorization.
 *
 * @throws {McpError} `invalid-result`
 */
function ofSameOrigin(reference: string, base: string): string {
  const endpoint = URL.canParse(reference, base) ? new URL(reference, base) : undefined;
  const { origin } = new URL(base);
  if (endpoint?.origin === origin) return endpoint.href;
  throw new McpError(
    "invalid-result",
    `the server names ${JSON.stringify(reference)} as its endpoint, which is not on the origin ${origin}`,
  );
}
