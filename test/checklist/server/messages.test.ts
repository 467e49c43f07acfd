import { serverRevisions } from "@mcpgen/protocol";
import type { CodeFirstServer } from "@mcpgen/runtime";
import { describe, expect, onTestFinished } from "vitest";
import { everyFeature } from "../../support/every-feature/server.js";
import {
  type Members,
  RawClient,
  type Wired,
  clientOf,
  metaOf,
  raw,
  served,
  textOf,
} from "../../support/raw-stdio-client.js";
import { row } from "./rows.js";

const asking = { sampling: {}, roots: {}, elicitation: { form: {}, url: {} } };

/** Asks the client's model, as often as the client says. */
function sampler(server: CodeFirstServer): void {
  server.tool<{ times: number }>("sample", {}, async ({ times = 1 }, { ask }) => {
    const asked = Array.from({ length: times }, (_, index) =>
      ask.sample(`s${index}`, {
        messages: [{ role: "user", content: { type: "text", text: "?" } }],
        maxTokens: 1,
      }),
    );
    return `${(await Promise.allSettled(asked)).filter(({ status }) => status === "fulfilled").length}`;
  });
}

const sampled = { role: "assistant", model: "m", content: { type: "text", text: "!" } };

/** One request of each kind that can go wrong, with the code of its error. */
async function failures(client: RawClient): Promise<Wired[]> {
  return [
    await client.request("no/such"),
    await client.request("tools/call", { name: 5 }),
    await client.call("nope"),
    await client.request("resources/read", { uri: "note://nowhere" }),
    await client.request("resources/read", { uri: "note://broken" }),
    await client.request("tools/list", { cursor: "garbage" }),
    await client.request("prompts/get", { name: "nope" }),
    await client.request("prompts/get", { name: "write" }),
    await client.request("completion/complete", {
      ref: { type: "ref/prompt", name: "nope" },
      argument: { name: "a", value: "" },
    }),
  ];
}

function broken(): ReturnType<typeof everyFeature> {
  const server = everyFeature(serverRevisions);
  server.resource("note://broken", {}, () => {
    throw new TypeError("broken inside");
  });
  return server;
}

