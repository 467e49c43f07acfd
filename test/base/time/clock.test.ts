import { readFileSync } from "node:fs";
import { createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { describe, expect, test, vi } from "vitest";
import { systemClock } from "../../../runtime/base/time/clock.js";
import { filesBelow } from "../../../scripts/rooms/imports.js";

/** The files that may read the wall clock, and what for. */
const mayReadDates: { readonly [file: string]: string } = {
  "runtime/base/time/clock.ts": "the expiry of sealed state, which other processes read",
  "runtime/cluster/sealed/sealed-sessions.ts": "the end of a sealed session, which other processes read",
  "runtime/core/http/client/http-response.ts": "Retry-After, which may be a date of HTTP",
  "runtime/observe/logging/logging.ts": "the time of a line of the log",
};

test("the runtime reads the wall clock only for dates that other processes read", () => {
  const reading = ["base", "core", "cluster", "observe"]
    .flatMap((name) => filesBelow(`runtime/${name}`))
    .filter((file) =>
      /\bDate\b\s*(?:\.\s*now|\(|\)|\.\s*prototype)|new\s+Date\b/.test(readFileSync(file, "utf8")),
    );
  expect(reading.sort()).toEqual(Object.keys(mayReadDates).sort());
});

const hours = 3_600_000;

/** Sets the wall clock, and leaves timers alone. */
function setWallClock(by: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + by });
}

describe.each([-2 * hours, 2 * hours])("with the wall clock set by %d ms", (by) => {
  test("a call still ends with its timeout, and not before", async () => {
    let began!: () => void;
    const running = new Promise<void>((resolve) => (began = resolve));
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("held", {}, () => {
      began();
      return new Promise<never>(() => {});
    });
    server.tool("echo", {}, () => "echo");
    const { client, close } = await createTestPair({ server, revisions: clientRevisions });
    // The first call loads modules, which takes time.
    await client.callTool("echo");
    const call = client.callTool("held", {}, { timeout: 40 });
    const late = expect(call).rejects.toMatchObject({ code: "timeout", data: { timer: "timeout" } });
    await running;
    setWallClock(by);
    expect(await client.callTool("echo", {}, { timeout: 30_000 })).toBeDefined();
    await late;
    await close();
  });

  test("a request to the client still ends with its timeout", async () => {
    const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
    server.tool("ask", {}, async (_, { ask }) => {
      const answer = await ask.roots("roots", { timeout: 40 }).catch((error: Error) => error.message);
      return JSON.stringify(answer);
    });
    const revision = "2025-11-25";
    const roots = (): Promise<never> => {
      setWallClock(by);
      return new Promise(() => {});
    };
    const { client, close } = await createTestPair({ server, revisions: clientRevisions, revision, roots });
    expect((await client.callTool("ask")).content).toEqual([
      { type: "text", text: expect.stringMatching(/no answer or progress for \d+ ms/) as string },
    ]);
    await close();
  });

  test("the clock returns whole milliseconds", async () => {
    const before = systemClock.now();
    setWallClock(by);
    const passed = systemClock.now() - before;
    expect(Number.isInteger(passed)).toBe(true);
    expect(Math.abs(passed)).toBeLessThan(hours);
  });
});
