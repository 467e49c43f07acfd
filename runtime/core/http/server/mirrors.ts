import type { HeaderSource, IncomingRequest, ReceiveTable } from "@mcpgen/protocol/model";
import type { RequestMessage } from "../../jsonrpc/message.js";
import type { Exchange } from "./exchange.js";
import { decodeHeaderValue, valueAt } from "../../protocol/param-headers.js";

/** What is wrong with the headers that mirror every request (2026-07-28, Streamable HTTP, server validation). */
export function standardProblem(
  exchange: Exchange,
  { headers }: ReceiveTable,
  request: RequestMessage,
): string | undefined {
  for (const source of headers) {
    const problem = mirrorProblem(exchange, source, request, false);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** What is wrong with the headers that mirror this method's own parameters. */
export function methodProblem(
  exchange: Exchange,
  { headers = [] }: IncomingRequest,
  request: RequestMessage,
): string | undefined {
  for (const source of headers) {
    const problem = mirrorProblem(exchange, source, request, true);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function mirrorProblem(
  exchange: Exchange,
  { header, from }: HeaderSource,
  request: RequestMessage,
  encoded: boolean,
): string | undefined {
  const expected = from && valueAt(request, from);
  if (typeof expected !== "string") return undefined;
  const raw = exchange.header(header.toLowerCase())?.trim();
  if (raw === undefined) return `${header} is missing`;
  const value = encoded ? decodeHeaderValue(raw) : raw;
  if (value === undefined) return `${header} is malformed`;
  return value === expected
    ? undefined
    : `${header} is ${JSON.stringify(value)}, and the body has ${JSON.stringify(expected)}`;
}
