import fc from "fast-check";
import { expect, test } from "vitest";
import { McpError } from "@mcpgen/runtime";
import { type ResourceServer } from "@mcpgen/auth/server";
import { missingScopes, scopeHierarchy } from "../../../runtime/auth/shared/scopes.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { bearer, callerOf, claimsFor, denialOf, guardOf, metadataUrl } from "./requests.js";
import { cases } from "../../support/cases.mjs";

const hierarchy = { admin: ["write"], write: ["read"] };

async function guarded(scope: string, required: readonly string[] = []): Promise<[ResourceServer, string]> {
  const as = await authorizationServer();
  return [guardOf(as, { scopes: { required, hierarchy } }), await as.sign(claimsFor(as, { scope }))];
}

test("AUTHS-06: a token without a required scope gets 403 with error, scope and resource_metadata, before the body", async () => {
  const [guard, token] = await guarded("other", ["mcp", "read"]);
  const { status, headers } = await denialOf(guard, token);
  expect(status).toBe(403);
  expect(headers["www-authenticate"]).toBe(
    'Bearer error="insufficient_scope", error_description="the token lacks scopes that the request needs", ' +
      `scope="other mcp read", resource_metadata="${metadataUrl}"`,
  );
  // The verdict is cached with the token.
  expect(guard.http.authenticate(bearer(token))).toMatchObject({ status: 403 });
});

test("AUTHS-06: a call without the scopes of its definition gets 403; one challenge names granted and needed", async () => {
  const [guard, token] = await guarded("mcp read", ["mcp"]);
  const caller = await callerOf(guard, token);
  const denial = guard.http.permit(
    [{ scopes: ["write"] }, { scopes: [] }, { scopes: ["write", "share"] }],
    caller,
  );
  expect(denial?.status).toBe(403);
  expect(denial?.headers["www-authenticate"]).toContain('scope="mcp read write share"');
  expect(guard.http.permit([{ scopes: ["read"] }, { scopes: [] }], caller)).toBeUndefined();
  expect(guard.http.permit([], caller)).toBeUndefined();
});

test("a broader scope implies narrower ones, through others too", async () => {
  const [guard, token] = await guarded("admin", ["read"]);
  const caller = await callerOf(guard, token);
  expect(guard.http.permit([{ scopes: ["write", "read", "admin"] }], caller)).toBeUndefined();
  const [narrow, weaker] = await guarded("read", ["read"]);
  expect(narrow.http.permit([{ scopes: ["write"] }], await callerOf(narrow, weaker))?.status).toBe(403);
});

test("a handler that detects missing scopes late throws a JSON-RPC error with the challenge in data", async () => {
  const [guard, token] = await guarded("read");
  const { auth } = await callerOf(guard, token);
  expect(guard.requireScopes(auth, ["read"])).toBe(auth);
  expect(() => guard.requireScopes(undefined, [])).toThrow("there is no token");
  try {
    guard.requireScopes(auth, ["write"]);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(McpError);
    expect(error).toMatchObject({
      code: "invalid-request",
      rpcCode: -31403,
      data: { error: "insufficient_scope", scope: "read write", resource_metadata: metadataUrl },
    });
  }
  expect(() => guard.requireScopes(undefined, ["read"])).toThrow("the token lacks scopes: read");
});

test("scopes of a token that could end a header are left out", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { scopes: { required: ["mcp"] } });
  const scp = ["fine", 'quo"te', "line\r\nx-evil: 1", "with space", "back\\slash", "\u{1f600}"];
  const { headers } = await denialOf(guard, await as.sign(claimsFor(as, { scp })));
  expect(headers["www-authenticate"]).toContain('scope="fine mcp"');
});

test("attack 22: granted scopes of more than 2,048 characters are not in the challenge", async () => {
  const as = await authorizationServer();
  const guard = guardOf(as, { scopes: { required: ["mcp"] } });
  const scope = Array.from({ length: 700 }, (_, i) => `s${i}`).join(" ");
  const { headers } = await denialOf(guard, await as.sign(claimsFor(as, { scope })));
  expect(headers["www-authenticate"]).toContain('scope="mcp"');
});

test("scopes that imply each other are equal; the search ends", () => {
  const circle = scopeHierarchy({ a: ["b"], b: ["c"], c: ["a"] });
  expect(missingScopes(["a", "b", "c"], ["b"], circle)).toEqual([]);
  expect(missingScopes(["__proto__", "constructor"], ["a"], circle)).toEqual(["__proto__", "constructor"]);
});

test("property: a directly granted scope is never missing, and more grants never make more scopes missing", () => {
  const scope = fc.constantFrom("a", "b", "c", "d", "e");
  const sets = fc.array(scope);
  const graph = fc.dictionary(scope, sets);
  fc.assert(
    fc.property(graph, sets, sets, sets, (direct, needed, granted, more) => {
      const all = scopeHierarchy(direct);
      expect(missingScopes(granted, granted, all)).toEqual([]);
      const missing = missingScopes(needed, granted, all);
      for (const each of missingScopes(needed, [...granted, ...more], all)) expect(missing).toContain(each);
    }),
    { numRuns: cases(2000) },
  );
});
