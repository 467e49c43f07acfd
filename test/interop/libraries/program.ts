// Compiled by libraries.test.mjs: if a schema is sent, versions of libraries that cannot write JSON Schema do not
// compile.
import type { createServer } from "@mcpgen/runtime";
import { z as z40 } from "zod-4.0";
import { z as z41 } from "zod-4.1";
import { z as z3v4 } from "zod-3.25/v4";
import { z as z3 } from "zod-3.25";
import { z } from "zod";
import * as v from "valibot";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
declare const server: ReturnType<typeof createServer>;
server.tool("now", { inputSchema: z.object({ a: z.string() }) }, ({ a }) => a.toUpperCase());
// @ts-expect-error the library writes no JSON Schema
server.tool("a", { inputSchema: z40.object({ a: z40.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.tool("b", { inputSchema: z41.object({ a: z41.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.tool("c", { inputSchema: z3v4.object({ a: z3v4.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.tool("d", { inputSchema: z3.object({ a: z3.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.tool("e", { inputSchema: v.object({ a: v.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.prompt("e", { arguments: z40.object({ a: z40.string() }) }, () => "");
// @ts-expect-error the library writes no JSON Schema
server.tool("f", { outputSchema: z40.object({ a: z40.string() }) }, () => ({ structuredContent: { a: "" } }));
server.handle("x/y", { params: z40.object({ a: z40.string() }) }, ({ a }) => ({ a: a.trim() }));
server.tool("g", {}, async (_, { ask }) => {
  const answer = await ask.elicit("k", { message: "m", requestedSchema: z.object({ n: z.number() }) });
  if (answer.action === "accept") answer.content.n.toFixed();
  // @ts-expect-error
  if (answer.action === "accept") answer.content.other.toString();
  // @ts-expect-error
  await ask.elicit("k", { message: "m", requestedSchema: z40.object({ n: z40.number() }) });
  // The content has the type that the library parses, not the type of the form's fields.
  const when = z.codec(z.iso.date(), z.date(), { decode: (text) => new Date(text), encode: String });
  const parsed = await ask.elicit("z", { message: "m", requestedSchema: z.object({ when }) });
  if (parsed.action === "accept") parsed.content.when.getTime();
  const ofValibot = v.object({
    n: v.pipe(v.string(), v.transform(Number)),
    m: v.optional(v.picklist(["a", "b"]), "a"),
  });
  const second = await ask.elicit("v", { message: "m", requestedSchema: toStandardJsonSchema(ofValibot) });
  if (second.action === "accept") second.content.n.toFixed();
  if (second.action === "accept") second.content.m.concat(second.content.m satisfies "a" | "b");
  // @ts-expect-error valibot alone writes no JSON Schema
  await ask.elicit("v", { message: "m", requestedSchema: ofValibot });
  const ofArktype = type({ n: "string.numeric.parse", "m?": "'a' | 'b'" });
  const third = await ask.elicit("a", { message: "m", requestedSchema: ofArktype });
  if (third.action === "accept") third.content.n.toFixed();
  if (third.action === "accept") third.content.m?.concat(third.content.m satisfies "a" | "b");
  // @ts-expect-error
  await ask.elicit("k", { message: "m", requestedSchema: z41.object({ n: z41.number() }) });
  // @ts-expect-error
  await ask.elicit("k", { message: "m", requestedSchema: z3v4.object({ n: z3v4.number() }) });
  const plain = await ask.elicit("p", {
    message: "m",
    requestedSchema: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
  });
  if (plain.action === "accept") plain.content.n.toFixed();
  return "";
});
