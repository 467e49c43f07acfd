// Node's modules are not imported statically, because other platforms also load this module.
import type * as http from "node:http";
import type * as https from "node:https";
import type * as stream from "node:stream";
import type * as zlib from "node:zlib";
import type { HttpRequest, PlainResponse, Reach, Take } from "./http-response.js";

interface Modules {
  readonly http: typeof http;
  readonly https: typeof https;
  readonly stream: typeof stream;
  readonly zlib: typeof zlib;
}

type Load = <Name extends keyof Modules>(name: Name) => Modules[Name];

/**
 * Milliseconds that an unused connection is kept. Many servers close it after five seconds without announcing that, so
 * a longer time would lose requests that are just being sent.
 */
const idleMs = 4000;

/** Milliseconds between TCP keep-alive probes, without which routers drop a quiet connection. */
const tcpKeepAliveMs = 60_000;

/** Maximum number of content codings of one body that are decoded. */
const mostCodings = 5;

/**
 * Ports that `fetch` blocks (Fetch, 2.9), because other services than HTTP listen there. They are blocked on every
 * platform.
 */
const badPorts: ReadonlySet<string> = new Set(
  (
    "0 1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 " +
    "137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 1719 " +
    "1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080"
  ).split(" "),
);

/**
 * Requests over `node:http` and `node:https`; `undefined` on other platforms. Undici's `fetch`, which Node has, ends an
 * exchange after 300 seconds without a byte, and takes three times the CPU time. Certificates are checked like in
 * `fetch`.
 */
export function nodeRequest(): Reach | undefined {
  const { process } = globalThis as { process?: Partial<NodeJS.Process> };
  if (process?.versions?.["undici"] === undefined || !process.getBuiltinModule) return undefined;
  const load: Load = (name) => process.getBuiltinModule!(`node:${name}`) as never;
  let target: Target | undefined;
  return (url, request, headers) => {
    if (target?.text !== url) target = new Target(url);
    return send(load, target, request, headers);
  };
}

/** The agents of this process, keyed by the program's agent whose settings they copy. */
const agents = new WeakMap<http.Agent, http.Agent>();

/**
 * A copy of the program's agent with another timeout for unused connections, so that its certificates and proxy apply.
 * An agent of another class is used unchanged.
 */
function agentOf({ Agent, globalAgent }: typeof http | typeof https): http.Agent {
  if (globalAgent.constructor !== Agent) return globalAgent;
  let agent = agents.get(globalAgent);
  if (!agent) {
    const { options } = globalAgent as unknown as { readonly options: http.AgentOptions };
    agent = new Agent({ ...options, keepAlive: true, keepAliveMsecs: tcpKeepAliveMs, timeout: idleMs });
    agents.set(globalAgent, agent);
  }
  return agent;
}

/** The target of requests. The URL of a server is parsed once, not for each request. */
class Target {
  readonly text: string;
  readonly isSecure: boolean;
  readonly isBlocked: boolean;
  readonly options: http.RequestOptions;

  constructor(text: string) {
    const { protocol, hostname, port, pathname, search } = new URL(text);
    this.text = text;
    this.isBlocked = badPorts.has(port);
    this.isSecure = protocol === "https:";
    // Only URLs have brackets around an IPv6 address.
    this.options = { protocol, hostname: hostname.replace(/^\[|\]$/g, ""), port, path: pathname + search };
  }
}

function send(
  load: Load,
  { isSecure, isBlocked, options }: Target,
  request: HttpRequest,
  headers: Record<string, string>,
): Promise<PlainResponse> {
  if (isBlocked) return Promise.reject(new TypeError("bad port"));
  const node = load(isSecure ? "https" : "http");
  // The same headers as `fetch`, without `deflate`, which servers understand in two ways.
  const all = { "user-agent": "node", "accept-encoding": isSecure ? "br, gzip" : "gzip", ...headers };
  return new Promise((resolve, reject) => {
    const whole = { method: request.method, headers: all, agent: agentOf(node), ...options };
    const sent = node.request(whole, (message) => resolve(new NodeResponse(load, message)));
    // Passing a signal to `node:http` would cost four times as much.
    const ignore = whenAborted(request, () => sent.destroy(new Error("The operation was aborted")));
    sent.on("close", ignore);
    // Once there is a response, its body reports errors.
    sent.on("error", reject);
    sent.end(request.body);
  });
}

