import type { Client } from "../../client/client.js";
import * as core from "../../connect/connect.js";
import type { OlderTransport } from "../../http/client/older-transport.js";
import { attachLegacy } from "./attach-legacy.js";
import { placesOf } from "./batch.js";
import { handshake } from "./handshake.js";

/** Few servers have HTTP+SSE alone: it is loaded on demand. */
export const loadOlder = (): Promise<OlderTransport> => import("./sse-connection.js");

/**
 * Connects to a server and negotiates the revision.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `cancelled`,
 *   `authorize-failed`, `invalid-definition`
 */
export function connect(source: core.Source, options: core.ConnectOptions): Promise<Client> {
  return core.connect(source, options, { handshake, attach: attachLegacy, placesOf, loadOlder });
}
