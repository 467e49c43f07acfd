// The error codes of JSON-RPC 2.0. Constants, so that a bundle contains their numbers instead of their names.
export const parseError = -32700;
export const invalidRequest = -32600;
export const methodNotFound = -32601;
export const invalidParams = -32602;
export const internalError = -32603;

/** Whether only the specification may give a code a meaning (2026-07-28, basic, error codes). */
export function isReserved(code: number): boolean {
  return code >= -32099 && code <= -32020;
}
