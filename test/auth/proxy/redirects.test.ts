import fc from "fast-check";
import { expect, test } from "vitest";
import { redirectProblem, withParameters } from "../../../runtime/auth/proxy/redirects.js";
import { cases, seed } from "../../support/cases.mjs";
import { authorizationUrl, Proxied, redirectUri } from "./proxied.js";

const verifier = "v".repeat(43);

const responseNames = ["code", "state", "iss", "error", "error_description", "error_uri", "id_token"];

/** Spellings that some parser reads as the same name. */
const spelt = fc
  .tuple(
    fc.constantFrom(...responseNames),
    fc.constantFrom<(name: string) => string>(
      (name) => name,
      (name) => name.toUpperCase(),
      (name) => `%${name.charCodeAt(0).toString(16)}${name.slice(1)}`,
      (name) => `${name}[]`,
      (name) => `${name}%5B0%5D`,
      (name) => `+${name}`,
    ),
  )
  .map(([name, spell]) => spell(name));
const harmless = fc.constantFrom("tenant=1", "next=%2Fcode", "x", "codes=1", "my_state=2", "a=code%3D1");
const hostile = fc.tuple(spelt, fc.constantFrom("=attacker", "", "=")).map(([name, value]) => name + value);
const base = fc.constantFrom("https://app.example.net/cb", "http://127.0.0.1:3000/cb", "cursor://callback");

/** A query with at least one parameter that only a response may have. */
const mixed = fc
  .tuple(
    fc.array(harmless, { maxLength: 3 }),
    hostile,
    fc.array(fc.oneof(harmless, hostile), { maxLength: 3 }),
  )
  .chain(([before, own, after]) =>
    fc.constantFrom("&", ";").map((separator) => [...before, own, ...after].join(separator)),
  );

test("a redirect URI with response parameters is refused in every spelling; other URIs are accepted", () => {
  const runs = { numRuns: cases(2_000), seed };
  fc.assert(
    fc.property(base, mixed, (uri, query) => {
      expect(redirectProblem(`${uri}?${query}`, ["cursor"])).toMatch(/ belongs to the response$/);
    }),
    runs,
  );
  fc.assert(
    fc.property(base, fc.array(harmless), (uri, query) => {
      expect(redirectProblem(`${uri}?${query.join("&")}`, ["cursor"])).toBeUndefined();
    }),
    runs,
  );
});

test("response parameters that the redirect URI contains do not survive in a response", () => {
  fc.assert(
    fc.property(base, fc.array(fc.oneof(harmless, hostile)), (uri, query) => {
      const own = `${uri}?${query.join("&")}`;
      const answer = withParameters(own, { code: "right", state: "s", iss: "https://issuer.example" });
      const names = [...new URL(answer).searchParams.keys()].map((name) => name.trim().toLowerCase());
      const ofResponse = names.filter((name) => responseNames.includes(name.replace(/\[.*/, "")));
      expect(ofResponse).toEqual(["code", "state", "iss"]);
      expect(answer).not.toContain("attacker");
      // All other parameters stay, character by character.
      const kept = query.filter((part) => ["tenant=1", "next=%2Fcode", "x", "codes=1"].includes(part));
      for (const part of kept) expect(answer.split(/[?&]/)).toContain(part);
    }),
    { numRuns: cases(2_000), seed },
  );
});

test("a URI without such parameters keeps its own parameters, followed by the response", () => {
  expect(withParameters("https://a.example/cb", { code: "c" })).toBe("https://a.example/cb?code=c");
  expect(withParameters("https://a.example/cb?", { code: "c" })).toBe("https://a.example/cb?code=c");
  expect(withParameters("https://a.example/cb?x=%20;y", { code: "c", state: undefined })).toBe(
    "https://a.example/cb?x=%20;y&code=c",
  );
});

test.each(responseNames)(
  "dynamic registration and the operator's list refuse a redirect URI with %s",
  async (name) => {
    const uri = `${redirectUri}?${name}=attacker`;
    const response = await new Proxied().registration({ redirect_uris: [redirectUri, uri] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: "invalid_redirect_uri",
      error_description: `a redirect URI has the parameter ${name}, which belongs to the response`,
    });
    const known = [{ id: "a", name: "A", redirectUris: [uri] }];
    expect(() => new Proxied({ clients: { known } })).toThrow(/^clients\.known\[0\]\.redirectUris: /);
  },
);

test("a client document with such a redirect URI is refused", async () => {
  const id = "https://client.example.org/oauth/client.json";
  const uri = `${redirectUri}?iss=https://attacker.example`;
  const proxied: Proxied = new Proxied({
    fetch: async (input, init) =>
      (input instanceof Request ? input.url : String(input)) === id
        ? Response.json({ client_id: id, client_name: "Agent", redirect_uris: [redirectUri, uri] })
        : proxied.upstream.fetch(input, init),
  });
  const client = { id, method: "none", redirectUri };
  const { response, text } = await proxied.browser().open(authorizationUrl(client, verifier));
  expect(response.status).toBe(400);
  expect(text).not.toContain("<form");
});
