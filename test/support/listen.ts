import { type RequestListener, type Server as HttpServer, createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { onTestFinished } from "vitest";
import { cert, key } from "./certificate.js";

/** Makes a server listen on a free port of this machine. Resolves with the port. */
export async function listen(server: Server, host = "127.0.0.1"): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}

/**
 * Starts an HTTP server on a free port of this machine.
 *
 * @param name the https URL for access through a proxy; default: the http URL of the port
 * @returns URL without a path, port, and the function that closes the server
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

/** Starts an HTTP server on this machine, and closes it when the test ends. Resolves with its origin. */
export async function loopback(listener: RequestListener): Promise<string> {
  const { origin, close } = await served(undefined, listener);
  onTestFinished(close);
  return origin;
}
