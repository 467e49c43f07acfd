import { checkOptions, memoryChannels, type Rules } from "@mcpgen/base";
import {
  type Client,
  connect,
  type ConnectionOptions,
  type ConnectOptions,
  type Server,
  type ServerConnection,
} from "@mcpgen/runtime";
import { Recording } from "./recording.js";

/** The options of `connect`, and the server. */
export interface TestPairOptions extends ConnectOptions {
  readonly server: Server;
  /** The options that a transport passes to `server.connect`. */
  readonly connection?: ConnectionOptions;
}

const connectionRules: Rules<ConnectionOptions> = { auth: "anything", principal: "string", drain: "amount" };

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
 * Connects a client to a server in memory: `createTestPair({ server, revisions: clientRevisions, revision:
 * "2025-06-18" })` uses that revision; without `revision`, the pair negotiates the newest common one.
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
