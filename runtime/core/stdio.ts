// A server on standard input and output.
export { serveStdio, stdioServerChannel } from "./stdio/serve-stdio.js";
export type {
  ServeStdioOptions,
  StdioServable,
  StdioServerOptions,
  StdioService,
} from "./stdio/serve-stdio.js";

// A client with a server in a child process.
export { stdioClientChannel } from "./stdio/client-channel.js";
export type { ServerProcessDetails, StdioClientChannel } from "./stdio/client-channel.js";
export { type Command, parseStdioSource } from "./stdio/command.js";
export { safeVariables } from "./stdio/client-options.js";
export type { Environment, Exit, StdioClientOptions } from "./stdio/client-options.js";

// The same format over other byte streams: sockets, pipes.
export { StreamChannel, streamChannel } from "./stdio/stream-channel.js";
export type { StreamChannelOptions } from "./stdio/stream-channel.js";
