// What leaves a server is what the revision defines, as seen on the wire.
import { serverRevisions } from "@mcpgen/protocol";
import { explained } from "@mcpgen/protocol/explained";
import { type ErrorPlace, type McpError, type ServerOptions, createServer } from "@mcpgen/runtime";
import { describe, expect, test } from "vitest";
import { heard } from "../../support/heard.mjs";
import { serve } from "../../support/http-adapters.js";
import { Party } from "../../support/raw-http-client.js";
import { type Members, RawClient, type Wired } from "../../support/raw-stdio-client.js";

const revisions = serverRevisions.map(({ id }) => id);
const [oldest, newest] = [revisions[0]!, revisions.at(-1)!];

const annotations = { priority: 0.5, audience: ["user"] };
const base64 = "AAEC";

/** An item of each kind of content, and the revision that defines it first. */
const kinds: { readonly [name: string]: { readonly since?: string; readonly item: Members } } = {
  text: { item: { type: "text", text: "a", annotations } },
  image: { item: { type: "image", data: base64, mimeType: "image/png", annotations } },
  audio: { since: "2025-03-26", item: { type: "audio", data: base64, mimeType: "audio/wav", annotations } },
  "text resource": { item: { type: "resource", resource: { uri: "x://1", text: "a" }, annotations } },
  "binary resource": { item: { type: "resource", resource: { uri: "x://1", blob: base64 }, annotations } },
  link: { since: "2025-06-18", item: { type: "resource_link", uri: "x://1", name: "one", annotations } },
};

/** Wrong values by the path of a member; `undefined` leaves it out. */
const faults: readonly (readonly [path: string, values: readonly unknown[]])[] = [
  ["type", [undefined, "txt", 3]],
  ["text", [undefined, 3]],
  ["data", [undefined, 3, "no base64!", "AAE", "AAEC\n", "A=EC"]],
  ["mimeType", [undefined, 3]],
  ["uri", [undefined, 3]],
  ["name", [undefined, 3]],
  ["resource", [undefined, 3]],
  ["resource/uri", [undefined, 3]],
  ["resource/text", [undefined, 3]],
  ["resource/blob", [undefined, 3, "no base64!", "AAEC="]],
  ["annotations", ["important"]],
  ["annotations/priority", [7, -1, "high", NaN]],
  ["annotations/audience", ["user", ["everyone"]]],
];

/** Each way to break one member of an item. */
function* broken(item: Members): Generator<[path: string, item: Members]> {
  for (const [path, values] of faults) {
    const keys = path.split("/");
    const last = keys.at(-1)!;
    const holder = keys.slice(0, -1).reduce<Members | undefined>((inner, key) => inner?.[key], item);
    if (!holder || !(last in holder)) continue;
    for (const value of values) {
      const copy = structuredClone(item);
      const inner = keys.slice(0, -1).reduce<Members>((each, key) => each[key], copy) as {
        [key: string]: unknown;
      };
      inner[last] = value;
      yield [path, copy];
    }
  }
}

type Request = (method: string, params: Members) => Promise<Wired>;

async function requester(
  build: (options: ServerOptions) => ReturnType<typeof createServer>,
  revision: string,
  options: Partial<ServerOptions>,
  transport: "stdio" | "HTTP" = "stdio",
): Promise<Request> {
  const server = build({ revisions: serverRevisions, ...options });
  if (transport === "HTTP") {
    const party = await new Party((await serve("node", server)).url, revision).open();
    return (method, params) => party.request(method, params);
  }
  const client = new RawClient(server, revision);
  if (!client.isModern) await client.open();
  return (method, params) => client.request(method, params);
}

/** A server whose tool, prompt and resource give what `content` holds at the time. */
function giving(content: () => unknown) {
  return (options: ServerOptions) => {
    const server = createServer({ name: "s", version: "1" }, options);
    server.tool("t", {}, () => ({ content: [content()] }) as never);
    server.prompt("p", {}, () => ({ messages: [{ role: "user", content: content() }] }) as never);
    server.resource("x://1", {}, () => ({ contents: [(content() as Members)["resource"]] }) as never);
    return server;
  };
}

const calls: readonly (readonly [method: string, params: Members, place: string])[] = [
  ["tools/call", { name: "t", arguments: {} }, "/content/0"],
  ["prompts/get", { name: "p" }, "/messages/0/content"],
];

