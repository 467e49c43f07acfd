export const serverInfo = { name: "bench", version: "1.0.0" };

/** Returns the result of the hand-written servers for `initialize`, `server/discover` and `ping`. */
export function opening(method, params) {
  switch (method) {
    case "initialize":
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo };
    case "server/discover":
      return {
        resultType: "complete",
        supportedVersions: ["2026-07-28"],
        capabilities: { tools: {} },
        ttlMs: 0,
        cacheScope: "private",
        _meta: { "io.modelcontextprotocol/serverInfo": serverInfo },
      };
    case "ping":
      return {};
    default:
      throw new Error(`no such method: ${method}`);
  }
}
