// Only the compiler reads this file (npm run typecheck): marked lines must not compile, all others must.
import { serverRevisions } from "@mcpgen/protocol/server";
import { type CallToolResult, type FromJsonSchema, type HandlerContext, createServer } from "@mcpgen/runtime";
import { z } from "zod";
const server = createServer({ name: "weather", version: "1.0.0" }, { revisions: serverRevisions });
const outputSchema = {
  type: "object",
  properties: {
    unit: { enum: ["c", "f"] },
    pair: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }], minItems: 2, items: false },
    kind: { const: "x" },
    deep: { type: "object", properties: { a: { enum: [1, 2] } } },
  },
  required: ["unit", "pair", "kind"],
} as const;
server.tool("a", { outputSchema }, () => ({
  structuredContent: { unit: "c", pair: ["a", 1], kind: "x", deep: { a: 1 } },
}));
server.tool("b", { outputSchema }, async () => ({
  structuredContent: { unit: "c", pair: ["a", 1], kind: "x" },
}));
server.tool("c", { outputSchema }, async (_, { ask }) => {
  const a = await ask.elicit("x", { message: "", requestedSchema: { type: "object", properties: {} } });
  if (a.action === "accept") return { isError: true, content: [{ type: "text", text: "no" }] };
  if (a.action === "cancel")
    return { structuredContent: { unit: "f", pair: ["a", 1], kind: "x" }, content: [] };
  return { structuredContent: { unit: "c", pair: ["a", 1], kind: "x" } };
});
server.tool(
  "d",
  { outputSchema: z.object({ u: z.union([z.literal("a"), z.literal("b")]), n: z.number().default(1) }) },
  () => ({
    structuredContent: { u: "a" },
  }),
);
server.tool(
  "e",
  { outputSchema: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
  () => ({
    structuredContent: { b: "a" },
  }),
);
server.tool("f", { outputSchema: z.record(z.string(), z.number()) }, () => ({
  structuredContent: { b: 1, c: 2 },
}));
server.tool("g", { outputSchema: z.looseObject({ a: z.string() }) }, () => ({
  structuredContent: { a: "", c: 2 },
}));
server.tool("h", { outputSchema: z.array(z.string()) }, () => ({ structuredContent: ["a"] }));
server.tool("i", {}, () => new Promise((resolve) => setTimeout(() => resolve("x"))));
interface Made {
  u: "a" | "b";
  n?: number;
}
const make = (): Made => ({ u: "a" });
server.tool("j", { outputSchema: z.object({ u: z.enum(["a", "b"]), n: z.number().optional() }) }, () => ({
  structuredContent: make() as { u: "a" },
}));
const failed = (text: string) => ({ isError: true as const, content: [{ type: "text" as const, text }] });
server.tool("k", { outputSchema }, () => failed("x"));
async function handle(args: { city: string }, context: HandlerContext): Promise<CallToolResult> {
  return { content: [{ type: "text", text: args.city + context.revision }] };
}
server.tool("l", { inputSchema: z.object({ city: z.string() }) }, handle);
server.tool("m", { outputSchema: { type: "object" } }, () => ({ structuredContent: { a: 1 } }));
const dynamic: { [k: string]: unknown } = {};
server.tool("n", { inputSchema: dynamic, outputSchema: dynamic }, (args) => ({
  structuredContent: { a: args["x"] },
}));
server.tool(
  "o",
  {
    outputSchema: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "integer" }, tag: { enum: ["x", "y"] } },
            required: ["id", "tag"],
          },
        },
      },
      required: ["items"],
    },
  },
  () => ({
    structuredContent: {
      items: [
        { id: 1, tag: "x" },
        { id: 2, tag: "y" },
      ],
    },
  }),
);
server.tool(
  "p",
  {
    outputSchema: {
      type: "object",
      properties: {
        items: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "integer" }, tag: { enum: ["x", "y"] } },
            required: ["id", "tag"],
          },
        },
      },
      required: ["items"],
    },
  },
  () => ({ structuredContent: { items: [1, 2].map((id) => ({ id, tag: "x" as const })) } }),
);
class Tools {
  run(args: { city: string }) {
    return { structuredContent: { u: args.city } };
  }
}
const tools = new Tools();
server.tool(
  "q",
  { inputSchema: z.object({ city: z.string() }), outputSchema: z.object({ u: z.string() }) },
  (args) => tools.run(args),
);
server.tool<{ a: number }>("r", { outputSchema }, ({ a }) => String(a));
server.tool("s", { outputSchema }, () => {
  throw new Error("x");
});

// Explicit arguments replace those that the schema gives.
server.tool<{ a: string }>("t", { inputSchema: z.object({ a: z.number() }) }, ({ a }) => a.trim());

