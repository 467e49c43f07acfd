// 429, 5xx and similar responses do not judge a token: its bearer gets 503 instead of 401, and the next request asks
// the issuer again.
import { introspection, resourceServer, tokenExchange } from "@mcpgen/auth/server";
import { beforeEach, expect, test, vi } from "vitest";
import type { Answer, AuthorizationServerOptions } from "../../support/auth/authorization-server.js";
import { authorizationServer } from "../../support/auth/authorization-server.js";
import { passingAnswers } from "../../support/auth/passing-answers.js";
import { callerOf, claimsFor, denialOf, guardOf, resource } from "./requests.js";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));

const clientSecret = "secret of the resource server";

/** An issuer, one of whose endpoints gives another answer. */
async function issuerWith(endpoint: string, options: AuthorizationServerOptions = {}) {
  const now: { answer: Answer | undefined } = { answer: undefined };
  const fault: AuthorizationServerOptions["fault"] = (call, honest) =>
    (call.endpoint === endpoint && now.answer) || honest;
  return { now, as: await authorizationServer({ ...options, fault }) };
}

/** After this time, an issuer whose documents could not be read is asked again. */
const afterFailure = (): void => void vi.setSystemTime(Date.now() + 31_000);

test.each(["metadata", "introspect"])(
  "introspection while %s answers with a temporary error",
  async (endpoint) => {
    const clients = [{ id: "rs", secret: clientSecret }];
    const { as, now } = await issuerWith(endpoint, { tokens: "opaque", clients });
    const issuers = [introspection({ issuer: as.issuer, clientId: "rs", clientSecret })];
    const guard = resourceServer({ resource, issuers });
    for (const answer of passingAnswers) {
      now.answer = answer;
      const { status, headers } = await denialOf(guard, await as.mint({ resource }));
      expect([status, headers["www-authenticate"]], JSON.stringify(answer)).toEqual([503, undefined]);
      afterFailure();
    }
    now.answer = undefined;
    expect((await callerOf(guard, await as.mint({ resource, subject: "ada" }))).principal).toContain("ada");
  },
);

test.each(["metadata", "jwks"])("keys while %s answers with a temporary error", async (endpoint) => {
  const { as, now } = await issuerWith(endpoint);
  const guard = guardOf(as);
  for (const answer of passingAnswers) {
    now.answer = answer;
    const { status, headers } = await denialOf(guard, await as.sign(claimsFor(as)));
    expect([status, headers["www-authenticate"]], JSON.stringify(answer)).toEqual([503, undefined]);
    afterFailure();
  }
  now.answer = undefined;
  await callerOf(guard, await as.sign(claimsFor(as)));
});

test.each(["metadata", "token"])("an exchange while %s answers with a temporary error", async (endpoint) => {
  const { as, now } = await issuerWith(endpoint);
  const exchange = tokenExchange({ issuer: as.issuer, clientId: "rs", clientSecret });
  const { auth } = await callerOf(guardOf(as, { exchange }), await as.sign(claimsFor(as)));
  for (const answer of passingAnswers) {
    now.answer = answer;
    const asked = exchange.token(auth, { audience: "files" });
    await expect(asked, JSON.stringify(answer)).rejects.toMatchObject({ code: "auth-unavailable" });
    afterFailure();
  }
});
