import type { Client } from "../../client/client.js";
import * as core from "../../connect/connect.js";
import type { LegacyHttp } from "../../http/client/http-client.js";
import { attachLegacy } from "./attach-legacy.js";
import { placesOf } from "./batch.js";
import { handshake } from "./handshake.js";

const loadHttp = async (): Promise<LegacyHttp> => (await import("./event-streams.js")).legacyHttp;

/**
 * Connects to a server and negotiates the revision.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `cancelled`,
 *   `authorize-failed`, `invalid-definition`
 */
export function connect(source: core.Source, options: core.ConnectOptions): Promise<Client> {
  return core.connect(source, options, { handshake, attach: attachLegacy, placesOf, loadHttp });
}
