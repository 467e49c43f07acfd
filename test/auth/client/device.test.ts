import { expect, onTestFinished, test, vi } from "vitest";
import type { DevicePrompt, OAuthOptions } from "../../../runtime/auth/client.js";
import type { Answer, Call } from "../../support/auth/authorization-server.js";
import { failure, login, pair, send } from "./drive.js";

const fast = { pollSeconds: 0.02 };

/** A user who gets the code, and decides about it. */
const decided =
  (decide: (code: string) => void, shown: DevicePrompt[] = []): NonNullable<OAuthOptions["device"]> =>
  (prompt) => {
    shown.push(prompt);
    decide(prompt.userCode);
  };

test("a login on another device replaces the redirect, with resource and scopes", async () => {
  const shown: DevicePrompt[] = [];
  const { as, rs } = await pair(
    {
      ...fast,
      fault: (call, answer) => {
        // The user decides after the answer to the first poll, so that there is a second poll.
        if (call.endpoint === "token") as.decideDevice(shown[0]!.userCode);
        return answer;
      },
    },
    { scopes: ["files:read"] },
  );
  const device = decided(() => {}, shown);
  expect(await send(login({ device }), rs.url)).toBe(200);
  expect(shown).toMatchObject([
    { issuer: as.issuer, resource: rs.url, scopes: ["files:read"], expiresIn: 600 },
  ]);
  expect(as.count("authorize")).toBe(0);
  expect(as.count("token")).toBeGreaterThan(1);
  const asked = as.calls.find(({ endpoint }) => endpoint === "device")!.params;
  expect([asked.get("resource"), asked.get("scope")]).toEqual([rs.url, "files:read"]);
});

test("without such an endpoint the redirect is used", async () => {
  const { as, rs } = await pair({ metadata: { device_authorization_endpoint: undefined } });
  expect(await send(login({ device: () => expect.unreachable() }), rs.url)).toBe(200);
  expect(as.count("authorize")).toBe(1);
});

test("a user who refuses ends the login", async () => {
  const { as, rs } = await pair(fast);
  const device = decided((code) => as.decideDevice(code, ""));
  expect(await failure(send(login({ device }), rs.url))).toBe("auth-refused");
});

test("a server that asks for slower polls is asked five seconds later (RFC 8628, 3.5)", async () => {
  let code: string | undefined;
  const { as, rs } = await pair({
    ...fast,
    fault: (call, answer) => {
      // The pauses between polls are shorter in this test than the fixture allows: make it forget the last poll.
      for (const device of as.state.devices.values()) device.polled = undefined;
      if (call.endpoint !== "token" || code === undefined) return answer;
      as.decideDevice(code);
      code = undefined;
      return { status: 400, body: { error: "slow_down" } };
    },
  });
  const { setTimeout: start } = globalThis;
  let pauses = 0;
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(((
    ends: () => void,
    ms: number,
    ...more: []
  ) => {
    const isSlow = ms === 5100;
    if (isSlow) pauses++;
    return start(ends, isSlow ? 0 : ms, ...more);
  }) as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  expect(await send(login({ device: decided((shown) => (code = shown)) }), rs.url)).toBe(200);
  expect(pauses).toBe(1);
});

/** Changes the answer of the device endpoint. */
const answering =
  (change: object) =>
  (call: Call, answer: Answer): Answer =>
    call.endpoint === "device" ? { ...answer, body: { ...(answer.body as object), ...change } } : answer;

test("a code that is not entered in time ends the login", async () => {
  const { rs } = await pair({ ...fast, fault: answering({ expires_in: 0.1 }) });
  expect(await failure(send(login({ device: () => {} }), rs.url))).toMatch(
    /^auth-(needs-user|metadata-invalid)$/,
  );
});

test.each([
  { verification_uri: "javascript:alert(1)" },
  { verification_uri: "http://evil.example/" },
  { user_code: "AB\u001b[2JCD" },
  { user_code: "A".repeat(65) },
])("an address or code that is not safe to show is refused: %j", async (change) => {
  const { rs } = await pair({ ...fast, fault: answering(change) });
  const device = (): void => expect.unreachable();
  expect(await failure(send(login({ device }), rs.url))).toBe("auth-metadata-unsafe");
});

test.each([
  ["a huge interval", { interval: 1e12, expires_in: 0.3 }, 0],
  ["an interval beyond every number", { interval: 1e300, expires_in: 0.3 }, 0],
  ["a tiny interval", { interval: 1e-9, expires_in: 0.35 }, 3],
])("%s does not cause endless polls", async (_, device, most) => {
  const { as, rs } = await pair({
    fault: (call, answer) =>
      call.endpoint === "device" ? { ...answer, body: { ...(answer.body as object), ...device } } : answer,
  });
  expect(await failure(send(login({ device: () => undefined }), rs.url))).toBe("auth-needs-user");
  expect(as.count("token")).toBeLessThanOrEqual(most);
});

test("the code is valid for an hour at most, whatever the server says", async () => {
  const shown: DevicePrompt[] = [];
  const { as, rs } = await pair({
    ...fast,
    fault: (call, answer) =>
      call.endpoint === "device"
        ? { ...answer, body: { ...(answer.body as object), expires_in: 1e300 } }
        : answer,
  });
  const device = decided((code) => as.decideDevice(code, ""), shown);
  expect(await failure(send(login({ device }), rs.url))).toBe("auth-refused");
  expect(shown[0]!.expiresIn).toBe(3600);
});

test.each(["5 s", -1, [], {}, true])("an answer with the interval %s is invalid", async (interval) => {
  const { as, rs } = await pair({
    fault: (call, answer) =>
      call.endpoint === "device" ? { ...answer, body: { ...(answer.body as object), interval } } : answer,
  });
  expect(await failure(send(login({ device: () => undefined }), rs.url))).toBe("auth-metadata-invalid");
  expect(as.count("token")).toBe(0);
});

/** Members of the answer that a server may leave out, with what it may write in their place. */
test.each<[string, Record<string, unknown>]>([
  ["null for the interval", { interval: null }],
  ["null for the address with the code", { verification_uri_complete: null }],
  ["null for unknown members", { message: null, error: null }],
  ["seconds as texts", { interval: "0.02", expires_in: "600" }],
])("%s is accepted", async (_, members) => {
  const { as, rs } = await pair({
    ...fast,
    fault: (call, answer) =>
      call.endpoint === "device" ? { ...answer, body: { ...(answer.body as object), ...members } } : answer,
  });
  const shown: DevicePrompt[] = [];
  const { setTimeout: start } = globalThis;
  const soon = (ends: () => void, ms = 0): unknown => start(ends, Math.min(ms, 100));
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(soon as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
  expect(await send(login({ device: decided((code) => as.decideDevice(code), shown) }), rs.url)).toBe(200);
  expect(shown[0]!.expiresIn).toBe(600);
});

test.each(["device_code", "user_code", "verification_uri", "expires_in"])(
  "%s counts as missing if it is null, and the error names it",
  async (name) => {
    const { rs } = await pair({
      fault: (call, answer) =>
        call.endpoint === "device"
          ? { ...answer, body: { ...(answer.body as object), [name]: null } }
          : answer,
    });
    const sent = send(login({ device: () => expect.unreachable() }), rs.url);
    expect(await failure(sent)).toBe("auth-metadata-invalid");
    await expect(sent).rejects.toMatchObject({ cause: { message: expect.stringContaining(name) as string } });
  },
);
