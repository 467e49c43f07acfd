/**
 * The interface behind each table of docs/options.md, and the folders or files of runtime/core, or of another package by their
 * whole path, that hold its defaults.
 */
export const tables: readonly (readonly [heading: string, type: string, ...folders: string[]])[] = [
  ["createServer", "ServerOptions", "server", "runtime/base/jsonrpc", "protocol", "schema/arguments.ts"],
  ["defineServer", "DefineServerOptions", "server", "protocol"],
  ["mount", "MountOptions", "server"],
  ["ask", "AskOptions", "server"],
  ["requests of a session", "SessionRequestOptions", "server"],
  ["createHttpHandler, createNodeHandler", "HttpOptions", "http/server", "legacy/http"],
  ["limits of an endpoint", "HttpLimits", "http/server"],
  ["sessions", "SessionOptions", "legacy/http", "http/server"],
  ["sealedSessions", "SealedSessionOptions", "runtime/cluster/sealed"],
  ["health", "HealthOptions", "runtime/cluster/health"],
  ["cluster", "ClusterOptions", "runtime/cluster/sharing"],
  ["sse", "SseOptions", "legacy/http"],
  ["serveHttp", "ServeHttpOptions", "http/server", "legacy/http"],
  ["serveStdio", "ServeStdioOptions", "stdio", "server"],
  ["streamChannel", "StreamChannelOptions", "stdio"],
  ["openPeer", "PeerOptions", "runtime/apps/peer"],
  ["postMessageChannel", "PostMessageOptions", "runtime/apps/post-message"],
  ["stdioClientChannel", "StdioClientOptions", "stdio"],
  ["connect", "ConnectOptions", "connect", "runtime/base/jsonrpc", "protocol"],
  ["http", "HttpClientOptions", "http/client", "client", "legacy/client"],
  ["requests", "ListBounds", "client"],
  ["instrument", "InstrumentationOptions", "runtime/observe/otel.ts"],
  ["rateLimit", "RateLimits", "runtime/observe/rates"],
  ["logRequests", "LogOptions", "runtime/observe/logging"],
  ["createTestPair", "ConnectionOptions", "server"],
  ["Replay", "ReplayOptions", "runtime/testing"],
];

/** Interfaces of options that are part of another table, by the heading of that table. */
export const partsOfTables: Readonly<Record<string, string>> = {
  ConnectLimits: "connect",
  ErrorOptions: "createServer",
  ListsOptions: "createServer",
  StateOptions: "createServer",
  ValidationOptions: "createServer",
  EndpointOptions: "createHttpHandler, createNodeHandler",
  GuardOptions: "createHttpHandler, createNodeHandler",
  ListenOptions: "serveHttp",
  RequestOptions: "requests",
  SessionRequestOptions: "requests",
  StdioServerOptions: "stdioServerChannel",
  TestPairOptions: "createTestPair",
  VendorRequestOptions: "requests",
};
