import type { Client } from "../../client/client.js";
import * as core from "../../connect/connect.js";
import { handshake } from "./handshake.js";

/**
 * Connects to a server and negotiates the revision.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `cancelled`,
 *   `authorize-failed`, `invalid-definition`
 */
export function connect(source: core.Source, options: core.ConnectOptions): Promise<Client> {
  return core.connect(source, options, handshake);
}
