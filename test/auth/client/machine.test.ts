import { exportJWK, exportPKCS8, generateKeyPair } from "jose";
import { describe, expect, test } from "vitest";
import { clientCredentials, enterprise, workloadIdentity } from "../../../runtime/auth/client.js";
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  authorizationServer,
} from "../../support/auth/authorization-server.js";
import { failure, pair, send } from "./drive.js";

describe("client credentials", () => {
  test.each(["client_secret_basic", "client_secret_post"] as const)(
    "with a secret, by %s",
    async (method) => {
      const secret = "s3cret +/%:";
      const { as, rs } = await pair({
        clients: [{ id: "ci:1", secret, method }],
        metadata: { token_endpoint_auth_methods_supported: [method] },
      });
      const authorizer = clientCredentials({ issuer: as.issuer, id: "ci:1", secret, scopes: ["a"] });
      expect(await send(authorizer, rs.url)).toBe(200);
      const { params } = as.calls.find(({ endpoint }) => endpoint === "token")!;
      expect([params.get("resource"), params.get("scope")]).toEqual([rs.url, "a"]);
      as.expireAccessTokens();
      expect(await send(authorizer, rs.url)).toBe(200);
      expect(as.count("token client_credentials")).toBe(2);
    },
  );

  test.each(["pem", "jwk"] as const)(
    "with a key as %s: private_key_jwt, a new assertion each time",
    async (form) => {
      const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
      const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: "k1" }] };
      const { as, rs } = await pair({ clients: [{ id: "ci", method: "private_key_jwt", jwks }] });
      const key =
        form === "pem"
          ? { pem: await exportPKCS8(privateKey) }
          : { jwk: { ...(await exportJWK(privateKey)) } };
      const authorizer = clientCredentials({
        issuer: as.issuer,
        id: "ci",
        key: { ...key, alg: "ES256", kid: "k1" },
      });
      expect(await send(authorizer, rs.url)).toBe(200);
      as.expireAccessTokens();
      expect(await send(authorizer, rs.url)).toBe(200);
    },
  );

  test("a method that the metadata does not list is refused", async () => {
    const { as, rs } = await pair({
      clients: [{ id: "ci", secret: "s3cret" }],
      metadata: { token_endpoint_auth_methods_supported: ["private_key_jwt"] },
    });
    expect(
      await failure(send(clientCredentials({ issuer: as.issuer, id: "ci", secret: "s3cret" }), rs.url)),
    ).toBe("auth-metadata-invalid");
    expect(as.count("token")).toBe(0);
  });

  test("attack 4: the secret goes to the named issuer only", async () => {
    const { as, rs } = await pair({ clients: [{ id: "ci", secret: "s3cret" }] });
    const authorizer = clientCredentials({ id: "ci", secret: "s3cret", issuer: "https://as.example" });
    expect(await failure(send(authorizer, rs.url))).toBe("auth-issuer-mismatch");
    expect(as.count("token")).toBe(0);
  });

  test("a key that cannot be read is an error without the key", async () => {
    const { as, rs } = await pair();
    const pem = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
    const error = (await send(clientCredentials({ issuer: as.issuer, id: "ci", key: { pem } }), rs.url).catch(
      (error: unknown) => error,
    )) as Error;
    expect(error.cause).toMatchObject({ code: "auth-options" });
    expect(error.message).not.toMatch(/c2VjcmV0/);
  });

  test("a step-up asks for the union", async () => {
    const { as, rs } = await pair({ clients: [{ id: "ci", secret: "s3cret" }] }, { scopes: ["a"] });
    const authorizer = clientCredentials({ issuer: as.issuer, id: "ci", secret: "s3cret" });
    expect(await send(authorizer, rs.url)).toBe(200);
    rs.options = { ...rs.options, scopes: ["b"] };
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(as.calls.at(-1)!.params.get("scope")).toBe("a b");
  });
});

describe("workload identity", () => {
  async function workload(claims: Record<string, unknown> = {}) {
    const platform = await authorizationServer();
    const trusted = [
      { issuer: platform.issuer, jwks: () => platform.state.keys.jwks(), kind: "workload" as const },
    ];
    const { as, rs } = await pair({ trusted });
    let read = 0;
    const assertion = (): Promise<string> => {
      read++;
      return platform.sign({ iss: platform.issuer, sub: "job", aud: as.issuer, exp: 4e9, ...claims });
    };
    return { as, rs, assertion, reads: () => read };
  }

  test("exchanges the assertion, which is read again each time; no registration", async () => {
    const { as, rs, assertion, reads } = await workload();
    const authorizer = workloadIdentity({ issuer: as.issuer, assertion });
    expect(await send(authorizer, rs.url)).toBe(200);
    as.expireAccessTokens();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([reads(), as.count("register"), as.count("authorize")]).toEqual([2, 0, 0]);
  });

  test.each([
    ["of another audience", { aud: "https://other.example" }],
    ["that has expired", { exp: 1 }],
    ["of another issuer", { iss: "https://other.example" }],
  ])("an assertion %s is refused: no retry, no other grant", async (_, claims) => {
    const { as, rs, assertion } = await workload(claims);
    expect(await failure(send(workloadIdentity({ issuer: as.issuer, assertion }), rs.url))).toBe(
      "auth-refused",
    );
    expect([as.count("token"), as.count("register"), as.count("authorize")]).toEqual([1, 0, 0]);
  });

  test("no other issuer than the named one gets the assertion", async () => {
    const { as, rs, assertion, reads } = await workload();
    const authorizer = workloadIdentity({ assertion, issuer: "https://as.example" });
    expect(await failure(send(authorizer, rs.url))).toBe("auth-issuer-mismatch");
    expect([reads(), as.count("token")]).toEqual([0, 0]);
  });
});

