// 429, 5xx and similar responses are temporary: a grant, a registration or a login must not end because of them.
import { expect, onTestFinished, test, vi } from "vitest";
import {
  clientCredentials,
  enterprise,
  forgetLogin,
  memoryStore,
  workloadIdentity,
} from "../../../runtime/auth/client.js";
import { type Answer, type Call, authorizationServer } from "../../support/auth/authorization-server.js";
import { passingAnswers } from "../../support/auth/passing-answers.js";
import { failure, login, pair, send } from "./drive.js";

const answers = passingAnswers;

/** Whether a call is the request that gets the temporary answer. */
const isOf =
  (name: string) =>
  ({ endpoint, params }: Call): boolean => {
    const [wanted, grant] = name.split(" ");
    return endpoint === wanted && (grant === undefined || params.get("grant_type") === grant);
  };

test.each(["metadata", "token refresh_token"])(
  "a refresh while %s answers with a temporary error does not change the login, whatever the body says",
  async (name) => {
    let answer: Answer | undefined;
    const isAnswered = isOf(name);
    const { as, rs } = await pair({
      // The fixture has used the token already when its answer is replaced.
      refresh: "keep",
      fault: (call, honest) => (answer && isAnswered(call) ? answer : honest),
    });
    const store = memoryStore();
    expect(await send(login({ store }), rs.url)).toBe(200);
    for (answer of answers) {
      as.expireAccessTokens();
      // A new process has no metadata yet.
      expect(await failure(send(login({ store }), rs.url)), JSON.stringify(answer)).toBe("auth-unavailable");
    }
    answer = undefined;
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("register")]).toEqual([1, 1]);
  },
);

test("a registration does not count as refused while its endpoint answers with a temporary error", async () => {
  let answer: Answer | undefined;
  const { as, rs } = await pair({
    fault: (call, honest) => (call.endpoint === "register" && answer) || honest,
  });
  const authorizer = login();
  for (answer of answers)
    expect(await failure(send(authorizer, rs.url)), JSON.stringify(answer)).toBe("auth-unavailable");
  expect(as.count("authorize")).toBe(0);
  answer = undefined;
  expect(await send(authorizer, rs.url)).toBe(200);
});

test("a login whose code gets a temporary error keeps its registration for the next login", async () => {
  let answer: Answer | undefined;
  const isAnswered = isOf("token authorization_code");
  const { as, rs } = await pair({ fault: (call, honest) => (isAnswered(call) && answer) || honest });
  const store = memoryStore();
  for (answer of answers)
    expect(await failure(send(login({ store }), rs.url)), JSON.stringify(answer)).toBe("auth-unavailable");
  answer = undefined;
  expect(await send(login({ store }), rs.url)).toBe(200);
  expect([as.count("register"), as.count("authorize")]).toEqual([1, answers.length + 1]);
});

const secret = "the-secret-of-ci";

test.each(["the metadata", "the token endpoint", "the identity provider"])(
  "flows without a user fail while %s answers with a temporary error, and get a token afterwards",
  async (which) => {
    let answer: Answer | undefined;
    const endpoint = which === "the metadata" ? "metadata" : "token";
    const fault = (call: Call, honest: Answer): Answer => (call.endpoint === endpoint && answer) || honest;
    const isProvider = which === "the identity provider";
    const platform = await authorizationServer({
      clients: [{ id: "app", secret }],
      ...(isProvider && { fault }),
    });
    const keys = { issuer: platform.issuer, jwks: () => platform.state.keys.jwks() };
    const trusted = (["workload", "id-jag"] as const).map((kind) => ({ ...keys, kind }));
    for (const kind of trusted) {
      const { as, rs } = await pair({
        clients: [{ id: "app", secret }],
        trusted: [kind],
        ...(!isProvider && { fault }),
      });
      const known = { id: "app", secret, issuer: as.issuer };
      const claims = { iss: platform.issuer, sub: "job", exp: 4e9 };
      const flows =
        kind.kind === "workload"
          ? [
              clientCredentials(known),
              workloadIdentity({
                issuer: as.issuer,
                assertion: () => platform.sign({ ...claims, aud: as.issuer }),
              }),
            ]
          : [
              enterprise({
                idp: platform.issuer,
                idToken: () => platform.sign({ ...claims, aud: "app" }),
                client: known,
                idpClient: { id: "app", secret },
              }),
            ];
      for (const flow of isProvider && kind.kind === "workload" ? [] : flows) {
        for (answer of answers)
          expect(await failure(send(flow, rs.url)), JSON.stringify(answer)).toBe("auth-unavailable");
        answer = undefined;
        expect(await send(flow, rs.url)).toBe(200);
      }
    }
  },
);

test("a logout reports that no token was revoked if the revocation gets a temporary error", async () => {
  let answer: Answer | undefined;
  const { as, rs } = await pair({
    fault: (call, honest) => (call.endpoint === "revoke" && answer) || honest,
  });
  const store = memoryStore();
  for (answer of [...answers, undefined]) {
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect(await forgetLogin(store, rs.url)).toBe(answer ? "removed" : "revoked");
  }
  expect(as.count("register")).toBe(answers.length + 1);
});

test("a login on another device does not count as refused while its endpoint answers with a temporary error", async () => {
  let answer: Answer | undefined;
  const { as, rs } = await pair({
    pollSeconds: 0.001,
    fault: (call, honest) => (call.endpoint === "device" && answer) || honest,
  });
  const authorizer = login({ device: ({ userCode }) => as.decideDevice(userCode) });
  for (answer of answers)
    expect(await failure(send(authorizer, rs.url)), JSON.stringify(answer)).toBe("auth-unavailable");
  answer = undefined;
  expect(await send(authorizer, rs.url)).toBe(200);
});

test("a device code outlives polls with temporary errors; each delays the next poll by five seconds (RFC 8628, 3.5)", async () => {
  const left = answers.filter(({ body }) => String(body).includes("invalid_grant"));
  const polls = left.length;
  let code = "";
  const { as, rs } = await pair({
    fault: (call, honest) => {
      // The pauses between polls are shorter in this test than the fixture allows: make it forget the last poll.
      for (const device of as.state.devices.values()) device.polled = undefined;
      const answer = call.endpoint === "token" ? left.shift() : undefined;
      if (answer && left.length === 0) as.decideDevice(code);
      return answer ?? honest;
    },
  });
  const { setTimeout: start } = globalThis;
  const pauses: number[] = [];
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    ends: () => void,
    ms: number,
    ...more: []
  ) => {
    const isPause = ms % 5000 === 1000;
    if (isPause) pauses.push(ms);
    return start(ends, isPause ? 0 : ms, ...more);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  expect(await send(login({ device: ({ userCode }) => void (code = userCode) }), rs.url)).toBe(200);
  expect(pauses).toEqual(Array.from({ length: polls + 1 }, (_, index) => 1000 + 5000 * index));
  expect(as.count("device")).toBe(1);
});

test.each([400, 401, 403])(
  "an answer %i with an OAuth error is final: the user logs in again",
  async (status) => {
    let refused = false;
    const isRefresh = isOf("token refresh_token");
    const { as, rs } = await pair({
      fault: (call, honest) =>
        refused && isRefresh(call)
          ? { status, headers: { "content-type": "application/json" }, body: '{"error":"invalid_grant"}' }
          : honest,
    });
    const authorizer = login();
    await send(authorizer, rs.url);
    as.expireAccessTokens();
    refused = true;
    expect(await send(authorizer, rs.url)).toBe(200);
    expect(as.count("authorize")).toBe(2);
  },
);
