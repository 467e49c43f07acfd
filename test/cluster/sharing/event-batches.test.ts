import { type EventBatch, EventBatches } from "@mcpgen/cluster";
import { describe, expect, test } from "vitest";

/** Batches whose writer keeps what it got. */
function recorded(write?: (batch: EventBatch) => Promise<readonly string[]>) {
  const written: EventBatch[] = [];
  let number = 0;
  const batches = new EventBatches(async (batch) => {
    written.push({ ...batch, events: [...batch.events] });
    return write ? write(batch) : batch.events.map(() => `${number++}`);
  });
  const append = (data: string, session = "a", ttlMs = 1000, follow?: string): Promise<string> =>
    batches.append(session, "s", data, ttlMs, follow);
  const texts = (): string[][] => written.map(({ events }) => events.map(({ data }) => data));
  return { batches, append, texts };
}

describe("batches of events", () => {
  test("contain the events of one turn, and each call gets its id", async () => {
    const { append, texts } = recorded();
    expect(await Promise.all(["1", "2", "3"].map((data) => append(data)))).toEqual(["0", "1", "2"]);
    expect(await append("4")).toBe("3");
    expect(texts()).toEqual([["1", "2", "3"], ["4"]]);
  });

  test("belong to one session, time and channel, and keep the order of a session", async () => {
    const { append, texts } = recorded();
    await Promise.all([
      append("1"),
      append("2", "b"),
      append("3"),
      append("4", "a", 2000),
      append("5", "a", 2000, "c"),
      append("6"),
    ]);
    expect(texts()).toEqual([["1", "3"], ["4"], ["5"], ["2"], ["6"]]);
  });

  test("are bounded by events and characters", async () => {
    const { append, texts } = recorded();
    await Promise.all(Array.from({ length: 130 }, (_, index) => append(`${index}`)));
    expect(texts().map(({ length }) => length)).toEqual([64, 64, 2]);
    const big = recorded();
    await Promise.all(Array.from({ length: 4 }, () => big.append("x".repeat(500_000))));
    expect(big.texts().map(({ length }) => length)).toEqual([2, 2]);
  });

  test("are sent before another command", async () => {
    const { batches, append, texts } = recorded();
    const first = append("1");
    batches.flush();
    expect(texts()).toEqual([["1"]]);
    const second = append("2");
    expect(await Promise.all([first, second])).toEqual(["0", "1"]);
    expect(texts()).toEqual([["1"], ["2"]]);
  });

  test("make each of their calls fail if they fail, and the next one is still written", async () => {
    let fails = true;
    const { append } = recorded(async ({ events }) => {
      if (fails) throw new Error("away");
      return events.map(({ data }) => data);
    });
    const both = await Promise.allSettled([append("1"), append("2")]);
    expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    fails = false;
    expect(await append("3")).toBe("3");
  });
});
