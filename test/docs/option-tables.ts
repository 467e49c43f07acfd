/** The interface behind each table of docs/options.md, and the folders or files that hold its defaults. */
export const tables: readonly (readonly [heading: string, type: string, ...folders: string[]])[] = [
  ["createServer", "ServerOptions", "server", "jsonrpc", "protocol"],
  ["defineServer", "DefineServerOptions", "server", "protocol"],
  ["mount", "MountOptions", "server"],
  ["ask", "AskOptions", "server"],
  ["requests of a session", "SessionRequestOptions", "server"],
  ["createHttpHandler, createNodeHandler", "HttpOptions", "http/server"],
  ["sessions", "SessionOptions", "http/server"],
  ["sealedSessions", "SealedSessionOptions", "http/server/sealed-sessions.ts"],
  ["health", "HealthOptions", "http/server/health.ts"],
  ["sse", "SseOptions", "http/server"],
  ["serveHttp", "ServeHttpOptions", "http/server"],
  ["serveStdio", "ServeStdioOptions", "stdio", "server"],
  ["streamChannel", "StreamChannelOptions", "stdio"],
  ["openPeer", "PeerOptions", "peer"],
  ["postMessageChannel", "PostMessageOptions", "post-message"],
  ["stdioClientChannel", "StdioClientOptions", "stdio"],
  ["connect", "ConnectOptions", "connect", "jsonrpc", "protocol"],
  ["limits", "ClientLimits", "client"],
  ["http", "HttpClientOptions", "http/client", "client"],
  ["requests", "ListBounds", "client"],
  ["instrument", "InstrumentationOptions", "otel"],
  ["rateLimit", "RateLimits", "limits.ts"],
  ["logRequests", "LogOptions", "logging.ts"],
  ["createTestPair", "ConnectionOptions", "server"],
  ["Replay", "ReplayOptions", "testing"],
];

/** Interfaces of options that are part of another table, by the heading of that table. */
export const partsOfTables: Readonly<Record<string, string>> = {
  GuardOptions: "createHttpHandler, createNodeHandler",
  RequestOptions: "requests",
  SessionLimits: "sessions",
  SessionRequestOptions: "requests",
  StdioServerOptions: "stdioServerChannel",
  TestPairOptions: "createTestPair",
  VendorRequestOptions: "requests",
};