function whenAborted(request: HttpRequest, callback: () => void): () => void {
  if (request.onAbort) return request.onAbort(callback);
  const { signal } = request;
  if (signal.aborted) callback();
  signal.addEventListener("abort", callback);
  return () => signal.removeEventListener("abort", callback);
}

/** The response to a request of `node:http`. */
class NodeResponse implements PlainResponse {
  readonly status: number;
  readonly ok: boolean;
  readonly body = this;
  readonly #load: Load;
  readonly #message: http.IncomingMessage;

  constructor(load: Load, message: http.IncomingMessage) {
    this.#load = load;
    this.#message = message;
    this.status = message.statusCode!;
    this.ok = this.status >= 200 && this.status < 300;
    // Before the body is read, its errors have no other listener.
    message.on("error", () => {});
  }

  get(name: string): string | null {
    const value = this.#message.headers[name];
    return value === undefined ? null : String(value);
  }

  get headers(): Headers {
    const { rawHeaders } = this.#message;
    const headers = new Headers();
    for (let index = 0; index < rawHeaders.length; index += 2)
      headers.append(rawHeaders[index]!, rawHeaders[index + 1]!);
    return headers;
  }

  /** Drops the body. Its connection is used again if the body has arrived. */
  async cancel(): Promise<void> {
    if (this.#message.complete) this.#message.resume();
    else this.#message.destroy();
  }

  /** Passes the decoded chunks. After an error, the connection is closed. */
  pump(take: Take): Promise<void> {
    const message = this.#message;
    return new Promise((resolve, reject) => {
      const fail = (error: unknown): void => {
        message.destroy();
        reject(error as Error);
      };
      if (message.destroyed) return fail(message.errored ?? closed());
      const body = this.#decoded();
      body.on("data", (chunk: Uint8Array) => {
        try {
          const busy = take(chunk);
          if (!busy) return;
          body.pause();
          busy.then(() => body.resume(), fail);
        } catch (error) {
          fail(error);
        }
      });
      body.on("end", resolve);
      body.on("error", fail);
      body.on("close", () => body.readableEnded || fail(closed()));
    });
  }

  /** The body without its content codings. Parts of a stream are passed on as they arrive. */
  #decoded(): stream.Readable {
    const codings = this.get("content-encoding")?.toLowerCase().split(/ *, */);
    if (!codings) return this.#message;
    const decoders = codings.reverse().map((coding) => decoderOf(this.#load("zlib"), coding));
    const known = decoders.filter((decoder) => decoder !== undefined);
    // Like `fetch`, passes on a body that it cannot decode.
    if (known.length < decoders.length || known.length > mostCodings) return this.#message;
    const { pipeline } = this.#load("stream");
    // With `pipeline`, an error of one stream closes all of them.
    return known.reduce<stream.Readable>((body, decoder) => pipeline(body, decoder, () => {}), this.#message);
  }
}

function closed(): Error {
  return new Error("the connection was closed");
}

function decoderOf(zlib: Modules["zlib"], coding: string): stream.Transform | undefined {
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const flush = { flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH };
  switch (coding) {
    case "gzip":
    case "x-gzip":
      return zlib.createGunzip(flush);
    case "deflate":
      return zlib.createInflate(flush);
    case "br":
      return zlib.createBrotliDecompress({
        flush: BROTLI_OPERATION_FLUSH,
        finishFlush: BROTLI_OPERATION_FLUSH,
      });
    default:
      return undefined;
  }
}
