import type { JsonObject } from "@mcpgen/engine";
import type { Finding, Policy } from "../finding.js";
import { type Part, contractFinding } from "./contract-finding.js";

/** Compares the scopes that a request for an entry needs (RFC 6749, 3.3): a finding for each scope. */
export function compareScopes(part: Part, old: JsonObject, next: JsonObject, policy: Policy): Finding[] {
  const [before, after] = [scopesOf(old), scopesOf(next)];
  const found = (rule: string, scope: string, at: "old" | "new"): Finding[] =>
    contractFinding(
      part,
      // Clients ask for the scopes of their tokens.
      { rule, path: "scopes", old: null, new: null, [at]: scope, writer: "client", pointer: "/scopes" },
      policy,
    );
  return [
    ...[...after]
      .filter((scope) => !before.has(scope))
      .flatMap((scope) => found("scope-added", scope, "new")),
    ...[...before]
      .filter((scope) => !after.has(scope))
      .flatMap((scope) => found("scope-removed", scope, "old")),
  ];
}

function scopesOf({ scopes }: JsonObject): Set<string> {
  return new Set(Array.isArray(scopes) ? scopes.map(String) : []);
}
