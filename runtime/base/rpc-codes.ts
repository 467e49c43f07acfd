// A separate entry, so that a bundle contains the numbers of error codes instead of a namespace object.
export * from "./jsonrpc/rpc-codes.js";