describe("base protocol", () => {
  row("BASE-02", "a request whose id is null or no integer is not answered as one", async (revision) => {
    const { client } = await raw(revision, sampler);
    for (const id of [null, 1.5, {}, [], true]) {
      const mark = client.received.length;
      client.send({ ...client.requestOf("tools/list"), id });
      const found = await client.settled(mark);
      expect(found).toEqual([
        { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) as string } },
      ]);
    }
  });

  row("BASE-03", "no id of the server's own requests is used twice", async (revision) => {
    const { client } = await raw(revision, sampler, asking);
    // Many parallel questions are not a leak: Node must not warn about too many listeners.
    const warned: Error[] = [];
    const hear = (warning: Error): unknown => warned.push(warning);
    process.on("warning", hear);
    onTestFinished(() => void process.off("warning", hear));
    let count = 0;
    client.answers = {
      "sampling/createMessage": () =>
        ++count % 3 === 0 ? { error: { code: -1, message: "rejected" } } : { result: sampled },
    };
    for (let round = 0; round < 4; round++)
      await Promise.all([client.call("sample", { times: 40 }), client.call("sample", { times: 10 })]);
    const ids = client.of("sampling/createMessage").map(({ id }) => id);
    expect(ids).toHaveLength(200);
    expect(new Set(ids).size).toBe(200);
    expect(warned).toEqual([]);
  });

  row("BASE-06", "a response is a result or an error, never both", async (revision) => {
    const client = await clientOf({ server: broken() }, revision);
    const responses = [
      await client.request("tools/list"),
      await client.call("fail"),
      ...(await failures(client)),
    ];
    for (const response of responses)
      expect(["result" in response, "error" in response].filter(Boolean)).toHaveLength(1);
    expect(responses.filter(({ error }) => error)).toHaveLength(9);
  });

  row("BASE-07", "errors have an integer as code, and a message", async (revision) => {
    const client = await clientOf({ server: broken() }, revision);
    for (const { error } of await failures(client)) {
      expect(Number.isInteger(error!.code)).toBe(true);
      expect(error!.message).toEqual(expect.stringMatching(/./));
      // An internal error is not sent to the client.
      expect(JSON.stringify(error)).not.toContain("broken inside");
    }
  });

  row("BASE-08", "notifications are not answered, whatever they are", async (revision) => {
    const { client, clock } = await raw(revision, sampler);
    const mark = client.received.length;
    client.notify("notifications/no/such", { a: 1 });
    client.notify("no/such");
    client.notify("tools/list");
    client.notify("initialize", { protocolVersion: 1 });
    client.notify("notifications/cancelled");
    client.notify("notifications/cancelled", { requestId: {} });
    client.notify("notifications/progress", { progressToken: null });
    client.notify("notifications/initialized", 5);
    client.notify("notifications/roots/list_changed", []);
    await clock.advance(500);
    expect(await client.settled(mark)).toEqual([]);
  });

  row("BASE-09", "notifications have no id", async (revision) => {
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision);
    const mark = client.received.length;
    if (client.isModern) client.start("subscriptions/listen", { notifications: { toolsListChanged: true } });
    await client.call("work", {}, { progressToken: 1, "io.modelcontextprotocol/logLevel": "debug" });
    await client.call("change");
    const sent = (await client.settled(mark)).filter(({ method }) => method !== undefined);
    expect(new Set(sent.map(({ method }) => method)).size).toBeGreaterThanOrEqual(3);
    for (const notification of sent) expect("id" in notification).toBe(false);
  });

  row("BASE-10", "an unknown method is -32601", async (revision) => {
    const { client } = await raw(revision, sampler);
    for (const method of [
      "no/such",
      "",
      "toString",
      "__proto__",
      "notifications/initialized",
      "sampling/createMessage",
    ])
      expect((await client.request(method)).error?.code).toBe(-32601);
  });

  row("BASE-14", "messages are UTF-8, wherever the bytes are cut", async (revision) => {
    const { client } = await raw(revision, (server) => {
      server.tool<{ text: string }>("echo", {}, ({ text }) => text);
    });
    const text = "𝔘nïcode é\u0301 \u2028\u2029 👩‍👩‍👧 \u0000 \ud83d";
    const request = client.requestOf("tools/call", { name: "echo", arguments: { text } }, "echo");
    client.send();
    const bytes = new TextEncoder().encode(`${JSON.stringify(request)}\n`);
    for (const byte of bytes) client.write(Uint8Array.of(byte));
    const line = await client.until(({ id }) => id === "echo").then(() => client.lines.at(-1)!);
    expect(textOf(JSON.parse(line) as Wired)).toBe(text);
    client.received.length = 0;
    client.faults.length = 0;
  });

  row("BASE-15", "no code that the revision does not define in its range", async (revision) => {
    for (const code of await allCodes(revision)) {
      expect([-32002, -32042]).not.toContain(code);
      if (code >= -32099 && code <= -32020) expect([-32020, -32021, -32022]).toContain(code);
    }
  });

  row("BASE-16", "no code of the range that is left to what was", async (revision) => {
    for (const code of await allCodes(revision)) expect(code < -32019 || code > -32000).toBe(true);
  });

  row("BASE-17", "every result has its resultType", async (revision) => {
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision);
    const ref = { type: "ref/prompt", name: "write" };
    const answers = [
      await client.request("server/discover"),
      await client.request("tools/list"),
      await client.call("add", { a: 1, b: 2 }),
      await client.call("fail"),
      await client.request("resources/list"),
      await client.request("resources/templates/list"),
      await client.request("resources/read", { uri: "note://one" }),
      await client.request("prompts/list"),
      await client.request("prompts/get", { name: "write", arguments: { topic: "tides" } }),
      await client.request("completion/complete", { ref, argument: { name: "topic", value: "" } }),
    ];
    expect(answers.map(({ result }) => result?.["resultType"])).toEqual(answers.map(() => "complete"));
  });

  row("BASE-21", "nothing is inferred from an earlier request", async (revision) => {
    const client = await clientOf({ server: everyFeature(serverRevisions) }, revision);
    client.capabilities = { sampling: {} };
    expect((await client.call("summarise")).result?.["resultType"]).toBe("input_required");
    client.capabilities = {};
    expect((await client.call("summarise")).error?.code).toBe(-32021);
  });

  row(
    "BASE-24",
    "unknown metadata and members are tolerated, and reach the application",
    async (revision) => {
      const seen: Members[] = [];
      const { client } = await raw(revision, (server) => {
        server.tool("look", {}, (_, { meta }) => {
          seen.push(meta);
          return {
            content: [{ type: "text", text: "x" }],
            _meta: { "com.example/y": [1] },
            extra: { a: 1 },
          } as never;
        });
      });
      const { result } = await client.request("tools/call", {
        name: "look",
        _meta: { "com.example/x": { a: 1 } },
        unknown: { member: [] },
      });
      expect(seen[0]!["com.example/x"]).toEqual({ a: 1 });
      expect(result).toMatchObject({ _meta: { "com.example/y": [1] }, extra: { a: 1 } });
    },
  );

  row(
    "BASE-25",
    "schemas are of 2020-12 unless they say otherwise; of an unknown dialect, they are refused",
    async (revision) => {
      const { client, server } = await raw(revision, (server) => {
        server.tool(
          "pair",
          {
            inputSchema: {
              type: "object",
              properties: {
                pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false },
              },
              dependentRequired: { pair: ["why"] },
            },
          },
          () => "taken",
        );
      });
      expect(textOf(await client.call("pair", { pair: ["a", 1], why: "" }))).toBe("taken");
      for (const wrong of [{ pair: ["a", "b"], why: "" }, { pair: ["a", 1, 2], why: "" }, { pair: ["a", 1] }])
        expect((await client.call("pair", wrong)).result).toMatchObject({ isError: true });
      expect(() =>
        server.tool("odd", { inputSchema: { $schema: "urn:unknown", type: "object" } }, () => ""),
      ).toThrow("urn:unknown");
    },
  );

  row("BASE-27", "schemas that multiply, and values that nest, take bounded time", async (revision) => {
    const $defs: { [name: string]: Members } = { level0: { type: "string" } };
    for (let level = 1; level <= 40; level++) {
      const below = { $ref: `#/$defs/level${level - 1}` };
      $defs[`level${level}`] = { anyOf: [below, { allOf: [below] }] };
    }
    const { client } = await raw(revision, (server) => {
      server.tool(
        "choose",
        { inputSchema: { type: "object", properties: { x: { $ref: "#/$defs/level40" } }, $defs } },
        () => "chosen",
      );
    });
    expect(await client.call("choose", { x: 1 })).toBeDefined();
    const deep = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
    client.send();
    client.write(
      `${JSON.stringify(client.requestOf("tools/call", { name: "choose", arguments: { x: "deep" } }, "deep")).replace('"x":"deep"', `"x":${deep}`)}\n`,
    );
    expect(await client.answer("deep")).toBeDefined();
    client.faults.length = 0;
  });
});

