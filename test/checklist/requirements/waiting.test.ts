import { revisionIds } from "@mcpgen/protocol";
import { describe, expect, test } from "vitest";
import { type Connected, connected, reply } from "../../support/scripted-stdio-server.js";

const content = [{ type: "text" as const, text: "done" }];

/** A tool that takes three minutes and reports progress every 20 seconds, or not. */
async function threeMinutes({ client, peer, clock }: Connected, reports: boolean, listens: boolean) {
  const heard: number[] = [];
  const outcome = client
    .callTool(
      "slow",
      {},
      { timeout: 30_000, ...(listens ? { onProgress: ({ progress }) => heard.push(progress) } : {}) },
    )
    .then(
      (result) => result.content,
      (error: unknown) => error,
    );
  const { id, params } = await peer.until("tools/call");
  for (let progress = 1; progress < 9; progress++) {
    await clock.advance(20_000);
    if (reports)
      peer.notify("notifications/progress", { progressToken: params!._meta!["progressToken"], progress });
  }
  await clock.advance(20_000);
  peer.send({ jsonrpc: "2.0", id, ...reply(peer, { content }) });
  return { outcome: await outcome, heard };
}

describe.each(revisionIds)("R36, at %s", (revision) => {
  const silent = { "tools/call": () => undefined };

  test("progress extends the wait, with or without a listener", async () => {
    const steps = [1, 2, 3, 4, 5, 6, 7, 8];
    expect(await threeMinutes(await connected(revision, silent), true, true)).toEqual({
      outcome: content,
      heard: steps,
    });
    expect(await threeMinutes(await connected(revision, silent), true, false)).toEqual({
      outcome: content,
      heard: [],
    });
  });

  test("without progress, the call fails with a timeout when its time is over", async () => {
    const { outcome } = await threeMinutes(await connected(revision, silent), false, true);
    expect(outcome).toMatchObject({
      code: "timeout",
      message: "tools/call: no answer or progress for 30000 ms",
      data: { timer: "timeout", limit: 30_000, elapsed: 30_000, sinceLastSign: 30_000 },
    });
  });

  test("the error names the total limit, with the last sign of life", async () => {
    const { client, peer, clock } = await connected(revision, silent);
    const outcome = client
      .callTool("slow", {}, { timeout: 30_000, totalTimeout: 50_000 })
      .catch((error: unknown) => error);
    const { params } = await peer.until("tools/call");
    await clock.advance(29_000);
    peer.notify("notifications/progress", { progressToken: params!._meta!["progressToken"], progress: 1 });
    await clock.advance(21_000);
    expect(await outcome).toMatchObject({
      code: "timeout",
      data: { timer: "totalTimeout", limit: 50_000, elapsed: 50_000, sinceLastSign: 21_000 },
    });
  });
});

const tool = (name: string) => ({ name, inputSchema: { type: "object" } });

describe.each(revisionIds)("R38, at %s", (revision) => {
  test("an endless cursor with other items each time is read like any list", async () => {
    let page = 0;
    const { client } = await connected(revision, {
      "tools/list": (_, peer) => {
        const name = `t${page++}`;
        return reply(peer, { tools: [tool(name)], ...(page < 20 ? { nextCursor: "next" } : {}) });
      },
    });
    const { items } = await client.listTools();
    expect(items.map(({ name }) => name)).toEqual(Array.from({ length: 20 }, (_, n) => `t${n}`));
  });

  test("an endless cursor with the same items is an error, which contains them", async () => {
    const { client, peer } = await connected(revision, {
      "tools/list": (_, self) => reply(self, { tools: [tool("a"), tool("b")], nextCursor: "next" }),
    });
    const read: string[] = [];
    const walk = async (): Promise<void> => {
      for await (const { name } of client.items<{ name: string }>("tools/list")) read.push(name);
    };
    await expect(walk()).rejects.toMatchObject({
      code: "list-incomplete",
      data: { items: [expect.objectContaining(tool("a")), expect.objectContaining(tool("b"))] },
    });
    expect(read).toEqual(["a", "b"]);
    expect(peer.of("tools/list")).toHaveLength(2);
  });

  test("circular cursors are detected", async () => {
    const { client } = await connected(revision, {
      "tools/list": ({ params }, peer) => {
        const page = Number(params?.["cursor"] ?? 0);
        return reply(peer, { tools: [tool(`t${page}`)], nextCursor: String((page + 1) % 3) });
      },
    });
    await expect(client.listTools()).rejects.toMatchObject({ code: "list-incomplete" });
  });

  test("a limit ends the list with an error, never silently", async () => {
    const { client } = await connected(revision, {
      "tools/list": ({ params }, peer) => {
        const page = Number(params?.["cursor"] ?? 0);
        return reply(peer, {
          tools: [tool(`t${page}`)],
          ...(page < 9 ? { nextCursor: String(page + 1) } : {}),
        });
      },
    });
    for (const bound of [{ maxPages: 4 }, { maxItems: 4 }]) {
      const error = await client.listTools(bound).catch((thrown: { data: { items: unknown[] } }) => thrown);
      expect(error).toMatchObject({ code: "list-incomplete" });
      expect((error as { data: { items: unknown[] } }).data.items).toHaveLength(4);
    }
    expect((await client.listTools({ maxPages: 10, maxItems: 10 })).items).toHaveLength(10);
  });
});
