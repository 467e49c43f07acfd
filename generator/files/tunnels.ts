import http from "node:http";
import https from "node:https";
import { type Socket, isIP } from "node:net";
import { type Duplex, Readable } from "node:stream";
import tls from "node:tls";
import { loginOf } from "../secrets/secrets.js";

/** The proxies of an environment, and the hosts that are reached without them. */
export interface Proxies {
  /** The proxy for a URL; `undefined` if it is reached without one. */
  for(url: URL): URL | undefined;
}

/** Milliseconds that an unused connection is kept. */
const idleMs = 4000;

/** Milliseconds that a proxy may take to open a tunnel. */
const tunnelTimeout = 10_000;

let used: Proxies | undefined;

/**
 * Sends the requests of `node:http` and `node:https` in this process by tunnels through the proxies (CONNECT; RFC 9110, 9.3.6). The
 * certificates are those of the servers.
 */
export function useTunnels(proxies: Proxies): void {
  used = proxies;
  if (!(http.globalAgent instanceof PlainTunnels)) {
    http.globalAgent = new PlainTunnels({ keepAlive: true, timeout: idleMs });
    https.globalAgent = new SecureTunnels({ keepAlive: true, timeout: idleMs });
  }
}

/** A tunnel that was not opened. It has no cause: that would be shown in its place, and names the server as if it were there. */
class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** Nothing was sent to the server. */
  readonly syscall = "connect";
}

type Options = http.ClientRequestArgs & tls.ConnectionOptions;
type Connected = (error: Error | null, socket: Duplex) => void;

class PlainTunnels extends http.Agent {
  override createConnection(options: Options, connected?: Connected): Duplex | null | undefined {
    const { proxy, host } = wayTo("http:", options);
    if (!proxy) return super.createConnection(options, connected);
    tunnel(proxy, host, connected!);
    // The agent gets the connection by the callback.
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

/** The host and port of a connection, and the proxy for it. */
function wayTo(
  protocol: string,
  { host, port }: Options,
): { readonly host: string; readonly proxy: URL | undefined } {
  const name = String(host).includes(":") ? `[${host}]` : String(host);
  return { host: `${name}:${port}`, proxy: used!.for(new URL(`${protocol}//${name}:${port}`)) };
}

/**
 * Opens a tunnel. The login of the proxy goes to it alone: in the request that opens the tunnel.
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
    // Without it, the header `host` would say whose certificate is expected.
    servername: isIP(host) ? "" : host,
    method: "CONNECT",
    path: to,
    // The proxy itself is reached without a proxy; `false` would make an agent of the global one's class.
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
  // Where several addresses failed, there is a code alone.
  request.on("error", (error: NodeJS.ErrnoException) =>
    failed(`cannot be used: ${error.message || error.code}`),
  );
  request.end();
}

/** `fetch` over `node:http`; redirects are not followed. */
export const nodeFetch: typeof fetch = async (to, init) => {
  // It reads all forms of headers and bodies.
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
    // While a tunnel is opened, the request has no socket whose end it could report.
    const abort = (): void => reject(signal!.reason as Error);
    signal?.addEventListener("abort", abort, { once: true });
    sent.on("close", () => signal?.removeEventListener("abort", abort));
    sent.end(body);
  });
};

/** @throws {Error} a redirect that counts as an error, or a status that is none */
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
