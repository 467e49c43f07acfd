import { expect, test } from "vitest";
import * as http from "../../support/scripted-http-server.js";
import { type Members, connected } from "../../support/scripted-stdio-server.js";
import { everyWay } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";
import { heard } from "../../support/heard.mjs";

const inputSchema = { type: "object" };

/** The content of each page, by the number of requests so far. */
type Pages = (count: number) => { readonly items: readonly unknown[]; readonly next: string };

const endless: readonly (readonly [string, Pages, object, string, number])[] = [
  [
    "a page that comes twice",
    () => ({ items: [{ name: "a", inputSchema }], next: "c" }),
    {},
    "a page came twice",
    2,
  ],
  ["cursors in a circle", (n) => ({ items: [], next: `c${n % 3}` }), {}, "a page came twice", 4],
  ["pages without end", (n) => ({ items: [], next: `c${n}` }), { maxPages: 7 }, "more than 7 pages", 7],
  [
    "other items with one cursor, without end",
    (n) => ({ items: [{ name: `${n}`, inputSchema }], next: "c" }),
    { maxPages: 6 },
    "more than 6 pages",
    6,
  ],
  [
    "items without end",
    (n) => ({ items: [1, 2, 3].map((k) => ({ name: `${n}.${k}`, inputSchema })), next: `c${n}` }),
    { maxItems: 10 },
    "more than 10 items",
    4,
  ],
  [
    "wrong items without end",
    (n) => ({ items: [1, 2, 3], next: `c${n}` }),
    { maxItems: 10 },
    "more than 10 items",
    4,
  ],
  [
    "large items without end",
    (n) => ({ items: [{ name: "x".repeat(10_000), inputSchema }], next: `c${n}` }),
    { maxCharacters: 35_000 },
    "more than 35000 characters",
    4,
  ],
  [
    "wrong items with large names without end",
    (n) => ({ items: [{ name: "x".repeat(10_000) }, 1], next: `c${n}` }),
    { maxCharacters: 35_000 },
    "more than 35000 characters",
    4,
  ],
  [
    "large cursors without end",
    (n) => ({ items: [], next: `${n}`.padEnd(10_000) }),
    { maxCharacters: 35_000 },
    "more than 35000",
    4,
  ],
];

test.each(everyWay)("an endless list is bounded (%s, %s)", async (revision, transport) => {
  let pages: Pages = () => ({ items: [], next: "" });
  let count = 0;
  const page = (): Members => {
    const { items, next } = pages(count++);
    const modern = { resultType: "complete", ttlMs: 0, cacheScope: "private" };
    return { ...(revision > "2026" ? modern : {}), tools: items, nextCursor: next };
  };
  const { client } =
    transport === "stdio"
      ? await connected(revision, { "tools/list": () => ({ result: page() }) })
      : await http.connected(revision, { "tools/list": (incoming) => incoming.reply(page()) });
  for (const [what, given, bounds, text, asked] of endless) {
    pages = given;
    count = 0;
    const failure = await failureOf(client.listTools(bounds));
    expect(failure, what).toMatchObject({
      name: "McpError",
      code: "list-incomplete",
      message: expect.stringContaining(text) as string,
    });
    expect(count, what).toBe(asked);
    const { items } = (failure as { data: { items: unknown[] } }).data;
    const once = text.includes("page came twice") ? asked - 1 : asked;
    expect(items.length, what).toBe(
      what === "items without end" ? 10 : given(0).items.length === 1 ? once : 0,
    );
    count = 0;
    const read = (async () => {
      for await (const item of client.items("tools/list", bounds)) void item;
    })();
    expect(await failureOf(read), what).toMatchObject({ code: "list-incomplete" });
    expect(count, what).toBe(asked);
  }
});

test("a page of wrong items is rejected with one error, without a warning for each item", async () => {
  const warnings: string[] = [];
  const { client } = await connected(
    "2025-11-25",
    { "tools/list": () => ({ result: { tools: Array(100_000).fill(1) } }) },
    { onEvent: heard({ warning: (text) => warnings.push(text) }) },
  );
  expect(await failureOf(client.listTools())).toMatchObject({ code: "invalid-result" });
  expect(warnings).toEqual([]);
});
