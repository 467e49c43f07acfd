import { checkOptions, gone, memoryChannels, type Rules } from "@mcpgen/base";
import type { Client, ConnectionOptions, Server, ServerConnection } from "@mcpgen/runtime";
import { type ConnectOptions, connect } from "@mcpgen/runtime/all";
import { Recording } from "./recording.js";

/** The options of `connect`, and the server. */
export interface TestPairOptions extends ConnectOptions {
  readonly server: Server;
  /** What a transport knows about the client. */
  readonly connection?: KnownClient;
}

type KnownClient = Omit<ConnectionOptions, "drain">;

const connectionRules: Rules<KnownClient, "drain"> = {
  auth: "anything",
  principal: "string",
  drain: gone("Leave it out: after the client has closed, requests have 1,000 ms of the server's clock."),
};

/** A client and a server in one process, and their messages. */
export interface TestPair {
  readonly client: Client;
  /** The server's end. */
  readonly connection: ServerConnection;
  readonly wire: Recording;
  /** Ends the connection from the client's side. */
  close(): Promise<void>;
}

/**
 * Connects a client to a server in memory: `createTestPair({ server, revision: "2025-06-18" })` uses that revision; without
 * `revision`, the pair negotiates the newest common one.
 *
 * To control the time, give the same `VirtualClock` to this function and to the server.
 *
 * @throws {McpError} the errors of `connect`
 */
export async function createTestPair({
  server,
  connection: known,
  ...options
}: TestPairOptions): Promise<TestPair> {
  if (known) checkOptions(known, connectionRules, "connection.");
  const wire = new Recording(options.clock);
  const [near, far] = memoryChannels();
  const connection = server.connect(far, known);
  const client = await connect(wire.of(near, "client"), options);
  return { client, connection, wire, close: () => client.close() };
}