/** The codes of all errors that can be provoked at the newest revision. */
async function allCodes(revision: string): Promise<number[]> {
  const client = await clientOf({ server: broken() }, revision);
  const answers = await failures(client);
  for (const tool of ["greet", "visit", "summarise", "folders"]) answers.push(await client.call(tool));
  const list = client.requestOf("tools/list");
  const withMeta = (_meta: Members, id: string): Wired => ({ ...list, id, params: { _meta } });
  const odd = [
    withMeta({}, "no meta"),
    withMeta({ ...metaOf(), "io.modelcontextprotocol/protocolVersion": "1999-01-01" }, "unknown version"),
    withMeta({ ...metaOf(), "io.modelcontextprotocol/protocolVersion": 5 }, "no version"),
    withMeta(metaOf({}, { "io.modelcontextprotocol/logLevel": "loud" }), "no level"),
  ];
  client.send(...odd);
  for (const { id } of odd) answers.push(await client.answer(id));
  client.write("no json\n[]\n5\n");
  await client.until(() => client.received.filter(({ error, id }) => error && id === undefined).length === 3);
  answers.push(...client.received.filter(({ error, id }) => error && id === undefined));
  answers.push(await client.request("tools/call", { name: "greet", requestState: "forged" }));
  const codes = answers.flatMap(({ error }) => error?.code ?? []);
  expect(codes).toHaveLength(answers.length);
  expect(new Set(codes).size).toBeGreaterThanOrEqual(6);
  return codes;
}

