import http from "node:http";
import https from "node:https";
import net from "node:net";
import { onTestFinished } from "vitest";
import { cert, key } from "./certificate.js";
import { listen } from "./listen.js";

export interface ConnectProxy {
  /** URL of the proxy, with the user `user` and the password `p@ss-of-proxy`. */
  readonly url: string;
  readonly host: string;
  /** Targets of the tunnels, in order: `HOST:PORT`. */
  readonly asked: string[];
  /** `Proxy-Authorization` of each request for a tunnel. */
  readonly logins: (string | undefined)[];
  /** All header names of requests for tunnels. */
  readonly headers: Set<string>;
  /** Requests for anything else. */
  readonly others: string[];
}

/** The credentials that a client sends to `url` of a proxy. */
export const loginOfProxy = `Basic ${Buffer.from("user:p@ss-of-proxy").toString("base64")}`;

/**
 * Starts an HTTP proxy that opens tunnels (CONNECT) to ports of this machine. Closes it when the test ends.
 *
 * @param portOf returns the port for `HOST:PORT`; `undefined` gives status 502
 * @param isSecure whether clients connect to the proxy by https, with the test certificate
 */
export async function connectProxy(
  portOf: (to: string) => number | undefined,
  isSecure = false,
): Promise<ConnectProxy> {
  const proxy: http.Server = isSecure ? https.createServer({ key, cert }) : http.createServer();
  const found = { asked: [] as string[], logins: [] as (string | undefined)[], others: [] as string[] };
  const headers = new Set<string>();
  proxy.on("request", ({ method, url }, response) => {
    found.others.push(`${method} ${url}`);
    response.writeHead(400).end();
  });
  const sockets = new Set<net.Socket>();
  proxy.on("connect", (request: http.IncomingMessage, socket: net.Socket) => {
    found.asked.push(request.url!);
    found.logins.push(request.headers["proxy-authorization"]);
    for (const name of Object.keys(request.headers)) headers.add(name);
    const port = portOf(request.url!);
    socket.on("error", () => socket.destroy());
    if (port === undefined) return void socket.end("HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n");
    const on = net.connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      on.pipe(socket).pipe(on);
    });
    for (const each of [on, socket]) {
      sockets.add(each);
      each.on("error", () => on.destroy() && socket.destroy());
      each.on("close", () => on.destroy() && socket.destroy());
    }
  });
  const port = await listen(proxy);
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    proxy.closeAllConnections();
    proxy.close();
  });
  const host = `${isSecure ? "localhost" : "127.0.0.1"}:${port}`;
  return { ...found, headers, host, url: `${isSecure ? "https" : "http"}://user:p%40ss-of-proxy@${host}` };
}

/** The environment variables for proxies and exceptions from them. */
export const proxyVariables = ["http_proxy", "https_proxy", "no_proxy"].flatMap((name) => [
  name,
  name.toUpperCase(),
]);
