import { createServer } from "node:http";
import { listenOnLoopback } from "../files/loopback.js";
import type { Variables } from "./program.js";

/** An HTTP proxy on the loopback interface that reaches nothing: it refuses each request and keeps its address. */
export interface RefusingProxy {
  /** Variables that lead a program's requests to the proxy, those to this machine apart. */
  readonly variables: Variables;
  /** `HOST:PORT` of each request, once each, in order. */
  readonly asked: ReadonlySet<string>;
  close(): Promise<void>;
}

export async function refusingProxy(): Promise<RefusingProxy> {
  const asked = new Set<string>();
  const server = createServer(({ url = "" }, response) => {
    asked.add(URL.canParse(url) ? new URL(url).host : url);
    response.writeHead(403, { connection: "close" }).end();
  });
  server.on("connect", ({ url = "" }, socket) => {
    asked.add(url);
    socket.on("error", () => {});
    socket.end("HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\n");
  });
  const { port, close } = await listenOnLoopback(server);
  const url = `http://127.0.0.1:${port}`;
  const given = { HTTP_PROXY: url, HTTPS_PROXY: url, ALL_PROXY: url, NO_PROXY: "127.0.0.1,localhost,::1" };
  const lower = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    variables: { ...given, ...(Object.fromEntries(lower) as Variables) },
    asked,
    close,
  };
}
