import http from "node:http";
import https from "node:https";
import type { Socket } from "node:net";
import { type Duplex, Readable } from "node:stream";
import tls from "node:tls";
import type { Proxies } from "./proxies.js";

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

/** @param to HOST:PORT */
function tunnel(proxy: URL, to: string, connected: Connected): void {
  const isSecure = proxy.protocol === "https:";
  const login = [proxy.username, proxy.password].map(decodeURIComponent).join(":");
  const authorization = `Basic ${Buffer.from(login).toString("base64")}`;
  const request = (isSecure ? https : http).request({
    host: proxy.hostname.replace(/^\[|\]$/g, ""),
    port: proxy.port || (isSecure ? 443 : 80),
    method: "CONNECT",
    path: to,
    // The proxy itself is reached without a proxy; `false` would make an agent of the global one's class.
    agent: new (isSecure ? https : http).Agent(),
    timeout: tunnelTimeout,
    headers: { host: to, ...(login !== ":" && { "proxy-authorization": authorization }) },
  });
  const failed = (why: string, cause?: Error): void => {
    const error = new Error(`the proxy ${proxy.host} ${why}`, { cause });
    connected(Object.assign(error, { syscall: "connect" }), undefined as never);
  };
  request.on("connect", ({ statusCode = 0 }, socket: Socket) => {
    socket.setTimeout(0);
    if (statusCode >= 200 && statusCode < 300) return connected(null, socket);
    socket.destroy();
    failed(`answered ${statusCode}`);
  });
  request.on("timeout", () => request.destroy(new Error("it does not answer")));
  request.on("error", (error) => failed(`cannot be used: ${error.message}`, error));
  request.end();
}

/** `fetch` over `node:http`; redirects are not followed. */
export const nodeFetch: typeof fetch = (to, init = {}) => {
  const url = new URL(to as string | URL);
  const headers = { ...Object.fromEntries(new Headers(init.headers)), "accept-encoding": "identity" };
  const { method = "GET", body, signal } = init;
  return new Promise((resolve, reject) => {
    const options = { method, headers, ...(signal && { signal }) };
    const sent = (url.protocol === "https:" ? https : http).request(url, options, (message) => {
      const { statusCode: status = 0, statusMessage: statusText = "", rawHeaders } = message;
      const received = new Headers();
      for (let at = 0; at < rawHeaders.length; at += 2) received.append(rawHeaders[at]!, rawHeaders[at + 1]!);
      const isEmpty = [204, 205, 304].includes(status);
      if (isEmpty) message.resume();
      const content = isEmpty ? null : (Readable.toWeb(message) as ReadableStream<Uint8Array>);
      resolve(new Response(content, { status, statusText, headers: received }));
    });
    sent.on("error", reject);
    // While a tunnel is opened, the request has no socket whose end it could report.
    signal?.addEventListener("abort", () => reject(signal.reason as Error));
    signal?.throwIfAborted();
    sent.end(typeof body === "string" ? body : undefined);
  });
};
