// A second entry, so that a bundle has the numbers of error codes in place of a namespace.
export * from "./jsonrpc/rpc-codes.js";
