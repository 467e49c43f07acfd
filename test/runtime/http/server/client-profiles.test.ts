import { expect, test } from "vitest";
import { ClientProfiles } from "../../../../runtime/core/legacy/http/client-profiles.js";
import type { Session } from "../../../../runtime/core/server/server-definition.js";

const sessionOf = (name: string): Session =>
  ({
    clientInfo: { name, version: "1" },
    clientCapabilities: { elicitation: {} },
    declared: { tools: { listChanged: true } },
    logLevel: "debug",
  }) as unknown as Session;

/** Lets new sessions share their profiles. */
function shared(profiles: ClientProfiles, ...names: string[]): Session[] {
  return names.map((name) => {
    const session = sessionOf(name);
    profiles.share(session);
    return session;
  });
}

test("sessions whose clients declare the same share one frozen profile, and keep their own data", () => {
  const [one, same, other] = shared(new ClientProfiles(), "a", "a", "b");
  for (const name of ["clientInfo", "clientCapabilities", "declared"] as const) {
    expect(one![name]).toEqual(sessionOf("a")[name]);
    expect(same![name]).toBe(one![name]);
    expect(other![name]).not.toBe(one![name]);
  }
  expect(Object.isFrozen(one!.clientCapabilities.elicitation)).toBe(true);
  expect(one).toEqual(sessionOf("a"));
});

test("the value that a store returned is not changed", () => {
  const stored = sessionOf("a");
  const { clientCapabilities } = stored;
  new ClientProfiles().share(stored);
  expect(Object.isFrozen(clientCapabilities)).toBe(false);
  const without: Session = { ...sessionOf("a"), clientInfo: undefined };
  new ClientProfiles().share(without);
  expect(without.clientInfo).toBeUndefined();
});

test("the 64 most recently used profiles are kept, without long ones", () => {
  const profiles = new ClientProfiles();
  const names = Array.from({ length: 64 }, (_, index) => `client ${index}`);
  const [first] = shared(profiles, ...names);
  const [again] = shared(profiles, names[0]!, "one more");
  expect(again!.clientInfo).toBe(first!.clientInfo);
  const [kept, second] = shared(profiles, names[0]!, names[1]!);
  expect(kept!.clientInfo).toBe(first!.clientInfo);
  expect(second!.clientInfo).toEqual(sessionOf(names[1]!).clientInfo);
  const [long, alike] = shared(profiles, "x".repeat(5000), "x".repeat(5000));
  expect(long!.clientInfo).not.toBe(alike!.clientInfo);
});
