import { expect, test } from "vitest";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { VirtualClock, createTestPair } from "@mcpgen/runtime/testing";

test("timers fire in order, each at its own time, those set on the way as well", async () => {
  const clock = new VirtualClock(1000);
  const fired: [string, number][] = [];
  const note = (name: string) => () => void fired.push([name, clock.now()]);
  clock.schedule(note("later"), 20);
  clock.schedule(() => {
    note("first")();
    clock.schedule(note("set on the way"), 5);
  }, 10);
  clock.schedule(note("same time, set after"), 10);
  clock.clear(clock.schedule(note("cleared"), 1));
  clock.schedule(note("not yet"), 31);
  await clock.advance(30);
  expect(fired).toEqual([
    ["first", 1010],
    ["same time, set after", 1010],
    ["set on the way", 1015],
    ["later", 1020],
  ]);
  expect(clock.now()).toBe(1030);
  expect(clock.waiting).toBe(1);
});

test("what follows from a timer happens before the next fires", async () => {
  const clock = new VirtualClock();
  const order: string[] = [];
  const wait = (delay: number): Promise<void> =>
    new Promise((resolve) => clock.schedule(() => resolve(), delay));
  void wait(1)
    .then(() => undefined)
    .then(() => order.push("follows from 1"));
  void wait(2).then(() => order.push("2"));
  await clock.advance(2);
  expect(order).toEqual(["follows from 1", "2"]);
});

test.each(clientRevisions.map(({ id }) => id))(
  "a minute passes at once: a call at %s times out, and no timer is left",
  async (revision) => {
    const clock = new VirtualClock();
    const server = createServer({ name: "slow", version: "1" }, { revisions: serverRevisions, clock });
    server.tool("sleep", {}, (_, { signal }) => {
      return new Promise((_resolve, reject) => signal.addEventListener("abort", reject));
    });
    const pair = await createTestPair({ server, revisions: clientRevisions, revision, clock });
    const call = pair.client.callTool("sleep", {}, { timeout: 60_000 });
    const outcome = call.catch((error: unknown) => error);
    await clock.advance(59_999);
    expect(pair.client.idle).toBe(false);
    await clock.advance(1);
    expect(await outcome).toMatchObject({ code: "timeout", data: { timer: "timeout", elapsed: 60_000 } });
    expect(pair.wire.session.at(-1)).toMatchObject({ from: "client", at: 60_000 });
    expect(pair.wire.messages("client").at(-1)).toMatchObject({ method: "notifications/cancelled" });
    expect(clock.waiting).toBe(0);
    await pair.close();
  },
);
