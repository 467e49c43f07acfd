import { type JsonObject, atPointer, isJsonObject, pointer } from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { contractFinding } from "./contract-finding.js";
import { type SchemaPair, pathAt } from "./schema-pair.js";

const keyword = "x-mcp-header";

/**
 * Compares which arguments a header repeats over HTTP (2026-07-28, Streamable HTTP, custom headers). Other rules
 * report an added or removed argument, with or without a header.
 */
export function compareHeaders(pair: SchemaPair, policy: Policy): Finding[] {
  const [before, after] = [headersOf(pair.old), headersOf(pair.new)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((at) => {
    const [old, next] = [before.get(at), after.get(at)];
    // Names of headers are the same in any case (RFC 9110, section 5.1).
    if (old?.toLowerCase() === next?.toLowerCase()) return [];
    if (![pair.old, pair.new].every((schema) => isJsonObject(atPointer(schema, at)))) return [];
    const difference = {
      rule: old === undefined ? "header-added" : next === undefined ? "header-removed" : "header-renamed",
      path: pathAt(pair, at),
      old: old ?? null,
      new: next ?? null,
      writer: pair.writer,
      pointer: pair.pointer + at,
    };
    return contractFinding(pair.part, difference, policy);
  });
}

/** Names of headers by the JSON Pointer of the argument's schema. Only schemas along `properties` have them. */
function headersOf(schema: JsonObject, at = "", found = new Map<string, string>()): Map<string, string> {
  const name = schema[keyword];
  if (typeof name === "string") found.set(at, name);
  const { properties } = schema;
  for (const [key, property] of isJsonObject(properties) ? Object.entries(properties) : [])
    if (isJsonObject(property)) headersOf(property, pointer(at, "properties", key), found);
  return found;
}
