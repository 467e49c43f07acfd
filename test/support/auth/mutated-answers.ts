// Answers of authorization servers with one mutation each. Clients, verifiers and proxies must refuse such an answer
// with a code, or use the parts that are still valid.
import fc from "fast-check";
import { expect, onTestFinished, vi } from "vitest";
import { cases, seed } from "../cases.mjs";
import { mutationsOf, strangeTexts } from "../mutations.mjs";
import { uncaughtErrors } from "../uncaught.js";
import type { Answer, AuthorizationServerOptions, Call } from "./authorization-server.js";

export type Fault = NonNullable<AuthorizationServerOptions["fault"]>;

/** Uses a server whose answers a fault changes. Resolves with the outcome: a code, a status, or the thrown error. */
export type Use = (fault: Fault) => Promise<string>;

const bodyOf = (answer: Answer): unknown =>
  typeof answer.body === "object" ? JSON.parse(JSON.stringify(answer.body)) : undefined;

/** All mutations of the recorded answers. */
async function casesOf(
  endpoints: readonly string[],
  use: Use,
): Promise<(readonly [what: string, make: () => Fault])[]> {
  const seen: { call: Call; answer: Answer }[] = [];
  expect(await use((call, answer) => (seen.push({ call, answer }), answer))).toBe("answered 200");
  return seen.flatMap(({ call: { endpoint }, answer }, place) => {
    if (!endpoints.includes(endpoint) || bodyOf(answer) === undefined) return [];
    const others = [
      ...[...mutationsOf(bodyOf(answer))].map(
        ([what], index) =>
          [what, (own: Answer) => JSON.stringify([...mutationsOf(bodyOf(own))][index]?.[1])] as const,
      ),
      ...strangeTexts.map((text) => [JSON.stringify(text.slice(0, 20)), () => text] as const),
    ];
    return others.map(([what, change]) => {
      const make = (): Fault => {
        let count = 0;
        return (_, own) => (count++ === place ? { ...own, body: change(own) } : own);
      };
      return [`answer ${place} of ${endpoint}: ${what}`, make] as const;
    });
  });
}

/** Ends pauses between polls at once. */
function withoutPauses(): void {
  const { setTimeout: start } = globalThis;
  const short = (ends: () => void, ms = 0, ...more: []): unknown =>
    start(ends, ms >= 1000 && ms <= 10_000 ? 0 : ms, ...more);
  const timers = vi.spyOn(globalThis, "setTimeout").mockImplementation(short as typeof setTimeout);
  onTestFinished(() => timers.mockRestore());
}

/** Expects a valid outcome or a code for each mutation of the answers of these endpoints. */
export async function expectCodes(endpoints: readonly string[], use: Use): Promise<void> {
  withoutPauses();
  const uncaught = uncaughtErrors();
  const all = await casesOf(endpoints, use);
  expect(all.length).toBeGreaterThan(100);
  const drawn = fc.sample(fc.constantFrom(...all), { seed, numRuns: cases(all.length, 15) });
  const outcomes = new Map<string, string>();
  for (const [what, make] of drawn) {
    const outcome = await use(make()).catch((error: unknown) => `threw ${String(error)}`);
    outcomes.set(what, outcome);
    for (const error of uncaught.splice(0)) outcomes.set(what, `uncaught ${String(error)}`);
  }
  const wrong = [...outcomes].filter(
    ([, outcome]) => !/^(answered 200|refused (401|503)|auth-[a-z-]+)$/.test(outcome),
  );
  expect(wrong).toEqual([]);
  expect([...outcomes.values()].filter((outcome) => outcome !== "answered 200").length).toBeGreaterThan(0);
}
