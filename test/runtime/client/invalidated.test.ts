import { expect, test } from "vitest";
import { madeUp } from "../../support/made-tables.js";
import { clientOf, serverWith } from "../../support/served.js";

// Which cached results a notification drops, by the columns of the tables.

const revision = "2026-07-28";
const offered = (name: string) => ({ of: "server", path: [name] }) as const;
const result = { accepts: () => true };
const cached = { cacheable: true, result } as const;

const tables = madeUp({
  clientRequests: {
    "tools/get": { ...cached, capability: offered("tools") },
    "prompts/find": { ...cached, capability: offered("prompts") },
    "extras/get": { ...cached },
    "extras/notify": { result },
  },
  serverNotifications: {
    "notifications/prompts/list_changed": { invalidates: ["extras/get"] },
    "notifications/extras/said": {},
  },
});

/** Requests that are cached, with different params. */
const all: readonly (readonly [string, object])[] = [
  ["tools/list", {}],
  ["tools/list", { cursor: "2" }],
  ["tools/get", { name: "a" }],
  ["tools/get", { name: "b" }],
  ["prompts/find", { text: "a" }],
  ["extras/get", {}],
  ["resources/list", {}],
  ["resources/read", { uri: "x:/a" }],
  ["resources/read", { uri: "x:/b" }],
];

/** The requests that are sent again after a notification. */
async function droppedBy(method: string, params?: object): Promise<string[]> {
  const capabilities = { tools: {}, prompts: {}, resources: {} };
  const server = serverWith({ revisions: tables.server, capabilities });
  let sent = 0;
  for (const [name] of all)
    server.handle(name, {}, () => {
      sent++;
      return { tools: [], resources: [], contents: [], ttlMs: 60_000, cacheScope: "private" };
    });
  server.handle("extras/notify", {}, (_params, context) => {
    context.notify(method, params);
    return {};
  });
  const client = await clientOf(server, "memory", revision, { revisions: tables.client });
  const request = ([name, given]: (typeof all)[number]) => client.request(name, given);
  for (const each of all) await request(each);
  expect(sent).toBe(all.length);
  // In memory, messages come in their order: the notification before the answer.
  await client.request("extras/notify", {});
  const dropped: string[] = [];
  for (const each of all) {
    const before = sent;
    await request(each);
    if (sent > before) dropped.push([each[0], ...Object.values(each[1])].join(" "));
  }
  return dropped;
}

test("a changed list drops all results of its capability, whatever their params", async () => {
  expect(await droppedBy("notifications/tools/list_changed")).toEqual([
    "tools/list",
    "tools/list 2",
    "tools/get a",
    "tools/get b",
  ]);
});

test("a notification also drops the results of the methods that it names", async () => {
  expect(await droppedBy("notifications/prompts/list_changed")).toEqual(["prompts/find a", "extras/get"]);
});

test("a notification about one thing drops only the results about it", async () => {
  expect(await droppedBy("notifications/resources/updated", { uri: "x:/b" })).toEqual([
    "resources/read x:/b",
  ]);
});

test("a changed list of resources also drops read contents, because a resource may have been removed", async () => {
  expect(await droppedBy("notifications/resources/list_changed")).toEqual([
    "resources/list",
    "resources/read x:/a",
    "resources/read x:/b",
  ]);
});

test("a notification without a capability drops nothing", async () => {
  expect(await droppedBy("notifications/extras/said")).toEqual([]);
});
