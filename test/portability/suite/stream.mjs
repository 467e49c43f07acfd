// Behaviour of client and server over any transport that is a stream of messages (`Channel`).
import { rejection, same } from "./assert.mjs";
import { legacy, newest } from "./party.mjs";

const asked = { elicit: () => ({ action: "accept", content: { name: "Ada" } }) };

/**
 * The behaviours that every transport must pass.
 *
 * @param transport its name, with which the names of the cases begin
 * @returns cases whose `run` is given `open(options)`: it connects a client, with these options of `connect`, to a server
 *   (fixture.mjs) over the transport
 */
export function streamCases(transport) {
  return [
    ...[...legacy, newest].map((revision) => ({
      name: `${transport} at ${revision}: lists, calls, progress, errors`,
      run: (open) =>
        connected(open, { revision }, async (client) => {
          same(client.revision, revision);
          same(
            (await client.listTools()).items.some(({ name }) => name === "echo"),
            true,
          );
          const progress = [];
          await client.callTool(
            "steps",
            { count: 3 },
            { onProgress: (each) => progress.push(each.progress) },
          );
          same(progress, [1, 2, 3]);
          same((await client.callTool("fail")).isError, true);
          same(
            (await rejection(client.request("resources/read", { uri: "note://no" }))).code,
            "resource-not-found",
          );
        }),
    })),
    {
      name: `${transport}: the newest revision of both sides is found`,
      run: (open) => connected(open, {}, async (client) => same(client.revision, newest)),
    },
    ...["2025-11-25", newest].map((revision) => ({
      name: `${transport} at ${revision}: the user is asked`,
      run: (open) =>
        connected(open, { revision, ...asked }, async (client) =>
          same((await client.callTool("greet")).content[0].text, "Hello, Ada"),
        ),
    })),
    {
      name: `${transport}: large messages, and many at once`,
      run: (open) =>
        connected(open, {}, async (client) => {
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
      name: `${transport}: a call is cancelled, and the server hears of it`,
      run: (open) =>
        connected(open, {}, async (client) => {
          const controller = new AbortController();
          const waiting = client.callTool("hold", { name: "cancelled" }, { signal: controller.signal });
          waiting.catch(() => undefined);
          await client.callTool("seen", { name: "cancelled", what: "began" });
          controller.abort();
          same((await rejection(waiting)).code, "cancelled");
          await client.callTool("seen", { name: "cancelled", what: "aborted" });
        }),
    },
  ];
}

async function connected(open, options, use) {
  const client = await open(options);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}
