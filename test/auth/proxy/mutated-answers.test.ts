// Every value of an answer of an authorization server, of every JSON type.
import { test } from "vitest";
import { jsonOr } from "../../../runtime/base/options/members.js";
import type { Answer, Call } from "../../support/auth/authorization-server.js";
import { expectCodes } from "../../support/auth/mutated-answers.js";
import { Proxied } from "./proxied.js";

test("a login by a proxy, and the token of its upstream", () =>
  expectCodes(["upstream"], async (fault) => {
    const call = { endpoint: "upstream" } as Call;
    const tokenAnswer = (body: Record<string, unknown>): Record<string, unknown> => {
      const { body: changed } = fault(call, { status: 200, body }) as Answer;
      return (typeof changed === "string" ? jsonOr(changed) : changed) as Record<string, unknown>;
    };
    const proxied = new Proxied({}, { expiresIn: 600, tokenAnswer });
    const client = await proxied.register();
    const browsed = await proxied.login(client);
    const answer = await proxied.redeem(client, browsed);
    if (answer.status !== 200) return `refused ${answer.status === 400 ? 401 : answer.status}`;
    const { access_token: token } = (await answer.json()) as { readonly access_token: string };
    const claims = await proxied.proxy.verify(token);
    proxied.now += 550_000;
    return proxied.proxy.upstream(claims).then(
      () => "answered 200",
      (error: { readonly code?: unknown }) => String(error.code ?? error),
    );
  }));
