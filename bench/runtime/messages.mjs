import { modern } from "./contenders.mjs";

const clientInfo = { name: "bench", version: "1.0.0" };

/** The `_meta` of a request of the modern revision. */
export const meta = {
  "io.modelcontextprotocol/protocolVersion": modern,
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export function initialize(revision) {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo };
  return { jsonrpc: "2.0", id: "open", method: "initialize", params };
}

export const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };

export const discover = { jsonrpc: "2.0", id: "open", method: "server/discover", params: { _meta: meta } };

/**
 * Returns a function that gives the text of request `index`. Only the id differs, so the rest is serialised
 * once.
 */
export function requestLine(method, params, revision) {
  const all = revision === modern ? { ...params, _meta: meta } : params;
  const tail = `,"method":${JSON.stringify(method)},"params":${JSON.stringify(all)}}\n`;
  return (index) => `{"jsonrpc":"2.0","id":${index + 1}${tail}`;
}
