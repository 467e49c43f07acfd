// Every value of an answer of an authorization server, of every JSON type.
import { introspection, jwks, resourceServer } from "@mcpgen/auth/server";
import { expect, test } from "vitest";
import { type AuthorizationServer, authorizationServer } from "../../support/auth/authorization-server.js";
import { expectCodes } from "../../support/auth/mutated-answers.js";
import { bearer, resource } from "./requests.js";

const secret = "s3cret";

async function verified(as: AuthorizationServer, issuer: ReturnType<typeof jwks>): Promise<string> {
  const guard = resourceServer({ resource, issuers: [issuer] });
  const found = await guard.http.authenticate(bearer(await as.mint({ resource, subject: "ada" })));
  return "status" in found ? `refused ${found.status}` : "answered 200";
}

test("the keys of a JWT", () =>
  expectCodes(["metadata", "jwks"], async (fault) => {
    const as = await authorizationServer({ fault });
    return verified(as, jwks(as.issuer));
  }));

test("introspection", () =>
  expectCodes(["metadata", "introspect"], async (fault) => {
    const as = await authorizationServer({ tokens: "opaque", clients: [{ id: "rs", secret }], fault });
    return verified(as, introspection({ issuer: as.issuer, clientId: "rs", clientSecret: secret }));
  }));

test("a key that the platform cannot read is the fault of the issuer: 503", async () => {
  const as = await authorizationServer({
    fault: ({ endpoint }, answer) => {
      if (endpoint !== "jwks") return answer;
      const { keys } = answer.body as { readonly keys: readonly object[] };
      return { ...answer, body: { keys: keys.map((key) => ({ ...key, x: "a text" })) } };
    },
  });
  expect(await verified(as, jwks(as.issuer))).toBe("refused 503");
});