describe("batches over stdio", () => {
  const ping = (id: number): Members => ({ jsonrpc: "2.0", id, method: "ping" });
  const notice = { jsonrpc: "2.0", method: "notifications/initialized" };

  row("BATCH-02", "initialize is refused in a batch; the rest is answered", async (revision) => {
    const { client } = await raw(revision, sampler);
    const initialize = client.requestOf("initialize", { protocolVersion: revision }, 900);
    client.write(`${JSON.stringify([initialize, ping(901)])}\n`);
    await client.answer(901);
    expect(JSON.parse(client.lines.at(-1)!)).toEqual([
      { jsonrpc: "2.0", id: 900, error: { code: -32600, message: expect.any(String) as string } },
      { jsonrpc: "2.0", id: 901, result: {} },
    ]);
    client.faults.length = 0;
    const fresh = new RawClient(served(sampler).server, revision);
    fresh.write(`${JSON.stringify([initialize])}\n`);
    expect((await fresh.until(({ error }) => error !== undefined)).error!.code).toBe(-32600);
  });

  row(
    "BATCH-03",
    "answers come back as one array, and to notifications and responses nothing",
    async (revision) => {
      const { client } = await raw(revision, (server) => {
        server.tool("slow", {}, async () => {
          await new Promise((resolve) => setTimeout(resolve, 0));
          return "slow";
        });
        server.tool(
          "wait",
          {},
          (_, { signal }) => new Promise((_, reject) => signal.addEventListener("abort", reject)),
        );
      });
      const mark = client.received.length;
      client.send([notice, notice], [{ jsonrpc: "2.0", id: 77, result: {} }]);
      expect(await client.settled(mark)).toEqual([]);
      const call = (name: string, id: number): Wired => client.requestOf("tools/call", { name }, id);
      const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 4 } };
      const before = client.lines.length;
      client.send([
        call("slow", 1),
        ping(2),
        notice,
        call("nope", 3),
        call("wait", 4),
        call("slow", 5),
        cancelled,
      ]);
      await client.answer(5);
      expect(client.lines).toHaveLength(before + 1);
      const batch = JSON.parse(client.lines.at(-1)!) as Wired[];
      expect(batch.map(({ id }) => id).sort()).toEqual([1, 2, 3, 5]);
    },
  );

  row(
    "BATCH-06",
    "an array is refused where there are no batches, and the server lives on",
    async (revision) => {
      const { client } = await raw(revision, sampler);
      const mark = client.received.length;
      client.send([client.requestOf("tools/list", {}, 900), client.requestOf("tools/list", {}, 901)]);
      expect(await client.settled(mark)).toEqual([
        { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) as string } },
      ]);
    },
  );

  row(
    "BATCH-08",
    "an empty batch is an invalid request, and so is each part that is none",
    async (revision) => {
      const { client } = await raw(revision, sampler);
      const refused = { jsonrpc: "2.0", error: { code: -32600, message: expect.any(String) as string } };
      const mark = client.received.length;
      client.send([]);
      expect(await client.settled(mark)).toEqual([refused]);
      client.write("[1,[],{}]\n");
      await client.settled();
      expect(JSON.parse(client.lines.find((line) => line.startsWith("["))!)).toEqual([
        refused,
        refused,
        refused,
      ]);
      client.faults.length = 0;
    },
  );
});
