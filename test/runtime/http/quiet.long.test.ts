// Silence that is longer than the `fetch` of Node waits (300 s until the headers, and between bytes), by the clock on the wall.
import { setTimeout as sleep } from "node:timers/promises";
import { serverRevisions } from "@mcpgen/protocol";
import { createServer } from "@mcpgen/runtime";
import { serveHttp } from "@mcpgen/runtime/http";
import { expect, onTestFinished, test } from "vitest";
import { Party } from "../../support/raw-http-client.js";
import { type Incoming, type Script, connected } from "../../support/scripted-http-server.js";
import { thoroughTest } from "../../support/thorough-test.js";

const revisions = ["2025-11-25", "2026-07-28"];
const forms = ["auto", "sse"] as const;

/** Calls a tool that is silent for a time, in each era and form, in parallel through `fetch`. Returns the outcomes. */
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

const content = [{ type: "text", text: "at last" }];

/** Limits of the client, in milliseconds: far above the silence. */
const timeouts = { timeout: 600_000, totalTimeout: 900_000 };

/** How a server keeps silent before it answers a call. */
const silences: Record<string, (incoming: Incoming, answer: object) => Promise<void>> = {
  "330 s before the first byte of JSON": async (incoming, answer) => {
    await sleep(330_000);
    incoming.json(answer);
  },
  "330 s before the first byte of a stream": async (incoming, answer) => {
    await sleep(330_000);
    incoming.event(answer).end();
  },
  "310 s between the bytes of JSON": async (incoming, answer) => {
    const text = JSON.stringify(answer);
    incoming.events(text.slice(0, 20), { "content-type": "application/json" });
    await sleep(310_000);
    incoming.response.end(text.slice(20));
  },
  "310 s between the bytes of a stream": async (incoming, answer) => {
    incoming.events(": comment\n\n");
    await sleep(310_000);
    incoming.event(answer).end();
  },
};

/** Waits for each silence at a revision, at the same time. @returns those whose answer came */
function outlasted(revision: string): Promise<string[]> {
  const waits = Object.entries(silences).map(async ([name, silent]) => {
    const call: Script[string] = (incoming, server) =>
      silent(incoming, incoming.answer(server.result({ content })) as object);
    const { client } = await connected(revision, { "tools/call": call }, { timeouts });
    expect(await client.callTool("x")).toMatchObject({ content });
    return name;
  });
  return Promise.all(waits);
}

test("a server comments each 200 ms for 4 s", async () => {
  const texts = await quietCalls(4000, 200);
  for (const text of texts) expect(text).toMatch(/: \n\n: \n\n.*data: .*waited/s);
});

thoroughTest(
  "only the limits of the client end a request that is quiet, in both eras and roles",
  async () => {
    const names = Object.keys(silences);
    const [texts, ...heard] = await Promise.all([quietCalls(330_000), ...revisions.map(outlasted)]);
    for (const text of texts) expect(text).toContain("waited");
    expect(heard).toEqual([names, names]);
  },
);
