// The error codes of JSON-RPC 2.0. Constants, so that a bundle contains their numbers instead of their names.
export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;
