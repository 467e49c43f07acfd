import { clientRevisions } from "@mcpgen/protocol/client";
import { connect } from "@mcpgen/runtime";
import { rejection, same } from "./assert.mjs";
import { outcomes } from "./cases.mjs";
import { legacy, newest } from "./party.mjs";

const asked = { elicit: () => ({ action: "accept", content: { name: "Ada" } }) };

/** What client and server do over the pipes of a process. */
const cases = [
  ...[...legacy, newest].map((revision) => ({
    name: `stdio at ${revision}: lists, calls, progress, errors`,
    run: (command) =>
      connected(command, { revision }, async (client) => {
        same(client.revision, revision);
        same(
          (await client.listTools()).items.some(({ name }) => name === "echo"),
          true,
        );
        const progress = [];
        await client.callTool("steps", { count: 3 }, { onProgress: (each) => progress.push(each.progress) });
        same(progress, [1, 2, 3]);
        same((await client.callTool("fail")).isError, true);
        same(
          (await rejection(client.request("resources/read", { uri: "note://no" }))).code,
          "resource-not-found",
        );
      }),
  })),
  {
    name: "stdio: the newest revision of both sides is found",
    run: (command) => connected(command, {}, async (client) => same(client.revision, newest)),
  },
  ...["2025-11-25", newest].map((revision) => ({
    name: `stdio at ${revision}: the user is asked`,
    run: (command) =>
      connected(command, { revision, ...asked }, async (client) =>
        same((await client.callTool("greet")).content[0].text, "Hello, Ada"),
      ),
  })),
  {
    name: "stdio: large messages, and many at once",
    run: (command) =>
      connected(command, {}, async (client) => {
        const text = "0123456789äöü€𝄞".repeat(100_000);
        same((await client.callTool("length", { text })).content[0].text, String(text.length));
        same((await client.callTool("echo", { text })).content[0].text === text, true);
        const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
        const called = await Promise.all(texts.map((each) => client.callTool("echo", { text: each })));
        same(
          called.map(({ content }) => content[0].text),
          texts,
        );
      }),
  },
  {
    name: "stdio: a call is cancelled, and the server hears of it",
    run: (command) =>
      connected(command, {}, async (client) => {
        const controller = new AbortController();
        const waiting = client.callTool("hold", { name: "cancelled" }, { signal: controller.signal });
        waiting.catch(() => undefined);
        await client.callTool("seen", { name: "cancelled", what: "began" });
        controller.abort();
        same((await rejection(waiting)).code, "cancelled");
        await client.callTool("seen", { name: "cancelled", what: "aborted" });
      }),
  },
  {
    name: "stdio: a program that does not exist is reported as such",
    run: async () => same((await rejection(open(["/no/such/program"]))).code, "spawn-failed"),
  },
  {
    name: "stdio: a program that ends at once is reported as such",
    run: async () => same((await rejection(open(["/bin/false"]))).code, "connection-closed"),
  },
];

/** @returns by name, the error of each that failed, and `null` of each that did not */
export function report(command) {
  return outcomes(cases, (each) => each.run(command));
}

export const stdioNames = cases.map(({ name }) => name);

async function connected(command, options, use) {
  const client = await open(command, options);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

function open([command, ...args], options = {}) {
  return connect({ command, args }, { revisions: clientRevisions, ...options });
}
