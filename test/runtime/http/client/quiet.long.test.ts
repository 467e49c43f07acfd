import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { type Incoming, type Script, connected } from "../../../support/scripted-http-server.js";
import { thoroughTest } from "../../../support/thorough-test.js";

const content = [{ type: "text", text: "at last" }];

/** Limits of the client, in milliseconds: far above the silence. */
const timeouts = { timeout: 600_000, totalTimeout: 900_000 };

/** How a server keeps silent before it answers a call: longer than `fetch` of Node waits, which is 300 seconds. */
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

thoroughTest("only the limits of the client end a request that is quiet, in both eras", async () => {
  const names = Object.keys(silences);
  expect(await Promise.all([outlasted("2025-11-25"), outlasted("2026-07-28")])).toEqual([names, names]);
});
