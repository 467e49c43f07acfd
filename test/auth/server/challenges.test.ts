import { expect, test } from "vitest";
import { dpop } from "@mcpgen/auth/server";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { claimsFor, denialOf, guardOf, metadataUrl, request } from "./requests.js";

const as = { issuer: "https://auth.example.com" } as Parameters<typeof guardOf>[0];

test.each(["POST", "GET", "DELETE"])(
  "AUTHS-01, AUTHS-03: %s without a token gets 401 without error",
  async (method) => {
    const guard = guardOf(as, { scopes: { required: ["mcp", "mcp:read"] } });
    const { status, headers, text } = await denialOf(guard, request({}, method));
    expect(status).toBe(401);
    expect(headers["www-authenticate"]).toBe(
      `Bearer scope="mcp mcp:read", resource_metadata="${metadataUrl}"`,
    );
    expect(text).toBe("send an access token");
  },
);

test("credentials of another scheme do not count as a token", async () => {
  const { headers } = await denialOf(guardOf(as), request({ authorization: "Basic dXNlcjpwYXNz" }));
  expect(headers["www-authenticate"]).toBe(`Bearer resource_metadata="${metadataUrl}"`);
});

test("a token that was sent and refused gets an error and its description", async () => {
  const { status, headers } = await denialOf(guardOf(as), "not-a-jwt");
  expect(status).toBe(401);
  expect(headers["www-authenticate"]).toBe(
    'Bearer error="invalid_token", error_description="the token is refused: no issuer of this server issued it", ' +
      `resource_metadata="${metadataUrl}"`,
  );
});

test("with DPoP, a second challenge names the algorithms of proofs", async () => {
  const { headers } = await denialOf(
    guardOf(as, { dpop: dpop({ algorithms: ["ES256", "EdDSA"] }) }),
    request(),
  );
  expect(headers["www-authenticate"]).toBe(
    `Bearer resource_metadata="${metadataUrl}", DPoP algs="ES256 EdDSA", resource_metadata="${metadataUrl}"`,
  );
});

test("if DPoP is required, its challenge is the only one", async () => {
  const { headers } = await denialOf(guardOf(as, { dpop: dpop({ required: true }) }), request());
  expect(headers["www-authenticate"]).toBe(
    `DPoP algs="ES256 EdDSA RS256", resource_metadata="${metadataUrl}"`,
  );
});

test.each(["access_token", "x=1&access_token"])(
  "attack 14: a token in the query (%s) gets 401",
  async (query) => {
    const fixture = await authorizationServer();
    const token = await fixture.sign(claimsFor(fixture));
    const guard = guardOf(fixture);
    const url = `https://api.example.com/mcp?${query}=${token}`;
    for (const headers of [{}, { authorization: `Bearer ${token}` }]) {
      const { status, text } = await denialOf(guard, request(headers as Record<string, string>, "POST", url));
      expect({ status, text }).toEqual({ status: 401, text: "a token in the URL is never accepted" });
    }
  },
);

test("AUTHS-08: offline_access is neither in the challenge nor in the metadata", async () => {
  for (const name of ["required", "supported"])
    expect(() => guardOf(as, { scopes: { [name]: ["mcp", "offline_access"] } })).toThrow(
      `scopes.${name}: offline_access is not a scope of a resource`,
    );
  const fixture = await authorizationServer();
  const guard = guardOf(fixture, { scopes: { required: ["mcp"] } });
  const token = await fixture.sign(claimsFor(fixture, { scope: "other offline_access" }));
  const { headers } = await denialOf(guard, token);
  expect(headers["www-authenticate"]).toContain('scope="other mcp"');
});
