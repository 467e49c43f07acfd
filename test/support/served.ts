import { PassThrough } from "node:stream";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import {
  type Client,
  type CodeFirstServer,
  type ConnectOptions,
  type Server,
  type ServerOptions,
  type Source,
  connect,
  createServer,
  memoryChannels,
} from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { stdioServerChannel, streamChannel } from "@mcpgen/runtime/stdio";
import { onTestFinished } from "vitest";

/** A revision of each era. */
export const eras = ["2025-11-25", "2026-07-28"];

/** The ways to reach a server. */
export const wires = ["memory", "stdio", "HTTP"] as const;

export type Wire = (typeof wires)[number];

/** Each wire with each era. */
export const routes = wires.flatMap((wire) => eras.map((revision) => [wire, revision] as const));

export function serverWith(options: Partial<ServerOptions> = {}): CodeFirstServer {
  return createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: () => true, ...options },
  );
}

/** Serves a server on a transport. Resolves with the source to connect to. */
export async function sourceOf(server: Server, wire: Wire): Promise<Source> {
  if (wire === "HTTP") {
    // A call whose client has gone may wait at the end of a test: its server gives it no time.
    const { url, close } = await serveHttp(server, { port: 0, graceMs: 0 });
    onTestFinished(close);
    return url;
  }
  if (wire === "memory") {
    const [near, far] = memoryChannels();
    server.connect(far);
    return near;
  }
  const [input, output] = [new PassThrough(), new PassThrough()];
  server.connect(stdioServerChannel({ input, output }));
  return streamChannel(output, input);
}

export async function clientOf(
  server: Server,
  wire: Wire,
  revision: string,
  options: Partial<ConnectOptions> = {},
): Promise<Client> {
  const client = await connect(await sourceOf(server, wire), {
    revisions: clientRevisions,
    revision,
    onEvent: () => true,
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}
