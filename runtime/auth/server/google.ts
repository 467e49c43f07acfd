import { jsonObject } from "../shared/json-object.js";
import { checkNames, checkTexts } from "../shared/option-check.js";
import { Outgoing, toIssuer } from "../shared/outgoing.js";
import { type Fetch, boundedFetch, unavailable } from "./issuer-document.js";
import { refused } from "./claims.js";
import type { Claims, TokenIssuer } from "./token-issuer.js";

export interface GoogleOptions {
  /** OAuth clients of your project whose tokens are accepted. Tokens of Google name no resource. */
  readonly clients: readonly string[];
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: Fetch;
}

const tokenInfo = "https://oauth2.googleapis.com/tokeninfo";

/**
 * Google. Its access tokens are opaque, and name the client that got them, not a resource: each of your servers accepts
 * tokens for every other one. A proxy that issues tokens does better. Needs the scope `openid`, or tokens have no `sub`.
 *
 * @throws {AuthError} `auth-options`
 */
export function google(options: GoogleOptions): TokenIssuer {
  checkNames(options, ["clients", "fetch"], "google.");
  const { clients, fetch: send = fetch } = options;
  checkTexts(clients, "google.clients");
  const outgoing = new Outgoing(toIssuer);
  return {
    issuer: "https://accounts.google.com",
    opaque: true,
    audience: { claim: "aud", oneOf: clients },
    client: ({ azp, aud }) => (typeof azp === "string" ? azp : typeof aud === "string" ? aud : undefined),
    verify: (token) => outgoing.run(tokenInfo, () => informed(send, token)),
  };
}

async function informed(send: Fetch, token: string): Promise<Claims> {
  const response = await boundedFetch(send, tokenInfo, {
    method: "POST",
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ access_token: token }).toString(),
  });
  if (response.status === 400) throw refused("its issuer says that it is not active");
  if (response.status !== 200) throw unavailable(`the issuer answered with status ${response.status}`);
  const answer = jsonObject(await response.text());
  if (!answer) throw unavailable("the issuer answered with no JSON object");
  const { iss, exp } = answer;
  // Answers about ID tokens have an `iss`, those about access tokens have none.
  if (iss !== undefined) throw refused("it is not an access token");
  // It writes numbers as texts.
  return { ...answer, exp: typeof exp === "string" && /^\d{1,12}$/.test(exp) ? Number(exp) : exp };
}
