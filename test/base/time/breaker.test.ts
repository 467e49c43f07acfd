import { Breaker } from "@mcpgen/base";
import { VirtualClock } from "@mcpgen/testing";
import { expect, test } from "vitest";

/** An engine that answers when the test wants it. */
function engine() {
  const clock = new VirtualClock();
  const breaker = new Breaker("Engine", 0, clock);
  const answers: (() => void)[] = [];
  /** Whether the engine is away. */
  const state = { away: false };
  const send = (): Promise<string> =>
    breaker.run(
      () => new Promise((resolve) => (state.away ? answers.push(() => resolve("late")) : resolve("ok"))),
    );
  return { clock, breaker, answers, state, send };
}

test("commands and their errors pass while the engine answers", async () => {
  const { breaker, send } = engine();
  expect(await send()).toBe("ok");
  for (let count = 0; count < 3; count++)
    await expect(breaker.run(() => Promise.reject(new Error("WRONGTYPE")))).rejects.toThrow("WRONGTYPE");
  await expect(
    breaker.run(() => {
      throw new Error("closed");
    }),
  ).rejects.toThrow("closed");
  expect(await send()).toBe("ok");
});

test("after a timeout, commands fail at once, except one per timeout", async () => {
  const { clock, answers, state, send } = engine();
  state.away = true;
  const first = expect(send()).rejects.toThrow("Engine did not answer within 2000 ms");
  await clock.advance(2000);
  await first;
  await expect(send()).rejects.toThrow("Engine does not answer: the command was not sent");
  expect(answers).toHaveLength(1);
  await clock.advance(2000);
  const probe = expect(send()).rejects.toThrow("did not answer");
  await expect(send()).rejects.toThrow("was not sent");
  expect(answers).toHaveLength(2);
  await clock.advance(2000);
  await probe;
});

test("a command that waits in the engine has that time, too", async () => {
  const clock = new VirtualClock();
  const sent = new Breaker("Engine", 5000, clock).run(() => new Promise(() => {}));
  const failed = expect(sent).rejects.toThrow("Engine did not answer within 7000 ms");
  await clock.advance(7000);
  await failed;
});

test("any answer, even a late one, lets commands pass again", async () => {
  const { clock, answers, state, send } = engine();
  state.away = true;
  const first = expect(send()).rejects.toThrow("did not answer");
  await clock.advance(2000);
  await first;
  state.away = false;
  await expect(send()).rejects.toThrow("was not sent");
  answers[0]!();
  await Promise.resolve();
  await Promise.resolve();
  expect(await send()).toBe("ok");
});

test("no more than 1,024 commands wait", async () => {
  const { clock, answers, state, send } = engine();
  state.away = true;
  const sent = Promise.allSettled(Array.from({ length: 5000 }, send));
  expect(answers).toHaveLength(1024);
  await clock.advance(2000);
  const reasons = (await sent).map((each) => (each.status === "rejected" ? String(each.reason) : ""));
  expect(reasons.filter((reason) => reason.includes("did not answer within"))).toHaveLength(1024);
  expect(reasons.filter((reason) => reason.includes("was not sent"))).toHaveLength(5000 - 1024);
});
