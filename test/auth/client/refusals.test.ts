// Errors of OAuth that come with status 200, as GitHub and Slack send them, count as those with status 400 (RFC 6749, 5.2).
import { expect, test } from "vitest";
import { clientCredentials, memoryStore } from "../../../runtime/auth/client.js";
import type { Answer, Call } from "../../support/auth/authorization-server.js";
import { failure, login, pair, send } from "./drive.js";

const errorIn = ({ body }: Answer): unknown => Object(body)["error"];

/** The answer of the fixture; errors with status 200. */
const asSuccess = (_: Call, honest: Answer): Answer =>
  typeof errorIn(honest) === "string" ? { ...honest, status: 200 } : honest;

test.each([
  ["consents", undefined, "answered 200"],
  ["refuses", "", "auth-refused"],
] as const)("a login on another device waits until the user %s", async (_, subject, outcome) => {
  const polls: unknown[] = [];
  let code = "";
  const { as, rs } = await pair({
    pollSeconds: 0.02,
    fault: (call, honest) => {
      const answer = asSuccess(call, honest);
      if (call.endpoint === "token" && polls.push([answer.status, errorIn(answer)]) === 1)
        as.decideDevice(code, subject);
      return answer;
    },
  });
  expect(await failure(send(login({ device: ({ userCode }) => void (code = userCode) }), rs.url))).toBe(
    outcome,
  );
  expect(polls[0]).toEqual([200, "authorization_pending"]);
});

test("if the server refuses a device code, the login is refused", async () => {
  const { rs } = await pair({
    fault: ({ endpoint }, honest) =>
      endpoint === "device" ? { ...honest, body: { error: "device_flow_disabled" } } : honest,
  });
  const device = (): never => expect.unreachable();
  expect(await failure(send(login({ device }), rs.url))).toBe("auth-refused");
});

test.each(["invalid_grant", "bad_refresh_token", "invalid_refresh_token"])(
  "a refresh that is refused (%s) leads to a login, once",
  async (error) => {
    const { as, rs } = await pair({
      fault: ({ params }, honest) =>
        params.get("grant_type") === "refresh_token" ? { status: 200, body: { error } } : honest,
    });
    const authorizer = login();
    await send(authorizer, rs.url);
    as.expireAccessTokens();
    expect(await send(authorizer, rs.url)).toBe(200);
    expect([as.count("authorize"), as.count("token refresh_token")]).toEqual([2, 1]);
  },
);

test.each(["server_error", "temporarily_unavailable"])(
  "a refresh that fails temporarily (%s) does not change the login",
  async (error) => {
    let isBusy = true;
    const { as, rs } = await pair({
      // The fixture has used the token already when its answer is replaced.
      refresh: "keep",
      fault: ({ params }, honest) =>
        isBusy && params.get("grant_type") === "refresh_token" ? { status: 200, body: { error } } : honest,
    });
    const store = memoryStore();
    await send(login({ store }), rs.url);
    as.expireAccessTokens();
    expect(await failure(send(login({ store }), rs.url))).toBe("auth-unavailable");
    isBusy = false;
    expect(await send(login({ store }), rs.url)).toBe(200);
    expect(as.count("authorize")).toBe(1);
  },
);

test("in a response with a token, `error` counts as an unknown member (RFC 6749, 5.1)", async () => {
  const { rs } = await pair({
    fault: ({ endpoint }, honest) =>
      endpoint === "token" ? { ...honest, body: { ...(honest.body as object), error: "none" } } : honest,
  });
  expect(await send(login(), rs.url)).toBe(200);
});

test("a client with wrong credentials, and its registration, are refused", async () => {
  const secret = "the-secret-of-ci";
  const machine = await pair({ clients: [{ id: "app", secret: "another-secret" }], fault: asSuccess });
  const flow = clientCredentials({ id: "app", secret, issuer: machine.as.issuer });
  expect(await failure(send(flow, machine.rs.url))).toBe("auth-refused");
  const { rs } = await pair({
    fault: ({ endpoint }, honest) =>
      endpoint === "register" ? { status: 200, body: { error: "invalid_redirect_uri" } } : honest,
  });
  const error = await send(login(), rs.url).catch((thrown: Error) => thrown.cause);
  expect(error).toMatchObject({
    code: "auth-registration-impossible",
    message: expect.stringContaining("invalid_redirect_uri") as string,
  });
});
