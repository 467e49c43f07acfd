// A server on standard input and output.
export { serveStdio } from "./stdio/serve-stdio.js";
export type { ServeStdioOptions, StdioServable, StdioService } from "./stdio/serve-stdio.js";
export { stdioServerChannel } from "./stdio/server-channel.js";
export type { StdioServerOptions } from "./stdio/server-channel.js";

// A client with a server in a child process.
export { stdioClientChannel } from "./stdio/client-channel.js";
export type { ServerProcessDetails, StdioClientChannel, StdioClientOptions } from "./stdio/client-channel.js";
export { parseStdioSource } from "./stdio/source.js";
export type { Command } from "./stdio/source.js";
export { safeVariables } from "./stdio/environment.js";
export type { Environment } from "./stdio/environment.js";
export type { Exit } from "./stdio/child-options.js";

// The same format over other byte streams: sockets, pipes.
export { StreamChannel, streamChannel } from "./stdio/stream-channel.js";
export type { StreamChannelOptions } from "./stdio/stream-channel.js";