describe("enterprise-managed authorization", () => {
  async function business(fault?: AuthorizationServerOptions["fault"]) {
    const idp = await authorizationServer({
      clients: [{ id: "app", secret: "secret-at-the-idp" }],
      ...(fault && { fault }),
    });
    const trusted = [{ issuer: idp.issuer, jwks: () => idp.state.keys.jwks(), kind: "id-jag" as const }];
    const clients = [{ id: "app", secret: "secret-at-the-server" }];
    const { as, rs } = await pair({ trusted, clients });
    const issued: string[] = [];
    const idToken = async (): Promise<string> => {
      const token = await idp.sign({ iss: idp.issuer, sub: "alice", aud: "app", exp: 4e9 });
      issued.push(token);
      return token;
    };
    const authorizer = enterprise({
      idp: idp.issuer,
      idToken,
      client: { id: "app", secret: "secret-at-the-server", issuer: as.issuer },
      idpClient: { id: "app", secret: "secret-at-the-idp" },
    });
    return { idp, as, rs, issued, authorizer, trusted, clients };
  }

  /** Everything that a server got, with the decoded credentials of clients. */
  const gotBy = ({ calls }: AuthorizationServer): string =>
    calls
      .map(({ body, headers }) => {
        const [, basic = ""] = /^basic (.*)$/i.exec(headers.get("authorization") ?? "") ?? [];
        return `${body} ${Buffer.from(basic, "base64").toString()}`;
      })
      .join("\n");

  test("each server gets only its own secret, and only the identity provider gets the ID token", async () => {
    const { idp, as, rs, issued, authorizer } = await business();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(gotBy(as)).toContain("secret-at-the-server");
    for (const secret of ["secret-at-the-idp", ...issued]) expect(gotBy(as)).not.toContain(secret);
    expect(gotBy(idp)).toContain("secret-at-the-idp");
    expect(gotBy(idp)).not.toContain("secret-at-the-server");
  });

  test("a token that is not an ID-JAG is not passed on", async () => {
    const type = "urn:ietf:params:oauth:token-type:access_token";
    const { as, rs, authorizer } = await business(({ endpoint }, answer) =>
      endpoint === "token"
        ? { ...answer, body: { ...(answer.body as object), issued_token_type: type } }
        : answer,
    );
    expect(await failure(send(authorizer, rs.url))).toBe("auth-refused");
    expect(as.count("token")).toBe(0);
  });

  test("a refusal of the identity provider is final: no retry, no other grant", async () => {
    const { idp, as, rs, authorizer } = await business(({ endpoint }, answer) =>
      endpoint === "token" ? { ...answer, status: 400, body: { error: "access_denied" } } : answer,
    );
    expect(await failure(send(authorizer, rs.url))).toBe("auth-refused");
    expect([idp.count("token"), as.count("token"), as.count("register"), as.count("authorize")]).toEqual([
      1, 0, 0, 0,
    ]);
  });

  test("attack 4: a server that names another issuer later gets no assertion and no secret", async () => {
    const { as, rs, authorizer, trusted, clients } = await business();
    expect(await send(authorizer, rs.url)).toBe(200);
    const other = await authorizationServer({ trusted, clients });
    as.expireAccessTokens();
    rs.options = { ...rs.options, servers: [other] };
    expect(await failure(send(authorizer, rs.url))).toBe("auth-issuer-mismatch");
    expect(other.count("token")).toBe(0);
  });

  test("exchanges the id token for an ID-JAG, and that for a token", async () => {
    const idp = await authorizationServer({ clients: [{ id: "app", secret: "idp-s3cret" }] });
    const trusted = [{ issuer: idp.issuer, jwks: () => idp.state.keys.jwks(), kind: "id-jag" as const }];
    const { as, rs } = await pair({ trusted, clients: [{ id: "app", secret: "as-s3cret" }] });
    const idToken = (): Promise<string> => idp.sign({ iss: idp.issuer, sub: "alice", aud: "app", exp: 4e9 });
    const authorizer = enterprise({
      idp: idp.issuer,
      idToken,
      client: { id: "app", secret: "as-s3cret", issuer: as.issuer },
      idpClient: { id: "app", secret: "idp-s3cret" },
    });
    expect(await send(authorizer, rs.url)).toBe(200);
    const { params } = idp.calls.find(({ endpoint }) => endpoint === "token")!;
    expect([params.get("audience"), params.get("resource")]).toEqual([as.issuer, rs.url]);
    as.expireAccessTokens();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([idp.count("token"), as.count("token"), as.count("authorize")]).toEqual([2, 2, 0]);
  });
});
