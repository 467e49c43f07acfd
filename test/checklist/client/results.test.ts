import { describe, expect, test } from "vitest";
import { connected, reply } from "../../support/scripted-stdio-server.js";
import { revisionsOf, row } from "./rows.js";

row("BASE-18", "a result of an unknown type is none", async (revision) => {
  for (const resultType of ["x-unknown", "", 7, null]) {
    const { client } = await connected(revision, {
      "tools/call": () => ({ result: { resultType, content: [{ type: "text", text: "do not show" }] } }),
    });
    await expect(client.callTool("any")).rejects.toMatchObject({ code: "invalid-result" });
  }
});

row("BASE-19", "a result without a type is complete", async (revision) => {
  const content = [{ type: "text", text: "done" }];
  const tools = [{ name: "a", inputSchema: { type: "object" } }];
  const { client, peer } = await connected(revision, {
    "tools/call": () => ({ result: { content } }),
    "tools/list": () => ({ result: { tools } }),
    "completion/complete": () => ({ result: { completion: { values: ["x"] } } }),
  });
  expect((await client.callTool("any")).content).toEqual(content);
  expect((await client.listTools()).items).toEqual(tools);
  const ref = { type: "ref/prompt", name: "p" } as const;
  const completed = await client.complete({ ref, argument: { name: "a", value: "" } });
  expect(completed.completion.values).toEqual(["x"]);
  expect(peer.of("tools/call")).toHaveLength(1);
});

/** A tool with this `outputSchema`, and its results. */
async function promised(
  revision: string,
  outputSchema: object,
  structuredContent: unknown,
): Promise<unknown> {
  const { client } = await connected(revision, {
    "tools/list": (_, peer) =>
      reply(peer, { tools: [{ name: "t", inputSchema: { type: "object" }, outputSchema }] }),
    "tools/call": (_, peer) => reply(peer, { content: [], structuredContent }),
  });
  const { items, rejected } = await client.listTools();
  expect([...items, ...rejected]).toHaveLength(1);
  return client.callTool("t").then(
    (result) => result.structuredContent,
    (error: unknown) => error,
  );
}

row("BASE-25", "schemas are read as 2020-12; another dialect is an error that names it", async (revision) => {
  const pairs = {
    type: "object",
    properties: { pair: { type: "array", prefixItems: [{ type: "string" }], items: false } },
    dependentRequired: { pair: ["why"] },
  };
  expect(await promised(revision, pairs, { pair: ["a"], why: 1 })).toEqual({ pair: ["a"], why: 1 });
  expect(await promised(revision, pairs, { pair: [1], why: 1 })).toMatchObject({ code: "invalid-result" });
  expect(await promised(revision, pairs, { pair: ["a"] })).toMatchObject({ code: "invalid-result" });
  const unknown = { $schema: "urn:unknown", type: "object" };
  expect(await promised(revision, unknown, {})).toMatchObject({
    name: "McpError",
    message: expect.stringContaining("urn:unknown") as string,
  });
});

row("BASE-27", "schemas that grow without bound end in an answer or an error", async (revision) => {
  const $defs: { [name: string]: object } = { d0: { type: "string" } };
  for (let depth = 1; depth < 20; depth++)
    $defs[`d${depth}`] = { anyOf: [{ $ref: `#/$defs/d${depth - 1}` }, { $ref: `#/$defs/d${depth - 1}` }] };
  const wide = { type: "object", properties: { a: { $ref: "#/$defs/d19" } }, $defs };
  expect(await promised(revision, wide, { a: 1 })).toMatchObject({ code: "invalid-result" });
  let deep: object = { type: "string" };
  for (let depth = 0; depth < 2000; depth++) deep = { type: "object", properties: { a: deep } };
  // The schema is too deep to be read, so the result is not checked. The tool has run already.
  expect(await promised(revision, deep, { a: 1 })).toEqual({ a: 1 });
});

describe("invalid responses", () => {
  const wrong: readonly (readonly [string, object])[] = [
    ["neither result nor error", {}],
    ["a result that is null", { result: null }],
    ["a result that is a list", { result: [] }],
    ["an error that is a text", { error: "no" }],
    ["an error without code and message", { error: {} }],
  ];
  const each = revisionsOf("BASE-02").flatMap((revision) =>
    wrong.map(([what, body]) => [what, revision, body] as const),
  );
  test.each(each)("%s (%s) fails only its call, with a typed error", async (_, revision, body) => {
    const { client, peer } = await connected(revision, { "tools/call": () => undefined });
    const call = client.callTool("any");
    const { id } = await peer.until("tools/call");
    peer.send({ jsonrpc: "2.0", id, ...body });
    await expect(call).rejects.toMatchObject({
      name: "McpError",
      code: expect.stringMatching(/^(invalid-result|remote-error)$/) as string,
    });
    expect((await client.listTools()).items).toEqual([]);
  });
});
