import { expect } from "vitest";
import { heard } from "../../support/heard.mjs";
import { clientRow } from "./rows.js";
import { type Script, type Wired, connected } from "../../support/scripted-http-server.js";

clientRow("HTTPC-01", "Accept names both forms, and on GET events", async (revision) => {
  const { server, client } = await connected(revision);
  await client.callTool("x");
  await client.close();
  for (const { verb, headers } of server.received) {
    if (verb === "POST") {
      const accepted = headers.accept!.split(",").map((each) => each.trim());
      expect(accepted).toEqual(expect.arrayContaining(["application/json", "text/event-stream"]));
      expect(headers["content-type"]).toBe("application/json");
    } else if (verb === "GET") expect(headers.accept).toBe("text/event-stream");
  }
  expect(server.of("GET")).toHaveLength(revision < "2026" ? 1 : 0);
});

clientRow("HTTPC-02", "answers come as JSON or as events", async (revision) => {
  let events = false;
  const inEvents =
    (members: object): Script[string] =>
    (incoming, server) => {
      const answer = incoming.answer("error" in members ? members : server.result(members as never));
      if ((events = !events)) incoming.event(answer).end();
      else incoming.json(answer, 200, { "content-type": "Application/JSON; charset=utf-8" });
    };
  const { client } = await connected(revision, {
    "tools/list": inEvents({ tools: [] }),
    "tools/call": inEvents({ content: [{ type: "text", text: "done" }] }),
    "resources/read": inEvents({ contents: [] }),
    "prompts/get": inEvents({ error: { code: -32602, message: "which?" } }),
  });
  for (let twice = 0; twice < 2; twice++) {
    expect((await client.listTools()).items).toEqual([]);
    expect((await client.callTool("x")).content).toEqual([{ type: "text", text: "done" }]);
    expect((await client.readResource("a:b")).contents).toEqual([]);
    await expect(client.getPrompt("p")).rejects.toMatchObject({ rpcCode: -32602 });
    // One more call: the form of the answers alternates, so each request gets the other form in the next loop.
    await client.callTool("x");
  }
});

/** Forms of the same stream. */
function forms(answer: unknown): Uint8Array[] {
  const text = JSON.stringify(answer);
  const pretty = JSON.stringify(answer, null, 1);
  const lines = (end: string): string =>
    pretty
      .split("\n")
      .map((line) => `data: ${line}${end}`)
      .join("");
  const bytes = (each: string): Uint8Array => new TextEncoder().encode(each);
  return [
    bytes(`data: ${text}\n\n`),
    bytes(`data:${text}\r\n\r\n`),
    bytes(`data: ${text}\r\r`),
    bytes(`\uFEFFevent: message\nid: 1\ndata: ${text}\n\n`),
    bytes(`: comment\nnonsense\nfoo: bar\nretry: soon\n\n${lines("\n")}\n`),
    bytes(`${lines("\r\n")}\r\n`),
    bytes(`data\n\ndata: \n\n${lines("\r")}\r`),
  ];
}

clientRow("HTTPC-03", "streams are read in every spelling, cut anywhere", async (revision) => {
  let form = 0;
  let single = false;
  const { client } = await connected(revision, {
    "tools/call": async (incoming, server) => {
      const answer = incoming.answer(server.result({ content: [{ type: "text", text: "für 世界 🌍" }] }));
      const bytes = forms(answer)[form]!;
      if (!single) return incoming.events(bytes).end();
      for (const byte of bytes) {
        incoming.events(Uint8Array.of(byte));
        await new Promise((resolve) => setImmediate(resolve));
      }
      incoming.end();
    },
  });
  for (single of [false, true])
    for (form = 0; form < 7; form++) {
      const { content } = await client.callTool("x");
      expect([form, content]).toEqual([form, [{ type: "text", text: "für 世界 🌍" }]]);
    }
});

const region = { type: "string", "x-mcp-header": "Region" };

function toolOf(name: string, inputSchema: object): object {
  return { name, inputSchema: { type: "object", ...inputSchema } };
}