/** Whether two types are the same to the compiler. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** The members of an intersection in one object, at every depth. */
type Flat<T> = T extends object ? { [K in keyof T]: Flat<T[K]> } : T;

function same<A, B>(equal: Same<Flat<A>, B>): boolean {
  return equal;
}

type Of<Schema> = FromJsonSchema<Schema>;

same<Of<{ type: "string" }>, string>(true);
same<Of<{ type: ["integer", "null"] }>, number | null>(true);
same<Of<{ enum: ["a", 1, null] }>, "a" | 1 | null>(true);
same<Of<{ const: "a" }>, "a">(true);
// @ts-expect-error they differ
same<Of<{ const: "a" }>, "b">(true);
same<Of<{ type: "array"; items: { type: "boolean" } }>, boolean[]>(true);
same<Of<{ type: "array" }>, unknown[]>(true);
same<
  Of<{ type: "object"; properties: { a: { type: "string" }; b: { type: "number" } }; required: ["a", "c"] }>,
  { a: string; c: unknown; b?: number }
>(true);
same<Of<{ type: "object" }>, { [name: string]: unknown }>(true);
same<Of<{ type: "object"; additionalProperties: { type: "number" } }>, { [name: string]: number }>(true);
same<
  Of<{ type: "object"; properties: { a: { type: "string" } }; additionalProperties: false }>,
  { a?: string }
>(true);
same<
  Of<{ type: "array"; prefixItems: [{ type: "string" }, { type: "number" }]; minItems: 2; items: false }>,
  [string, number]
>(true);
same<
  Of<{ type: "array"; prefixItems: [{ type: "string" }]; items: { type: "number" } }>,
  [string?, ...number[]]
>(true);
same<Of<{ anyOf: [{ type: "string" }, { type: "number" }] }>, string | number>(true);
same<Of<{ oneOf: [{ const: "a" }, { const: "b" }] }>, "a" | "b">(true);
same<
  Of<{
    allOf: [
      { type: "object"; properties: { a: { type: "string" } }; required: ["a"] },
      { $ref: "#/$defs/B" },
    ];
    $defs: { B: { type: "object"; properties: { b: { const: 1 } } } };
  }>,
  { a: string; b?: 1 }
>(true);
same<Of<{ $ref: "https://example.com/schema" }>, unknown>(true);
same<Of<{ not: { minLength: 2 } }>, unknown>(true);
same<Of<{ type: ["string", "null"]; not: { type: "null" } }>, string>(true);
same<Of<true>, unknown>(true);
same<Of<{ readonly [keyword: string]: unknown }>, unknown>(true);

// The type of a schema that refers to itself has members at every depth, and the compiler finishes.
interface Tree {
  readonly type: "object";
  readonly properties: {
    readonly name: { readonly type: "string" };
    readonly parts: { readonly type: "array"; readonly items: { readonly $ref: "#" } };
  };
  readonly required: readonly ["name", "parts"];
}
export const name = (tree: Of<Tree>): string | undefined => tree.parts[0]?.parts[0]?.parts[0]?.name;

server.resourceTemplate("x://{a}/{+b}{/c,d}{?e}{#f}", { complete: { e: () => [] } }, (variables) => {
  same<
    typeof variables,
    {
      readonly a: string;
      readonly b: string;
      readonly c: string;
      readonly d: string;
      readonly e?: string;
      readonly f?: string;
    }
  >(true);
  return "";
});
const given: string = "x://{a}";
server.resourceTemplate(given, { complete: { any: () => [] } }, ({ a = "" }) => a);

server.prompt("u", { arguments: [{ name: "a", required: true }, { name: "b" }] }, (args) => {
  same<typeof args, { a: string; b?: string }>(true);
  return "";
});
server.prompt("v", { arguments: z.object({ a: z.string().transform(Number) }) }, (args) => {
  same<typeof args, { a: number }>(true);
  return "";
});
server.prompt<{ a: string }>("w", { arguments: [{ name: "a" }] }, ({ a }) => a);

server.tool("x", {}, async (_, { ask }) => {
  const { action, content } = await ask.elicit("k", {
    message: "",
    requestedSchema: {
      type: "object",
      properties: {
        size: { type: "string", enum: ["s", "m"] },
        tags: { type: "array", items: { type: "string", enum: ["x", "y"] } },
        unit: {
          type: "string",
          oneOf: [
            { const: "c", title: "C" },
            { const: "f", title: "F" },
          ],
        },
        sure: { type: "boolean" },
      },
      required: ["size"],
    },
  });
  if (action !== "accept") {
    same<typeof content, undefined>(true);
    return "";
  }
  same<typeof content, { size: "s" | "m"; tags?: ("x" | "y")[]; unit?: "c" | "f"; sure?: boolean }>(true);
  return content.size;
});
