// 429, 5xx and their like are about the moment: they decide nothing about a grant, a registration or a login.
import { expect, onTestFinished, test, vi } from "vitest";
import { memoryStore } from "../../../runtime/auth/client.js";
import type { Answer, Call } from "../../support/auth/authorization-server.js";
import { failure, login, pair, send } from "./drive.js";

const statuses = [408, 425, 429, 500, 502, 503, 504];
const json = { "content-type": "application/json" };

/** Bodies that would end a grant or a client with another status. */
const bodies = ["rate_limited", "too_many_requests", "invalid_grant", "invalid_client", "access_denied"].map(
  (error) => JSON.stringify({ error, error_description: "Too many requests" }),
);

const texts = [...bodies, "<html>", "{}", '{"access_token":"x","token_type":"Bearer"}'];

const answers: readonly Answer[] = statuses.flatMap((status) =>
  (status === 429 || status === 503 ? texts : bodies.slice(0, 1)).map((body) => ({
    status,
    headers: { ...json, "retry-after": "1" },
    body,
  })),
);

/** The request to which the answer of the moment is given. */
const isOf =
  (name: string) =>
  ({ endpoint, params }: Call): boolean => {
    const [wanted, grant] = name.split(" ");
    return endpoint === wanted && (grant === undefined || params.get("grant_type") === grant);
  };

test.each(["metadata", "token refresh_token"])(
  "a refresh while %s answers so leaves the login as it is, whatever the body says",
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

test("a registration while its endpoint answers so is not refused", async () => {
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

test("a login on another device while its endpoint answers so is not refused", async () => {
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

test("a device code outlives polls that are answered so, each five seconds later (RFC 8628, 3.5)", async () => {
  const left = answers.filter(({ body }) => body === bodies[0]);
  const polls = left.length;
  let code = "";
  const { as, rs } = await pair({
    fault: (call, honest) => {
      // The fixture sees pauses that the test cuts short.
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

test.each([400, 401, 403])("an answer %i with an error decides: the user logs in again", async (status) => {
  let refused = false;
  const isRefresh = isOf("token refresh_token");
  const { as, rs } = await pair({
    fault: (call, honest) =>
      refused && isRefresh(call) ? { status, headers: json, body: '{"error":"invalid_grant"}' } : honest,
  });
  const authorizer = login();
  await send(authorizer, rs.url);
  as.expireAccessTokens();
  refused = true;
  expect(await send(authorizer, rs.url)).toBe(200);
  expect(as.count("authorize")).toBe(2);
});
