import { createServer } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { pinnedFetch } from "../../../runtime/auth/shared/pinned-fetch.js";
import { listen } from "../../support/listen.js";

/** A port of this machine, and how many connections it got. */
async function target(): Promise<{ readonly port: number; connections: () => number }> {
  let count = 0;
  const server = createServer((socket) => {
    count++;
    socket.destroy();
  });
  onTestFinished(() => void server.close());
  return { port: await listen(server), connections: () => count };
}

type Address = { readonly address: string; readonly family: number };

/** Resolves each name to the next of the lists, and counts. */
function resolver(...answers: readonly (readonly Address[])[]): { lookup: never; count: () => number } {
  let count = 0;
  const lookup = (
    _: string,
    __: unknown,
    callback: (error: null, addresses: readonly Address[]) => void,
  ): void => callback(null, answers[Math.min(count++, answers.length - 1)]!);
  return { lookup: lookup as never, count: () => count };
}

const v4 = (address: string): Address => ({ address, family: 4 });
const v6 = (address: string): Address => ({ address, family: 6 });

describe("attack 12: addresses of private networks", () => {
  test.each([
    "127.0.0.1",
    "[::ffff:7f00:1]",
    "[::ffff:127.0.0.1]",
    "[::1]",
    "[::]",
    "[::127.0.0.1]",
    "[64:ff9b::7f00:1]",
    "[2002:7f00:1::]",
    "[fe80::1]",
    "[fd00::1]",
    "0x7f.1",
    "0177.0.0.1",
    "2130706433",
    "0.0.0.0",
    "10.1.2.3",
    "100.64.0.1",
    "169.254.169.254",
    "172.31.0.1",
    "192.168.1.1",
    "localhost",
  ])("https://%s gets no connection", async (host) => {
    const { port, connections } = await target();
    const sent = pinnedFetch()!(`https://${host}:${port}/`, { signal: AbortSignal.timeout(5000) });
    await expect(sent).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect(connections()).toBe(0);
  });

  test("a name of this machine with a full stop gets no connection", async () => {
    const { port, connections } = await target();
    const sent = pinnedFetch()!(`https://localhost.:${port}/`, { signal: AbortSignal.timeout(5000) });
    await expect(sent).rejects.toThrow();
    expect(connections()).toBe(0);
  });

  test.each([
    ["one private", [v4("127.0.0.1")]],
    ["one private beside a public one", [v4("93.184.216.34"), v4("127.0.0.1")]],
    ["IPv6 that embeds a private one", [v6("::ffff:127.0.0.1")]],
    ["none", []],
  ])("a name that resolves to %s gets no connection", async (_, addresses) => {
    const { port, connections } = await target();
    const { lookup, count } = resolver(addresses);
    const sent = pinnedFetch(lookup)!(`https://as.example:${port}/`, { signal: AbortSignal.timeout(5000) });
    await expect(sent).rejects.toMatchObject({ code: "auth-metadata-unsafe" });
    expect([connections(), count()]).toEqual([0, 1]);
  });

  test("a name is resolved once: what it resolves to later is of no effect (DNS rebinding)", async () => {
    const { port, connections } = await target();
    const { lookup, count } = resolver([v4("192.0.2.1")], [v4("127.0.0.1")]);
    const sent = pinnedFetch(lookup)!(`https://rebind.example:${port}/`, {
      signal: AbortSignal.timeout(100),
    });
    await expect(sent).rejects.toThrow();
    expect([connections(), count()]).toEqual([0, 1]);
  });
});
