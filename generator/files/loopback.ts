import type { IncomingMessage, Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Whether the host of a URL is this machine (RFC 8252, 7.3 and 8.3). */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/.test(hostname);
}

/** Where a server listens; `close` also ends its open connections. */
export interface Listening {
  readonly port: number;
  close(): Promise<void>;
}

/** Lets a server listen on a free port of the loopback interface. @throws Error of the system */
export async function listenOnLoopback(server: Server): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      return closed;
    },
  };
}

/** The text of a request's body; undefined if it has more bytes than `limit`. */
export async function bodyOf(request: IncomingMessage, limit: number): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // The rest is read, too: a sender may not see an answer before it has sent everything.
    if (size <= limit) chunks.push(chunk);
  }
  return size > limit ? undefined : Buffer.concat(chunks).toString("utf8");
}
