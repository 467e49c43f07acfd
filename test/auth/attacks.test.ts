import { expect, test } from "vitest";
import { isWatched } from "../support/auth/secrets.js";
import { type Part, withoutTest } from "../support/named-tests.js";

// The attacks that @mcpgen/auth withstands, and the tests of each of their parts.

const attacks: Readonly<Record<string, readonly Part[]>> = {
  "1 mix-up of authorization servers": [
    ["code with another iss", "auth/client/login", "attack 1: the code of an honest server does not go"],
    ["code with no iss", "auth/client/login", "%s, %s: %s"],
    ["error with another iss or none", "auth/client/login", "attack 1: an error response of another issuer"],
    [
      "at the upstream of the proxy",
      "auth/proxy/upstream",
      "an answer of another issuer (mix-up) is refused",
    ],
    ["iss of the proxy, also in errors", "auth/proxy/checklist", "iss is the issuer, once, in success and"],
  ],
  "2 metadata of a foreign issuer": [
    ["host, slash, case, port, none", "auth/client/discovery", "attack 2: metadata of another issuer is"],
    ["default port", "auth/client/discovery", "attack 2: the port of the scheme is a part of the text"],
    ["of a resource server's issuer", "auth/server/key-set", "metadata with %s is not used"],
    ["of the proxy's upstream", "auth/proxy/upstream", "oidc: endpoints come from the discovery document"],
  ],
  "3 metadata of a foreign resource": [
    ["origin, paths", "auth/client/discovery", "attack 3: metadata of another resource is refused"],
    ["a parent by whole segments", "auth/shared/urls", "RFC 9728, 3.3: the resource of the metadata is the"],
  ],
  "4 credentials for another issuer": [
    ["the attacker first in the list", "auth/client/login", "attack 4: an attacker that the metadata lists"],
    [
      "a flip between two refusals",
      "auth/client/login",
      "SEP-2352, attack 4: credentials belong to one issuer",
    ],
    ["secrets of machines", "auth/client/machine", "attack 4: the secret goes to the named issuer only"],
    ["assertions of workloads", "auth/client/machine", "no other issuer than the named one gets the"],
    ["the new host at a terminal", "command/login/interactive", "attack 4: a server that names another"],
  ],
  "5 PKCE": [
    ["absent, only plain", "auth/client/login", "attack 5: PKCE that the metadata does not list"],
    ["a server that ignores the verifier", "auth/client/login", "attack 5: the code of another login"],
    ["proxy: no challenge, plain", "auth/proxy/attacks", "PKCE: %s is refused"],
    ["proxy: wrong verifier", "auth/proxy/checklist", "another verifier is refused, and the code is not"],
    ["proxy: challenge upstream", "auth/proxy/attacks", "PKCE: the upstream gets a challenge, too"],
    [
      "proxy: the upstream ignores it",
      "auth/proxy/attacks",
      "PKCE: clients are protected even if the upstream",
    ],
  ],
  "6 redirect_uri": [
    ["prefix, user, slash, port, script", "auth/proxy/attacks", "redirect_uri with %s is refused, without"],
    ["at registration", "auth/proxy/attacks", "a redirect URI with %s is not registered"],
    ["loopback ports", "auth/proxy/attacks", "a loopback redirect may have any port"],
    ["at the client", "auth/client/login", "AUTHC-09: a redirect URI is https, or on this machine"],
  ],
  "7 open redirect": [
    ["unregistered, with error=", "auth/proxy/attacks", "open redirect: an unregistered redirect with"],
    ["registered by anybody", "auth/proxy/attacks", "open redirect: an error of a client that anybody"],
    ["callback with //evil", "auth/proxy/attacks", "open redirect: a callback with parameters for"],
  ],
  "8 state": [
    ["missing, another, two", "auth/client/login", "is refused with %s"],
    [
      "reused at the client",
      "auth/client/login",
      "attack 8: the response of an earlier login is not accepted",
    ],
    ["reused at the proxy", "auth/proxy/best-practices", "Ensure state values are single-use"],
    ["missing at the proxy", "auth/proxy/best-practices", "Reject any callback requests where the state"],
    ["fixed by the attacker", "auth/proxy/attacks", "a state that the attacker chose is refused"],
    ["from another browser", "auth/proxy/attacks", "AS-in-the-middle: the browser of the victim"],
  ],
  "9 codes": [
    ["replayed", "auth/proxy/attacks", "a code is exchanged once; its second use ends the login"],
    ["in parallel", "auth/proxy/attacks", "a code that two requests exchange at the same time"],
    ["of another client", "auth/proxy/attacks", "a code of another client is refused, and the login"],
    ["another redirect or resource", "auth/proxy/attacks", "a code with another %s is refused"],
  ],
  "10 tokens of others": [
    ["another audience, none, a list", "auth/server/jwt", "AUTHS-04: a token for %s is refused"],
    ["opaque, for another resource", "auth/server/introspection", "AUTHS-04: a token for another resource"],
    ["ID and refresh tokens", "auth/server/jwt", "attack 10: %s is not accepted as an access token"],
    ["signed by another issuer", "auth/server/jwt", "attack 10: a token that another issuer of the list"],
    ["the same sub at two issuers", "auth/server/jwt", "attack 10: the same sub at two issuers is two"],
    ["of the upstream", "auth/proxy/protected-server", "the server refuses the token of the upstream"],
  ],
  "11 forged JWTs": [
    ["alg none", "auth/server/jwt", "attack 11: alg none is refused"],
    ["HS256 with the public key", "auth/server/jwt", "attack 11: HS256 with the public key of the issuer"],
    ["kid, jku, x5u, jwk", "auth/server/jwt", "attack 11: a key that the header brings is not used"],
    ["1 MB", "auth/server/jwt", "attack 11: a token of 1 MB is refused before it is parsed"],
    ["unknown kids", "auth/server/key-set", "attack 11: thousands of unknown kids lead to at most one"],
  ],
  "12 requests into private networks": [
    ["addresses, names, rebinding", "auth/shared/pinned-fetch", "attack 12: addresses of private networks"],
    ["URLs of a server", "auth/client/discovery", "attack 12: addresses that a server names"],
    ["keys", "auth/server/key-set", "attack 12: metadata that names keys at %s leads to no request"],
    ["introspection", "auth/server/introspection", "attack 12: introspection follows no redirect"],
    ["redirects", "auth/shared/guarded-fetch", "attack 12: a redirect is not followed"],
    ["client documents", "auth/proxy/client-documents", "the client id %s is not a document address"],
    ["logos", "auth/proxy/attacks", "consent: no address that a client registers is fetched"],
  ],
  "13 hostile documents": [
    ["slow", "auth/shared/guarded-fetch", "attack 13: a server that sends a byte at a time is cut"],
    ["never ending", "auth/shared/guarded-fetch", "attack 13: a server that never ends its %s is cut"],
    ["without end", "auth/shared/guarded-fetch", "attack 13: an answer longer than 64 KB is cut"],
    ["compressed bombs", "auth/shared/guarded-fetch", "attack 13: a bomb of %s is cut at 64 KB"],
    ["deep JSON", "auth/shared/guarded-fetch", "attack 13: deep JSON within the limits"],
    ["keys", "auth/server/key-set", "attack 13: keys of more than 64 KB are not read"],
    ["slow issuers of a server", "auth/server/slow-issuers", "attack 13: the request for %s"],
    ["client documents", "auth/proxy/client-documents", "a document with %s is refused"],
  ],
  "14 tokens elsewhere": [
    ["redirects", "runtime/http/client/authorizer", "a redirect on the same origin gets its own proof"],
    ["streams of another origin", "checklist/http/sse", "an endpoint of another origin is not followed"],
    ["in the query", "auth/server/challenges", "attack 14: a token in the query (%s) gets 401"],
  ],
  "15 the loopback listener": [
    ["Host, path, method, state", "auth/node/loopback", "answers 400 to %s, and the login goes on"],
    ["a second callback", "auth/node/loopback", "takes one callback; a second is refused"],
    [
      "a port that is taken",
      "auth/node/loopback",
      "takes another port if another program has the stable one, and says so of a fixed one",
    ],
  ],
  "16 hostile authorization URLs": [
    ["in metadata", "auth/client/discovery", "attack 16: an endpoint %s is refused"],
    ["schemes, quotes, lines", "auth/node/loopback", "does not open %j"],
    ["shells", "auth/node/loopback", "gets a URL as one argument, which no shell reads"],
    ["of devices", "auth/client/device", "an address or code that is not safe to show"],
  ],
  "17 the consent page": [
    ["framed", "auth/proxy/best-practices", "Prevent iframing via frame-ancestors"],
    ["framed in a browser", "auth/proxy/browser", "the consent page is not shown in a frame"],
    ["CSRF", "auth/proxy/best-practices", "Implement CSRF protection: the form is of no use"],
    [
      "a cookie for another client",
      "auth/proxy/attacks",
      "consent: the remembered decision about one client",
    ],
    ["markup, direction", "auth/proxy/attacks", "consent: a name with %s is shown as text"],
    ["a hidden host", "auth/proxy/attacks", "consent: the host of the redirect URI is shown"],
  ],
  "18 registration": [
    ["floods, giant metadata", "auth/proxy/attacks", "registration: a flood leaves nothing behind"],
    ["changed documents", "auth/proxy/client-documents", "the user is asked again about a document that"],
  ],
  "19 refresh tokens": [
    ["reuse", "auth/proxy/attacks", "refresh: the previous token works until the new one is used"],
    ["parallel use", "auth/proxy/attacks", "refresh: parallel uses of one token get the same answer"],
  ],
  "20 DPoP": [
    ["htm, htu, iat, ath", "auth/server/dpop", "attack 20: a proof with %s gets 401"],
    ["replayed", "auth/server/dpop", "attack 20: a proof is valid once"],
    ["another key", "auth/server/dpop", "attack 20: a proof by another key than cnf.jkt gets 401"],
    ["symmetric keys", "auth/server/dpop", "attack 20: a proof that another key signed"],
    ["two headers", "auth/server/dpop", "attack 20: no proof, two headers"],
    ["old nonces", "auth/server/dpop", "RFC 9449, 9: a proof needs a nonce"],
  ],
  "21 downgrades": [["no metadata", "auth/client/discovery", "attack 21: servers without metadata"]],
  "22 scopes without end": [
    ["always 403", "auth/client/login", "attack 22: a server that always wants more"],
    ["never granted", "auth/client/login", "attack 22: scopes that were asked for and not granted"],
    ["10 KB at the client", "auth/client/login", "attack 22: a challenge with %s is not followed"],
    ["10 KB at the server", "auth/server/scopes", "attack 22: granted scopes of more than 2,048"],
  ],
  "23 secrets in output": [
    ["of all these tests", "support/auth/secrets", "a secret in %s is found"],
    ["of clients", "auth/client/renewal", "attack 23: events and errors hold no secret"],
    ["of servers", "auth/server/http-proofs", "attack 23: answers, events and warnings hold no token"],
    ["of the proxy", "auth/proxy/attacks", "no error, page, event or redirection holds a secret"],
  ],
  "24 the file store": [["mode, links, truncation", "auth/node/stores", "attack 24: the file store"]],
};

test("there are 24 attacks", () => {
  expect(Object.keys(attacks).map((attack) => Number.parseInt(attack, 10))).toEqual(
    Array.from({ length: 24 }, (_, at) => at + 1),
  );
});

test.each(Object.entries(attacks))("attack %s: each part has its test", (_, parts) => {
  expect(withoutTest(parts)).toEqual([]);
});

test("attack 23: the output of these tests is searched for secrets (test/support/auth/search-output.ts)", () => {
  expect(isWatched()).toBe(true);
});
