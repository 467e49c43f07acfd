import { expect, test } from "vitest";
import * as http from "../../support/scripted-http-server.js";
import { type Members, type Wired, connected, reply } from "../../support/scripted-stdio-server.js";
import { transports } from "../../support/asked-client.js";
import { failureOf } from "../../support/failure-of.js";

test("changes to a cached result do not reach the next reader", async () => {
  const { client, peer } = await connected("2026-07-28", {
    "resources/read": (_, own) =>
      reply(own, { contents: [{ uri: "file:///a", text: "as it was" }], ttlMs: 1000 }),
  });
  for (let count = 0; count < 3; count++) {
    const result = await client.readResource("file:///a");
    expect(result.contents).toEqual([{ uri: "file:///a", text: "as it was" }]);
    (result.contents[0] as { text: string }).text = "changed";
    result.contents.pop();
  }
  expect(peer.of("resources/read")).toHaveLength(1);
});

const read = (own: { result(members: Members): Members }, text: string, scope: string): Members => ({
  ...own.result({ contents: [{ uri: "file:///a", text }], ttlMs: 60_000 }),
  cacheScope: scope,
});

/** A client whose user changes, and a server that sends each its name. */
async function users(scope: string, refused: readonly string[] = []) {
  let user = "ada";
  let asked = 0;
  const { server, client } = await http.connected(
    "2026-07-28",
    {
      "resources/read": (incoming, own) => {
        const known = incoming.headers["authorization"]!;
        if (refused.includes(known)) return incoming.status(401);
        incoming.reply(read(own, known, scope));
      },
    },
    {
      http: {
        authorize: async (challenge) => {
          asked++;
          return { authorization: challenge ? `${user} again` : user };
        },
      },
    },
  );
  return {
    asked: () => asked,
    sent: () => server.of("resources/read").length,
    as: async (name: string): Promise<unknown> => {
      user = name;
      return ((await client.readResource("file:///a")).contents[0] as { text: string }).text;
    },
  };
}

test("a private result is used only for its own authorization", async () => {
  const { as, sent } = await users("private");
  for (let round = 0; round < 2; round++) {
    expect(await as("ada")).toBe("ada");
    expect(await as("grace")).toBe("grace");
  }
  expect(sent()).toBe(2);
});

test("a result belongs to the authorization that the server accepted in the end", async () => {
  const { as, sent } = await users("private", ["ada"]);
  expect(await as("ada")).toBe("ada again");
  // The first user's requests are answered again by the server: nothing is cached for them.
  expect(await as("ada")).toBe("ada again");
  expect(await as("ada again")).toBe("ada again");
  expect(sent()).toBe(4);
});

test("a public result is used for all authorizations, without asking for one", async () => {
  const { as, sent, asked } = await users("public");
  expect(await as("ada")).toBe("ada");
  const before = asked();
  expect(await as("grace")).toBe("ada");
  expect([sent(), asked()]).toEqual([1, before]);
});

test("an unknown scope is private", async () => {
  const { as } = await users("shared");
  expect([await as("ada"), await as("grace")]).toEqual(["ada", "grace"]);
});

test("changed headers of the application are another authorization", async () => {
  const headers: Record<string, string> = { "x-api-key": "1" };
  const { client } = await http.connected(
    "2026-07-28",
    {
      "resources/read": (incoming, own) =>
        incoming.reply(read(own, String(incoming.headers["x-api-key"]), "private")),
    },
    { http: { headers } },
  );
  expect((await client.readResource("file:///a")).contents).toMatchObject([{ text: "1" }]);
  headers["x-api-key"] = "2";
  expect((await client.readResource("file:///a")).contents).toMatchObject([{ text: "2" }]);
});

test("an authorization that hangs ends at the timeout of the request", async () => {
  let hangs = false;
  const { client } = await http.connected(
    "2026-07-28",
    { "resources/read": (incoming, own) => incoming.reply(read(own, "", "private")) },
    { http: { authorize: () => (hangs ? new Promise<never>(() => {}) : { authorization: "x" }) } },
  );
  await client.readResource("file:///a");
  hangs = true;
  const controller = new AbortController();
  const failed = failureOf(client.readResource("file:///a", { signal: controller.signal }));
  controller.abort();
  expect(await failed).toMatchObject({ code: "cancelled" });
  expect(await failureOf(client.readResource("file:///a", { timeout: 20 }))).toMatchObject({
    code: "timeout",
  });
});