clientRow("HTTPC-05", "tools whose declarations are wrong are left out, and named", async (revision) => {
  const warnings: string[] = [];
  const wrong = [
    toolOf("items", { properties: { a: { type: "array", items: region } } }),
    toolOf("anyOf", { properties: { a: { anyOf: [region, { type: "null" }] } } }),
    toolOf("defs", { properties: { a: { $ref: "#/$defs/a" } }, $defs: { a: region } }),
    toolOf("then", { if: {}, then: { properties: { a: region } } }),
    toolOf("root", { "x-mcp-header": "Root" }),
    toolOf("twice", { properties: { a: region, b: { type: "string", "x-mcp-header": "REGION" } } }),
    toolOf("number", { properties: { a: { type: "number", "x-mcp-header": "N" } } }),
    toolOf("object", { properties: { a: { type: "object", "x-mcp-header": "O" } } }),
    toolOf("union", { properties: { a: { type: ["string", "null"], "x-mcp-header": "U" } } }),
    toolOf("empty", { properties: { a: { type: "string", "x-mcp-header": "" } } }),
    toolOf("space", { properties: { a: { type: "string", "x-mcp-header": "A B" } } }),
    toolOf("crlf", { properties: { a: { type: "string", "x-mcp-header": "A\r\nB" } } }),
    toolOf("colon", { properties: { a: { type: "string", "x-mcp-header": "A:" } } }),
    toolOf("no-string", { properties: { a: { type: "string", "x-mcp-header": 5 } } }),
  ];
  const right = [
    toolOf("plain", { properties: { a: region } }),
    toolOf("nested", { properties: { a: { type: "object", properties: { b: region } } } }),
    toolOf("data", { properties: { a: { enum: [{ "x-mcp-header": "no schema" }] } } }),
    toolOf("named", { properties: { "x-mcp-header": { type: "string" } } }),
  ];
  const { client } = await connected(
    revision,
    { "tools/list": (incoming, server) => incoming.reply(server.result({ tools: [...wrong, ...right] })) },
    { onEvent: heard({ warning: (warning) => void warnings.push(warning) }) },
  );
  const { items, rejected } = await client.listTools();
  const names = (tools: readonly unknown[]): unknown[] =>
    tools.map((tool) => (tool as { name: string }).name);
  expect(names(items)).toEqual(names(right));
  expect(names(rejected)).toEqual(names(wrong));
  for (const name of names(wrong)) expect(warnings.join("\n")).toContain(name);
});

clientRow("HTTPC-06", "integers that a header cannot carry are refused here", async (revision) => {
  const tool = toolOf("t", { properties: { n: { type: "integer", "x-mcp-header": "N" } } });
  const { server, client } = await connected(revision, {
    "tools/list": (incoming, each) => incoming.reply(each.result({ tools: [tool] })),
  });
  await client.listTools();
  for (const n of [2 ** 53, -(2 ** 53), 1.5])
    await expect(client.callTool("t", { n })).rejects.toMatchObject({ code: "invalid-params" });
  expect(server.of("tools/call")).toHaveLength(0);
  for (const n of [2 ** 53 - 1, 1 - 2 ** 53, 0]) await client.callTool("t", { n });
  expect(server.of("tools/call").map(({ headers }) => headers["mcp-param-n"])).toEqual([
    "9007199254740991",
    "-9007199254740991",
    "0",
  ]);
});

/** Refuses calls without the right header. */
function checking(header: string): Script[string] {
  return (incoming, server) => {
    const { region: value } = (incoming.message as Wired).params!["arguments"] as { region: string };
    if (incoming.headers[header] === value) incoming.reply(server.result({ content: [] }));
    else incoming.json(incoming.answer({ error: { code: -32020, message: "header mismatch" } }), 400);
  };
}

clientRow("HTTPC-07", "headers that are out of date are looked up again, once", async (revision) => {
  let header = "Old";
  const { server, client } = await connected(revision, {
    "tools/list": (incoming, each) =>
      incoming.reply(
        each.result({
          tools: [toolOf("t", { properties: { region: { type: "string", "x-mcp-header": header } } })],
        }),
      ),
    "tools/call": (incoming, each) => checking(`mcp-param-${header.toLowerCase()}`)(incoming, each),
  });
  await client.listTools();
  await client.callTool("t", { region: "eu" });
  header = "New";
  await client.callTool("t", { region: "eu" });
  expect([server.of("tools/list").length, server.of("tools/call").length]).toEqual([2, 3]);
  // If the retry did not help, the client does not repeat it.
  server.script = { ...server.script, "tools/call": checking("mcp-param-never") };
  await expect(client.callTool("t", { region: "eu" })).rejects.toMatchObject({ rpcCode: -32020 });
  expect([server.of("tools/list").length, server.of("tools/call").length]).toEqual([3, 5]);
});

clientRow("HTTPC-12", "headers are sent for tools that were not listed", async (revision) => {
  const { server, client } = await connected(revision, {
    "tools/list": (incoming, each) =>
      incoming.reply(each.result({ tools: [toolOf("t", { properties: { region } })] })),
    "tools/call": checking("mcp-param-region"),
  });
  await client.callTool("t", { region: "eu" });
  expect(server.of("tools/call").at(-1)!.headers["mcp-param-region"]).toBe("eu");
});
