import { pointer } from "@mcpgen/engine";
import { type LintRule, type LintSubject, type Spot, everyProfile } from "./rule.js";

/** Scopes of OpenID Connect and of the login itself: they grant nothing at a server. */
const ofLogin = new Set(["openid", "profile", "email", "address", "phone", "offline_access"]);

/** Rules about the scopes that a contract gives a tool. */
export const scopeRules: readonly LintRule[] = [
  {
    id: "scopes-alike",
    profiles: everyProfile,
    level: "warning",
    reason:
      "A scope is compared exactly: a misspelt one is granted to no client, so that no client can call the tool.",
    fix: "Write the scope as in the other entries, or rename it.",
    several: "almost the same scopes",
    find: scopes(
      (scope, _, { similarScopes }) => similarScopes.has(scope),
      (scope, { similarScopes }) =>
        `the scope ${JSON.stringify(scope)}, almost ${similarScopes
          .get(scope)!
          .map((other) => JSON.stringify(other))
          .join(", ")}`,
    ),
  },
  {
    id: "scope-of-login",
    profiles: everyProfile,
    level: "warning",
    reason:
      "The scope is about the login, not about the server: authorization servers may leave it out of access tokens.",
    fix: "Require a scope of your server. Clients ask for `offline_access` themselves.",
    sources: ["https://modelcontextprotocol.io/seps/2207-oidc-refresh-token-guidance"],
    find: scopes(
      (scope) => ofLogin.has(scope),
      (scope) => `the scope ${JSON.stringify(scope)}`,
    ),
  },
  {
    id: "scope-twice",
    profiles: everyProfile,
    level: "warning",
    reason: "The list has the scope twice: another one may be meant.",
    fix: "Remove it, or write the one that is meant.",
    find: scopes(
      (scope, index, { tool }) => tool.scopes!.indexOf(scope) < index,
      (scope) => `the scope ${JSON.stringify(scope)} twice`,
    ),
  },
];

function scopes(
  is: (scope: string, index: number, subject: LintSubject) => boolean,
  message: (scope: string, subject: LintSubject) => string,
): LintRule["find"] {
  return (subject) =>
    (subject.tool.scopes ?? []).flatMap((scope, index): Spot[] =>
      is(scope, index, subject)
        ? [{ pointer: pointer(subject.pointer, "scopes", index), message: message(scope, subject) }]
        : [],
    );
}
