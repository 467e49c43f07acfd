// A tool that says nothing for longer than the `fetch` of Node waits, by the clock on the wall.
import { setTimeout as sleep } from "node:timers/promises";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { Party } from "../../../support/raw-http-client.js";
import { thoroughTest } from "../../../support/thorough-test.js";

const revisions = ["2025-11-25", "2026-07-28"];
const forms = ["auto", "sse"] as const;

/** Calls a tool that says nothing for a time, in each era and form, side by side. Gives what came, through `fetch`. */
async function quietCalls(milliseconds: number, keepAliveMs?: number): Promise<string[]> {
  const server = createServer({ name: "quiet", version: "1" }, { revisions: serverRevisions });
  server.tool("quiet", {}, async () => {
    await sleep(milliseconds);
    return "waited";
  });
  const calls = forms.flatMap((responses) =>
    revisions.map(async (revision) => {
      const http = await serveHttp(server, {
        port: 0,
        responses,
        ...(keepAliveMs !== undefined && { keepAliveMs }),
      });
      onTestFinished(() => http.close());
      const party = await new Party(http.url, revision).open();
      const message = party.call("quiet");
      const init = { method: "POST", headers: party.headersOf(message), body: JSON.stringify(message) };
      return (await fetch(http.url, init)).text();
    }),
  );
  return Promise.all(calls);
}

test("4 s, with a comment each 200 ms", async () => {
  const texts = await quietCalls(4000, 200);
  for (const text of texts) expect(text).toMatch(/: \n\n: \n\n.*data: .*waited/s);
});

// The limit of Node's `fetch` is 300 s until the headers, and between bytes.
thoroughTest("330 s", async () => {
  const texts = await quietCalls(330_000);
  for (const text of texts) expect(text).toContain("waited");
});
