import type { Client } from "../client/client.js";
import { type ConnectOptions, connect } from "../connect/connect.js";
import { memoryChannels } from "../jsonrpc/memory-channel.js";
import { type Rules, checkOptions } from "../options/option-check.js";
import type { ConnectionOptions, ServerConnection } from "../server/connection.js";
import type { Server } from "../server/server.js";
import { Recording } from "./recording.js";

/** What `connect` takes, and the server to connect to. */
export interface TestPairOptions extends ConnectOptions {
  readonly server: Server;
  /** What a transport would tell the server of the client. */
  readonly connection?: ConnectionOptions;
}

const connectionRules: Rules<ConnectionOptions> = { auth: "anything", principal: "string", drain: "amount" };

/** A client and a server in one process, and all that they say to each other. */
export interface TestPair {
  readonly client: Client;
  /** The server's end. */
  readonly connection: ServerConnection;
  readonly wire: Recording;
  /** Ends the connection from the client's side. */
  close(): Promise<void>;
}

/**
 * Connects a client to a server in memory: `createTestPair({ server, revisions: clientRevisions, revision:
 * "2025-06-18" })` speaks that revision, and the newest common one without `revision`.
 *
 * For tests that own the time, give the same `VirtualClock` here and to the server.
 *
 * @throws {McpError} as `connect` does
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
