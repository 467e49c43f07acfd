import { type RequestListener, type Server as HttpServer, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import { cert, key } from "./certificate.js";

/** Lets a server listen on a free port of this machine; resolves with the port. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * A server of HTTP on a free port of this machine.
 *
 * @param name the https URL by which it is reached, by way of a proxy; default: that of its port
 * @returns its URL without a path, its port, and how it ends
 */
export async function served(
  name: string | undefined,
  listener: RequestListener,
): Promise<{ readonly origin: string; readonly port: number; readonly close: () => void }> {
  const server: HttpServer =
    name === undefined ? createServer(listener) : createSecureServer({ key, cert }, listener);
  const port = await listen(server);
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { origin: name ?? `http://127.0.0.1:${port}`, port, close };
}

/** An HTTP server on this machine, gone when the test ends; resolves with its origin. */
export async function loopback(listener: RequestListener): Promise<string> {
  const { origin, close } = await served(undefined, listener);
  onTestFinished(close);
  return origin;
}