/** The text of a result with one member more. */
function withMember(result: Members, member: string): string {
  return `${JSON.stringify(result).slice(0, -1)},${member}}`;
}

/** How long odd times to live keep a result. */
const lives: readonly (readonly [string, boolean])[] = [
  ["1000", true],
  ["1e308", true],
  ["1e309", false],
  ["1.9", true],
  ["0.5", false],
  ["-1", false],
  ["-1e308", false],
  ["null", false],
  ['"1000"', false],
  ['"NaN"', false],
  ["true", false],
  ["[1000]", false],
  ['{"valueOf":1,"toString":1}', false],
  ["[".repeat(200_000) + "]".repeat(200_000), false],
];

test.each(transports)(
  "a result with an invalid time to live is accepted, and not cached (%s)",
  async (transport) => {
    const textFor = ({ id, params }: Wired): string => {
      const result = { resultType: "complete", cacheScope: "private", contents: [] };
      const [ttlMs] = lives[Number(params!["uri"])]!;
      return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${withMember(result, `"ttlMs":${ttlMs}`)}}`;
    };
    const overStdio = async () => {
      const { client, peer } = await connected("2026-07-28", {
        "resources/read": (request, own) => void own.write(`${textFor(request)}\n`) as undefined,
      });
      return { client, sent: () => peer.of("resources/read").length };
    };
    const overHttp = async () => {
      const { client, server } = await http.connected("2026-07-28", {
        "resources/read": (incoming) =>
          incoming.status(200, textFor(incoming.message!), { "content-type": "application/json" }),
      });
      return { client, sent: () => server.of("resources/read").length };
    };
    const { client, sent } = transport === "stdio" ? await overStdio() : await overHttp();
    for (const [index, [ttlMs, kept]] of lives.entries()) {
      const what = ttlMs.slice(0, 40);
      const before = sent();
      for (let count = 0; count < 2; count++)
        expect(await client.readResource(String(index)), what).toMatchObject({
          contents: [],
          ttlMs: expect.any(Number) as number,
        });
      // 1.9 is a millisecond, which may be over.
      if (ttlMs !== "1.9") expect(sent() - before, what).toBe(kept ? 1 : 2);
    }
  },
);

test("the cache is bounded in bytes, in total and for each result", async () => {
  const { client, peer } = await connected(
    "2026-07-28",
    {
      "resources/read": ({ params }, own) => {
        const uri = params!["uri"] as string;
        const text = "x".repeat(Number(uri.slice(uri.lastIndexOf("/") + 1)));
        return reply(own, { contents: [{ uri, text }], ttlMs: 1000 });
      },
    },
    { limits: { maxCacheBytes: 160_000 } },
  );
  const sent = async (uri: string): Promise<number> => {
    const before = peer.of("resources/read").length;
    await client.readResource(uri);
    return peer.of("resources/read").length - before;
  };
  const uris = Array.from({ length: 12 }, (_, index) => `n${index}:/4000`);
  for (const uri of uris) expect(await sent(uri)).toBe(1);
  for (const uri of uris) expect(await sent(uri)).toBe(0);
  // Too large to cache: it evicts no other.
  expect([await sent("d:/12000"), await sent("d:/12000"), await sent(uris[0]!)]).toEqual([1, 1, 0]);
  // The one used least recently goes first.
  for (let count = 0; count < 20; count++) expect(await sent(`m${count}:/4000`)).toBe(1);
  expect([await sent(uris[1]!), await sent("m19:/4000")]).toEqual([1, 0]);
  // A key counts as well.
  const long = `${"k".repeat(12_000)}:/1`;
  expect([await sent(long), await sent(long)]).toEqual([1, 1]);
});

test("40 results of 9 MB are not kept", async () => {
  const text = "x".repeat(9_000_000);
  const { client, peer } = await connected("2026-07-28", {
    "resources/read": ({ params }, own) =>
      reply(own, { contents: [{ uri: params!["uri"], text }], ttlMs: 1e6 }),
  });
  for (let count = 0; count < 2; count++) await client.readResource("a:/");
  expect(peer.of("resources/read")).toHaveLength(2);
});

test("invalid limits are rejected", async () => {
  for (const limits of [
    { maxCacheBytes: -1 },
    { maxQuestions: 0 },
    { maxCacheBytes: "5" },
    { maxNotice: 5 },
    { maxCacheBytes: NaN },
  ])
    expect(await failureOf(connected("2026-07-28", {}, { limits: limits as never }))).toMatchObject({
      name: "McpError",
      code: "invalid-definition",
    });
});
