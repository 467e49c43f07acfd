import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type CodeFirstServer, type StandardJsonSchema, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";

/** The same four conversions in each library. */
interface Library {
  readonly name: string;
  /**
   * Sets the default 10 for `limit`, trims `city`, and converts `day` from a text to a number and `tags` from a text
   * with commas to a list.
   */
  readonly input: StandardJsonSchema;
  /** Trims `city`, converts `day` to a text, and sets the default "celsius" for `unit`. */
  readonly output: StandardJsonSchema;
}

const libraries: readonly Library[] = [
  {
    name: "zod",
    input: z.object({
      limit: z.number().default(10),
      city: z.string().trim(),
      day: z.coerce.number(),
      tags: z.string().transform((text) => text.split(",")),
    }),
    output: z.object({
      city: z.string().trim(),
      day: z
        .number()
        .transform((day) => `day ${day}`)
        .pipe(z.string()),
      unit: z.string().default("celsius"),
    }),
  },
  {
    name: "valibot",
    input: toStandardJsonSchema(
      v.object({
        limit: v.optional(v.number(), 10),
        city: v.pipe(v.string(), v.trim()),
        day: v.pipe(v.string(), v.toNumber()),
        tags: v.pipe(
          v.string(),
          v.transform((text) => text.split(",")),
        ),
      }),
    ),
    output: toStandardJsonSchema(
      v.object({
        city: v.pipe(v.string(), v.trim()),
        day: v.pipe(
          v.number(),
          v.transform((day) => `day ${day}`),
          v.string(),
        ),
        unit: v.optional(v.string(), "celsius"),
      }),
    ),
  },
  {
    name: "arktype",
    input: type({
      limit: "number = 10",
      city: "string.trim",
      day: "string.numeric.parse",
      tags: type("string").pipe((text) => text.split(",")),
    }),
    output: type({
      city: "string.trim",
      day: type("number").pipe((day) => `day ${day}`, type.string),
      unit: "string = 'celsius'",
    }),
  },
];

async function pairOf(offer: (server: CodeFirstServer) => void, revision = "2026-07-28") {
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions });
  offer(server);
  return createTestPair({ server, revisions: clientRevisions, revision });
}

describe.each(libraries)("$name", ({ input, output }) => {
  const sent = { city: " Bergen ", day: "3", tags: "a,b" };
  const made = { limit: 10, city: "Bergen", day: 3, tags: ["a", "b"] };

  test.each(["2025-06-18", "2026-07-28"])("a handler gets the parsed arguments, at %s", async (revision) => {
    const got: unknown[] = [];
    const { client, close } = await pairOf((server) => {
      server.tool("note", { inputSchema: input }, (args) => (got.push(args), "noted"));
    }, revision);
    await client.callTool("note", sent);
    expect(got).toEqual([made]);
    await close();
  });

  test("the listed schema describes the accepted arguments, and a wrong argument is named", async () => {
    const { client, close } = await pairOf((server) => {
      server.tool("note", { inputSchema: input }, () => "noted");
    });
    const [tool] = (await client.listTools()).items;
    expect(tool!.inputSchema).toMatchObject({ type: "object", properties: { limit: { type: "number" } } });
    expect([...(tool!.inputSchema["required"] as string[])].sort()).not.toContain("limit");
    const wrong = await client.callTool("note", { ...sent, limit: "ten" });
    expect(wrong).toMatchObject({ isError: true, content: [{ text: expect.stringMatching(/limit/) }] });
    await close();
  });

  test("lists leave out a $schema that names the default dialect", async () => {
    const { client, close } = await pairOf((server) => {
      const written = { $schema: "https://json-schema.org/draft/2020-12/schema", type: "object" } as const;
      server.tool("library", { inputSchema: input, outputSchema: output }, () => ({
        content: [],
        isError: true,
      }));
      server.tool("author", { inputSchema: written }, () => "");
    });
    const [ofLibrary, ofAuthor] = (await client.listTools()).items;
    expect(ofLibrary!.inputSchema).not.toHaveProperty("$schema");
    expect(ofLibrary!.outputSchema).not.toHaveProperty("$schema");
    expect(ofAuthor!.inputSchema).toHaveProperty("$schema");
    await close();
  });

  test("the parsed result is sent, and the listed schema describes it", async () => {
    const { client, close } = await pairOf((server) => {
      const written = { city: " Bergen ", day: 3 };
      server.tool("weather", { outputSchema: output }, () => ({ structuredContent: written }));
      server.tool("structured", { outputSchema: output }, () => ({
        structuredContent: written,
        content: [{ type: "text", text: "rain" }],
      }));
    });
    const result = { city: "Bergen", day: "day 3", unit: "celsius" };
    const [tool] = (await client.listTools()).items;
    expect(tool!.outputSchema).toMatchObject({ properties: { day: { type: "string" } } });
    expect(await client.callTool("weather")).toMatchObject({
      structuredContent: result,
      content: [{ type: "text", text: JSON.stringify(result) }],
    });
    expect(await client.callTool("structured")).toMatchObject({
      structuredContent: result,
      content: [{ type: "text", text: "rain" }],
    });
    await close();
  });

  test("a result that the schema refuses is an internal error", async () => {
    const { client, close } = await pairOf((server) => {
      server.tool("weather", { outputSchema: output }, () => ({ structuredContent: { city: 5, day: 3 } }));
      server.tool("text", { outputSchema: output }, (() => "rain") as never);
      server.tool("failed", { outputSchema: output }, () => ({ content: [], isError: true }));
    });
    await expect(client.callTool("weather")).rejects.toMatchObject({ rpcCode: -32603, message: /city/ });
    await expect(client.callTool("text")).rejects.toMatchObject({ rpcCode: -32603 });
    expect(await client.callTool("failed")).toMatchObject({ isError: true, content: [] });
    await close();
  });

  test("arguments of a prompt", async () => {
    const got: unknown[] = [];
    const { client, close } = await pairOf((server) => {
      server.prompt(
        "plan",
        { arguments: input, complete: { city: () => ["Bergen"] } },
        (args) => (got.push(args), "planned"),
      );
    });
    const [prompt] = (await client.listPrompts()).items;
    const listed = new Map(prompt!.arguments!.map(({ name, required }) => [name, required ?? false]));
    expect(listed.get("city")).toBe(true);
    expect(listed.get("limit")).toBe(false);
    await client.getPrompt("plan", sent);
    expect(got).toEqual([made]);
    await expect(client.getPrompt("plan", { city: "Bergen" })).rejects.toMatchObject({ rpcCode: -32602 });
    await close();
  });
});

