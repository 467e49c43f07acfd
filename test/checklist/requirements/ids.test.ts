import { revisionIds } from "@mcpgen/protocol";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { type RawClient, raw } from "../../support/raw-stdio-client.js";

const ids = [0, "", 2 ** 53 - 1, -1, "0", "an id of some length, with ü and \u2028"];

/** A tool that runs until its signal fires, and counts. */
function counting() {
  const counts = { begun: 0, stopped: 0 };
  const define = (server: CodeFirstServer): void => {
    server.tool("long", {}, (_, { signal, progress }) => {
      counts.begun++;
      void progress(1);
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => {
          counts.stopped++;
          resolve("stopped");
        }),
      );
    });
    server.tool("short", {}, (_, { signal }) => {
      signal.addEventListener("abort", () => counts.stopped++);
      return "done";
    });
  };
  return { counts, define };
}

/** Resolves once as many calls have begun. */
async function begun(client: RawClient, count: number): Promise<void> {
  await client.next("notifications/progress", count);
}

describe.each(revisionIds)("R37, at %s", (revision) => {
  test("a cancellation reaches the handler whatever the id is, and no other", async () => {
    const { counts, define } = counting();
    const { client } = await raw(revision, define);
    for (const id of ids) client.start("tools/call", { name: "long", _meta: { progressToken: id } }, id);
    await begun(client, ids.length);
    for (const [index, id] of ids.entries()) {
      client.cancel(id);
      await client.settled();
      expect(counts).toEqual({ begun: ids.length, stopped: index + 1 });
    }
    expect(
      client.received.filter(({ method, result }) => method === undefined && result?.["content"]),
    ).toEqual([]);
  });

  test("answers repeat the id unchanged", async () => {
    const { define } = counting();
    const { client } = await raw(revision, define);
    for (const id of ids) {
      const answer = await client.request("tools/call", { name: "short" }, id);
      expect(answer.id).toBe(id);
      expect(answer.result).toMatchObject({ content: [{ type: "text", text: "done" }] });
    }
  });

  test("the end of the connection reaches running handlers, but not finished ones", async () => {
    const { counts, define } = counting();
    const { client, server, clock } = await raw(revision, define);
    await client.call("short");
    client.start("tools/call", { name: "long", _meta: { progressToken: 1 } }, 0);
    await begun(client, 1);
    client.hangUp();
    // Running requests have one second to be answered.
    await expect.poll(() => clock.waiting).toBe(1);
    await clock.advance(1000);
    await expect.poll(() => counts).toEqual({ begun: 1, stopped: 1 });
    await server.close();
    expect(counts.stopped).toBe(1);
  });

  test("the end of the server reaches running handlers, but not finished ones", async () => {
    const { counts, define } = counting();
    const { client, server } = await raw(revision, define);
    client.start("tools/call", { name: "long", _meta: { progressToken: 1 } }, "");
    await begun(client, 1);
    await server.close();
    expect(counts.stopped).toBe(1);
  });
});