describe.each(revisions)("at %s", (revision) => {
  test.each(Object.entries(kinds).filter(([, { since = "" }]) => since <= revision))(
    "%s content leaves if it is right, and each wrong member is stopped",
    async (_, { item }) => {
      let content: unknown = item;
      const reported: [McpError, ErrorPlace][] = [];
      const request = await requester(
        giving(() => content),
        revision,
        { onEvent: heard({ handlerError: (...report) => reported.push(report as never) }) },
      );
      const read: (typeof calls)[number][] = item["resource"]
        ? [["resources/read", { uri: "x://1" }, "/contents/0"]]
        : [];
      for (const [method, params] of [...calls, ...read]) {
        content = item;
        expect(await request(method, params)).toMatchObject({ result: {} });
      }
      expect(reported).toEqual([]);
      for (const [path, wrong] of broken(item))
        for (const [method, params, place] of calls) {
          content = wrong;
          const { error } = await request(method, params);
          const found = `${path} ${JSON.stringify(wrong)}: ${error?.message}`;
          expect(error?.code, found).toBe(-32603);
          expect(String(error?.data?.["pointer"]), found).toContain(place);
          expect(reported.pop(), found).toEqual([
            expect.objectContaining({ code: "invalid-message", message: error!.message }),
            expect.objectContaining({ method }),
          ]);
        }
    },
  );

  test("a notification that is wrong is left out and reported, and its handler goes on", async () => {
    const reported: [McpError, ErrorPlace][] = [];
    const server = createServer(
      { name: "s", version: "1" },
      {
        revisions: serverRevisions,
        capabilities: { logging: {} },
        onEvent: heard({ handlerError: (...report) => reported.push(report as never) }),
      },
    );
    server.tool("t", {}, (_, { progress, log }) => {
      progress(1, undefined, 3 as never);
      log("info", "fine");
      log("info", "wrong", 3 as never);
      return "done";
    });
    const client = new RawClient(server, revision);
    if (!client.isModern) await client.open();
    const level = client.isModern ? { "io.modelcontextprotocol/logLevel": "debug" } : {};
    const { result } = await client.call("t", {}, { progressToken: "p", ...level });
    expect(result?.["content"]).toEqual([{ type: "text", text: "done" }]);
    expect(client.of("notifications/message")).toHaveLength(1);
    const wrong = reported.map(([{ code, data }, place]) => [code, data, place]);
    expect(wrong).toContainEqual([
      "invalid-message",
      { pointer: "/params/logger" },
      { method: "notifications/message" },
    ]);
    // The oldest revision has no message of progress.
    expect(client.of("notifications/progress")).toHaveLength(revision === oldest ? 1 : 0);
  });
});

test.each([oldest, newest])("over HTTP a wrong result is answered with the place (%s)", async (revision) => {
  const build = giving(() => ({ type: "image", data: "no base64!", mimeType: "image/png" }));
  const request = await requester(build, revision, { onEvent: () => true }, "HTTP");
  const { error } = await request("tools/call", { name: "t", arguments: {} });
  expect(error).toEqual({
    code: -32603,
    message: `the result of tools/call is not a CallToolResult of ${revision}: content[0].data: expected base64 with padding`,
    data: { pointer: "/content/0/data" },
  });
});

test("a list is checked once for its text: each request gets the error", async () => {
  let reports = 0;
  const build = (options: ServerOptions) => {
    const server = createServer({ name: "s", version: "1" }, options);
    server.tool("t", { description: 3 as never }, () => "");
    return server;
  };
  const request = await requester(build, newest, { onEvent: heard({ handlerError: () => reports++ }) });
  for (const _ of [1, 2])
    expect((await request("tools/list", {})).error?.data).toEqual({ pointer: "/tools/0/description" });
  expect(reports).toBe(2);
});

test("members that the definition does not name are sent unchanged", async () => {
  const item = { type: "text", text: "a", extra: 1, data: "no base64!" };
  const request = await requester(
    giving(() => item),
    newest,
    {},
  );
  const { result } = await request("tools/call", { name: "t", arguments: {} });
  expect(result?.["content"]).toEqual([item]);
});

test("values of the application never count as content, whatever their form", async () => {
  const image = { type: "image", data: "no base64!", mimeType: "image/png" };
  const build = (options: ServerOptions) => {
    const server = createServer({ name: "s", version: "1" }, options);
    server.tool("t", {}, () => ({
      content: [],
      structuredContent: { content: [image] },
      _meta: { a: image },
    }));
    return server;
  };
  const request = await requester(build, newest, {});
  expect(await request("tools/call", { name: "t", arguments: {} })).toMatchObject({ result: {} });
});

test("a value that becomes right in JSON leaves", async () => {
  const item = { type: "text", text: new URL("x://1") };
  const request = await requester(
    giving(() => item),
    newest,
    {},
  );
  const { result } = await request("tools/call", { name: "t", arguments: {} });
  expect(result?.["content"]).toEqual([{ type: "text", text: "x://1" }]);
});

describe("validation.send", () => {
  const wrong = giving(() => ({ type: "text" }));
  const call = { name: "t", arguments: {} };

  test("off: everything leaves", async () => {
    const request = await requester(wrong, newest, { validation: { send: "off" } });
    expect((await request("tools/call", call)).result?.["content"]).toEqual([{ type: "text" }]);
  });

  test("always: explained revisions have the required definitions", async () => {
    const options = {
      validation: { send: "always" },
      revisions: explained(serverRevisions),
      onEvent: () => true,
    } as const;
    const request = await requester(wrong, newest, options);
    expect((await request("tools/call", call)).error?.code).toBe(-32603);
  });

  test("always: plain revisions are refused, in development as in production", () => {
    expect(() => wrong({ revisions: serverRevisions, validation: { send: "always" } })).toThrow(
      expect.objectContaining({ code: "invalid-definition", message: expect.stringContaining("explained(") }),
    );
  });

  test("development: revisions without tables, as in production, are not checked", async () => {
    const production = serverRevisions.map((revision) => ({ ...revision, developmentSends: undefined }));
    const request = await requester(wrong, newest, { revisions: production });
    expect((await request("tools/call", call)).result?.["content"]).toEqual([{ type: "text" }]);
  });
});
