import { type ConnectOptions } from "@mcpgen/runtime";
import { expect, test } from "vitest";
import { connected, reply } from "../../support/scripted-stdio-server.js";

const requestedSchema = { type: "object", properties: { name: { type: "string" } } };
const who = { method: "elicitation/create", params: { mode: "form", message: "Who?", requestedSchema } };

test("a page may have more items than a function can have arguments", async () => {
  const tools = Array.from({ length: 150_000 }, (_, n) => ({
    name: `t${n}`,
    inputSchema: { type: "object" },
  }));
  const { client } = await connected("2025-11-25", {
    "tools/list": (_, peer) => reply(peer, { tools }),
  });
  expect((await client.listTools({ maxItems: 200_000 })).items).toHaveLength(150_000);
  await expect(client.listTools()).rejects.toMatchObject({ name: "McpError", code: "list-incomplete" });
});

const failing: readonly (readonly [string, NonNullable<ConnectOptions["elicit"]>, string])[] = [
  ["answers with nothing", () => undefined as never, "elicit gave undefined"],
  ["answers with null", () => null as never, "elicit gave null"],
  ["throws what is no error", () => Promise.reject("raw"), "raw"],
  ["throws an error of the application", () => Promise.reject(new TypeError("no screen")), "no screen"],
];

test.each(failing)("a form handler that %s makes the call fail with an McpError", async (_, elicit, text) => {
  const { client } = await connected(
    "2026-07-28",
    { "tools/call": () => ({ result: { resultType: "input_required", inputRequests: { who } } }) },
    { elicit },
  );
  await expect(client.callTool("ask")).rejects.toMatchObject({
    name: "McpError",
    code: "internal-error",
    message: expect.stringContaining(text) as string,
  });
});

test("the server gets an error when roots are not a list", async () => {
  const { peer } = await connected("2025-11-25", {}, { roots: () => undefined as never });
  const { error } = await peer.ask("roots/list");
  expect(error).toEqual({ code: -32603, message: "roots must be a list, not undefined" });
});
