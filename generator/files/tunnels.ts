import http from "node:http";
import https from "node:https";
import { type Socket, isIP } from "node:net";
import { type Duplex, Readable } from "node:stream";
import tls from "node:tls";
import { loginOf } from "../secrets/secrets.js";

/** The proxies of an environment, and the hosts reached without one. */
export interface Proxies {
  /** The proxy for a URL; `undefined` if none is used. */
  for(url: URL): URL | undefined;
}

/** How long an unused connection is kept, in milliseconds. */
const idleMs = 4000;

/** Time limit for a proxy to open a tunnel, in milliseconds. */
const tunnelTimeout = 10_000;

let used: Proxies | undefined;

/**
 * Sends all requests of `node:http` and `node:https` in this process through tunnels of the proxies (CONNECT;
 * RFC 9110, 9.3.6). Certificates are those of the target servers.
 */
export function useTunnels(proxies: Proxies): void {
  used = proxies;
  if (!(http.globalAgent instanceof PlainTunnels)) {
    http.globalAgent = new PlainTunnels({ keepAlive: true, timeout: idleMs });
    https.globalAgent = new SecureTunnels({ keepAlive: true, timeout: idleMs });
  }
}

/**
 * Error of a tunnel that was not opened. It has no `cause`, which would be printed instead and blame the
 * server.
 */
class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** Shows callers that nothing was sent to the server. */
  readonly syscall = "connect";
}

type Options = http.ClientRequestArgs & tls.ConnectionOptions;
type Connected = (error: Error | null, socket: Duplex) => void;

class PlainTunnels extends http.Agent {
  override createConnection(options: Options, connected?: Connected): Duplex | null | undefined {
    const { proxy, host } = wayTo("http:", options);
    if (!proxy) return super.createConnection(options, connected);
    tunnel(proxy, host, connected!);
    // The agent receives the connection through the callback.
    return undefined;
  }
}

class SecureTunnels extends https.Agent {
  override createConnection(options: Options, connected?: Connected): Duplex | null | undefined {
    const { proxy, host } = wayTo("https:", options);
    if (!proxy) return super.createConnection(options as https.RequestOptions, connected);
    tunnel(proxy, host, (error, socket) => {
      if (error) return connected!(error, socket);
      connected!(null, tls.connect({ ...options, socket }));
    });
    return undefined;
  }
}

/** Host and port of a connection, and its proxy. */
function wayTo(
  protocol: string,
  { host, port }: Options,
): { readonly host: string; readonly proxy: URL | undefined } {
  const name = String(host).includes(":") ? `[${host}]` : String(host);
  return { host: `${name}:${port}`, proxy: used!.for(new URL(`${protocol}//${name}:${port}`)) };
}

/**
 * Opens a tunnel. The proxy's credentials are sent only in the request that opens it.
 *
 * @param to HOST:PORT
 */
function tunnel(proxy: URL, to: string, connected: Connected): void {
  const isSecure = proxy.protocol === "https:";
  const host = proxy.hostname.replace(/^\[|\]$/g, "");
  const login = loginOf(proxy);
  const node = (isSecure ? https : http) as typeof https;
  const request = node.request({
    host,
    port: proxy.port || (isSecure ? 443 : 80),
    // Without it, Node would expect the certificate for the `host` header.
    servername: isIP(host) ? "" : host,
    method: "CONNECT",
    path: to,
    // Reach the proxy directly. `false` would create an agent of the global agent's class.
    agent: new node.Agent(),
    headers: {
      host: to,
      ...(login !== undefined && {
        "proxy-authorization": `Basic ${Buffer.from(login).toString("base64")}`,
      }),
    },
  });
  const failed = (why: string): void =>
    connected(new ProxyError(`the proxy ${proxy.host} ${why}`), undefined as never);
  const late = setTimeout(() => request.destroy(new Error("it does not answer")), tunnelTimeout);
  request.on("close", () => clearTimeout(late));
  request.on("connect", ({ statusCode = 0 }, socket: Socket, head) => {
    if (statusCode >= 200 && statusCode < 300) {
      if (head.length > 0) socket.unshift(head);
      return connected(null, socket);
    }
    socket.destroy();
    failed(`answered ${statusCode}${statusCode === 407 ? ": it asks for a name and a password" : ""}`);
  });
  // If several addresses failed, the error has only a code.
  request.on("error", (error: NodeJS.ErrnoException) =>
    failed(`cannot be used: ${error.message || error.code}`),
  );
  request.end();
}

/** A `fetch` based on `node:http`. Does not follow redirects. */
export const nodeFetch: typeof fetch = async (to, init) => {
  // `Request` parses all forms of headers and bodies.
  const request = new Request(to, init);
  const { method, redirect, url } = request;
  const body = Buffer.from(await request.arrayBuffer());
  const headers = { ...Object.fromEntries(request.headers), "accept-encoding": "identity" };
  const signal = init?.signal ?? undefined;
  signal?.throwIfAborted();
  return new Promise((resolve, reject) => {
    const options = { method, headers, ...(signal && { signal }) };
    const sent = (url.startsWith("https:") ? https : http).request(url, options, (message) => {
      try {
        resolve(responseOf(message, redirect));
      } catch (error) {
        message.destroy();
        reject(error as Error);
      }
    });
    sent.on("error", reject);
    // While the tunnel is opened, the request has no socket that could report an abort.
    const abort = (): void => reject(signal!.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    sent.on("close", () => signal?.removeEventListener("abort", abort));
    sent.end(body);
  });
};

/** @throws {Error} for a redirect in mode "error", or an invalid status */
function responseOf(message: http.IncomingMessage, redirect: Request["redirect"]): Response {
  const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
  if (redirect === "error" && status >= 300 && status < 400) throw new TypeError("unexpected redirect");
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2) headers.append(rawHeaders[at]!, rawHeaders[at + 1]!);
  const isEmpty = [204, 205, 304].includes(status);
  const body = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
  const response = new Response(body, { status, statusText, headers });
  if (isEmpty) message.resume();
  return response;
}