test("a pattern that only the library can match is left to the library", async () => {
  const { client, close } = await pairOf((server) => {
    server.tool("write", { inputSchema: z.object({ to: z.email() }) }, ({ to }) => to);
  });
  expect(await client.callTool("write", { to: "ada@example.com" })).toMatchObject({
    content: [{ text: "ada@example.com" }],
  });
  expect(await client.callTool("write", { to: "ada" })).toMatchObject({ isError: true });
  await close();
});

test("a schema may take its time, and may throw", async () => {
  const known = z.object({ city: z.string().refine(async (city) => city !== "nowhere", "there is none") });
  const fails = z.object({
    city: z.string().transform((city): string => {
      throw new Error(`the gazetteer is closed: ${city}`);
    }),
  });
  const { client, close } = await pairOf((server) => {
    server.tool("known", { inputSchema: known }, ({ city }) => city);
    server.tool("fails", { inputSchema: fails }, ({ city }) => city);
    server.tool("gives", { inputSchema: known, outputSchema: known }, ({ city }) => ({
      structuredContent: { city: city === "there" ? "nowhere" : city },
    }));
  });
  expect(await client.callTool("known", { city: "Bergen" })).toMatchObject({ content: [{ text: "Bergen" }] });
  expect(await client.callTool("known", { city: "nowhere" })).toMatchObject({
    isError: true,
    content: [{ text: "the arguments are wrong: city: there is none" }],
  });
  // A mistake of the author's, as one of a handler of a resource is.
  await expect(client.callTool("fails", { city: "x" })).rejects.toMatchObject({ rpcCode: -32603 });
  expect(await client.callTool("gives", { city: "Bergen" })).toMatchObject({
    structuredContent: { city: "Bergen" },
  });
  await expect(client.callTool("gives", { city: "there" })).rejects.toMatchObject({ rpcCode: -32603 });
  await close();
});

test("replaced schemas are listed as JSON Schema, and parse values", async () => {
  const { client, close } = await pairOf((server) => {
    const tool = server.tool("echo", {}, (args) => JSON.stringify(args));
    tool.update({ inputSchema: z.object({ text: z.string().default("none") }) });
    const prompt = server.prompt("say", {}, (args) => JSON.stringify(args));
    prompt.update({ arguments: z.object({ text: z.string().trim() }) });
  });
  const [tool] = (await client.listTools()).items;
  expect(tool!.inputSchema).toMatchObject({ type: "object", properties: { text: { type: "string" } } });
  expect(await client.callTool("echo")).toMatchObject({ content: [{ text: '{"text":"none"}' }] });
  expect((await client.listPrompts()).items).toEqual([
    { name: "say", arguments: [{ name: "text", required: true }] },
  ]);
  expect(await client.getPrompt("say", { text: " x " })).toMatchObject({
    messages: [{ content: { text: '{"text":"x"}' } }],
  });
  await close();
});

test("arguments of a prompt as JSON Schema", async () => {
  const { client, close } = await pairOf((server) => {
    server.prompt(
      "plan",
      {
        arguments: {
          type: "object",
          properties: { unit: { enum: ["c", "f"], title: "Unit" }, city: { type: "string" } },
          required: ["city"],
        },
      },
      ({ city, unit = "c" }) => `${city} in ${unit}`,
    );
  });
  expect((await client.listPrompts()).items[0]!.arguments).toEqual([
    { name: "unit", title: "Unit" },
    { name: "city", required: true },
  ]);
  await expect(client.getPrompt("plan", { city: "x", unit: "k" })).rejects.toMatchObject({
    rpcCode: -32602,
    message: /unit/,
  });
  expect(await client.getPrompt("plan", { city: "x", unit: "f" })).toMatchObject({
    messages: [{ content: { text: "x in f" } }],
  });
  await close();
});
