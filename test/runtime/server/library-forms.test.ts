import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { formProblem } from "../../../runtime/core/protocol/input-requests.js";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type StandardJsonSchema, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/testing";

/** A form in each library: it converts `seats` to a number of tickets, and does not change the rest. */
const libraries: readonly (readonly [name: string, form: StandardJsonSchema])[] = [
  [
    "zod",
    z.object({
      name: z.string().min(2).max(20).describe("Who"),
      mail: z.email(),
      seats: z
        .int()
        .min(1)
        .max(9)
        .default(2)
        .transform((seats) => ({ seats })),
      meal: z.enum(["meat", "plants"]).optional(),
      days: z.array(z.enum(["sat", "sun"])).min(1),
      window: z.boolean(),
    }),
  ],
  [
    "valibot",
    toStandardJsonSchema(
      v.object({
        name: v.pipe(v.string(), v.minLength(2), v.maxLength(20), v.description("Who")),
        mail: v.pipe(v.string(), v.email()),
        seats: v.pipe(
          v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(9)), 2),
          v.transform((seats) => ({ seats })),
        ),
        meal: v.optional(v.picklist(["meat", "plants"])),
        days: v.pipe(v.array(v.picklist(["sat", "sun"])), v.minLength(1)),
        window: v.boolean(),
      }),
    ),
  ],
  [
    "arktype",
    type({
      name: type("2 <= string <= 20").describe("Who"),
      mail: type("string.email"),
      seats: type("1 <= number.integer <= 9")
        .pipe((seats) => ({ seats }))
        .default(2),
      "meal?": "'meat' | 'plants'",
      days: type("('sat' | 'sun')[] >= 1"),
      window: "boolean",
    }),
  ],
];

type Answer = { action: "accept"; content: Record<string, unknown> } | { action: "decline" };

/** Asks for a form. Returns the question that the client got, and the answer that the handler got, or its error. */
async function asked(
  form: StandardJsonSchema,
  answer: Answer,
  revision: string,
  { bySession = false, replay = false } = {},
) {
  const questions: { requestedSchema?: unknown }[] = [];
  let got: unknown;
  const server = createServer(
    { name: "s", version: "1" },
    { revisions: serverRevisions, onEvent: () => true, ...(replay && { state: { parking: false } }) },
  );
  server.tool("book", { replay }, async (_, context) => {
    const question = { message: "Seats?", requestedSchema: form };
    try {
      got = await (bySession ? context.session.elicit(question) : context.ask.elicit("seats", question));
    } catch (error) {
      // The first run of a handler that runs again ends here, without an answer.
      if (!(error instanceof Error) || !("code" in error)) throw error;
      got = error;
      throw error;
    }
    return "booked";
  });
  const pair = await createTestPair({
    server,
    revisions: clientRevisions,
    revision,
    elicit: (params: object) => (questions.push(params as never), answer as never),
  });
  const refused = await pair.client.callTool("book").then(
    () => undefined,
    (error: unknown) => error,
  );
  // Without an answer, a handler that waits gets an error when its client leaves.
  const gotBefore = got;
  await pair.close();
  return {
    question: questions[0]?.requestedSchema as { properties: Record<string, object> } | undefined,
    got: gotBefore,
    refused,
  };
}

const content = { name: "Ada", mail: "ada@example.com", days: ["sun"], window: true };

describe.each(libraries)("a form of %s", (_, form) => {
  test.each([
    ["2025-11-25", false],
    ["2026-07-28", false],
    ["2026-07-28", true],
  ])("is sent as JSON Schema, and its answer is parsed, at %s (replay: %s)", async (revision, replay) => {
    const { question, got } = await asked(form, { action: "accept", content }, revision, { replay });
    expect(got).toEqual({ action: "accept", content: { ...content, seats: { seats: 2 } } });
    const { properties } = question!;
    expect(question).toMatchObject({ type: "object" });
    expect(Object.keys(properties).sort()).toEqual(["days", "mail", "meal", "name", "seats", "window"]);
    expect(properties["name"]).toEqual({ type: "string", minLength: 2, maxLength: 20, description: "Who" });
    expect(properties["mail"]).toEqual({ type: "string", format: "email" });
    expect(properties["seats"]).toMatchObject({ type: "integer", minimum: 1, maximum: 9 });
    expect(properties["meal"]).toEqual({ type: "string", enum: ["meat", "plants"] });
    expect(properties["window"]).toEqual({ type: "boolean" });
  });

  test("is parsed when a session asks", async () => {
    const { got } = await asked(form, { action: "accept", content }, "2025-11-25", {
      bySession: true,
    });
    expect(got).toEqual({ action: "accept", content: { ...content, seats: { seats: 2 } } });
  });

  test("is not parsed when the user declines", async () => {
    const { got } = await asked(form, { action: "decline" }, "2025-11-25");
    expect(got).toEqual({ action: "decline" });
  });

  test("refuses an answer that the library refuses, and names the member", async () => {
    const wrong = { ...content, mail: "nowhere" };
    const { got } = await asked(form, { action: "accept", content: wrong }, "2025-11-25");
    expect(got).toMatchObject({
      code: "invalid-result",
      message: expect.stringMatching(/"seats" is refused: .*mail/),
    });
  });

  test("refuses it before a handler that waits runs on", async () => {
    const wrong = { ...content, mail: "nowhere" };
    const { got, refused } = await asked(form, { action: "accept", content: wrong }, "2026-07-28");
    expect(got).toBeUndefined();
    expect(refused).toMatchObject({
      rpcCode: -32602,
      message: expect.stringMatching(/"seats" is refused: .*mail/),
    });
  });
});

describe("a library's schema that is not a form is refused before it is sent", () => {
  test.each<[string, StandardJsonSchema, RegExp]>([
    ["an object in an object", z.object({ at: z.object({ x: z.number() }) }), /member at: a form asks for/],
    ["a list of texts", z.object({ tags: z.array(z.string()) }), /member tags: a form asks for/],
    ["null", z.object({ name: z.string().nullable() }), /member name: a form asks for/],
    ["a choice of numbers", z.object({ size: z.literal([1, 2]) }), /member size: a form asks for/],
    ["a union", z.object({ size: z.union([z.string(), z.number()]) }), /member size: a form asks for/],
    ["no object", z.string(), /expected an object schema/],
    ["what JSON Schema cannot express", z.object({ day: z.date() }), /member day: zod cannot write it/],
  ])("%s", async (_, form, message) => {
    const { question, got } = await asked(form, { action: "decline" }, "2025-11-25");
    expect(question).toBeUndefined();
    expect(got).toMatchObject({ code: "invalid-definition", message: expect.stringMatching(message) });
    expect((got as Error).message).toMatch(/^ask "seats": requestedSchema/);
  });
});

const titled = [
  { const: "s", title: "Small" },
  { const: "l", title: "l" },
];
const small = (title: string): z.ZodType => z.literal("s").meta({ title });

/** A member in each library that can write it, and the field that the client is asked for. */
interface Row {
  readonly field: object;
  readonly zod?: z.ZodType;
  readonly valibot?: v.GenericSchema;
  readonly arktype?: unknown;
  /** The member may be left out. */
  readonly optional?: true;
}

const rows: { readonly [member: string]: Row } = {
  text: { field: { type: "string" }, zod: z.string(), valibot: v.string(), arktype: "string" },
  limited: {
    field: { type: "string", minLength: 2, maxLength: 5 },
    zod: z.string().min(2).max(5),
    valibot: v.pipe(v.string(), v.minLength(2), v.maxLength(5)),
    arktype: "2 <= string <= 5",
  },
  described: {
    field: { type: "string", title: "T", description: "D" },
    zod: z.string().meta({ title: "T", description: "D" }),
    valibot: v.pipe(v.string(), v.title("T"), v.description("D")),
  },
  pattern: {
    field: { type: "string" },
    zod: z.string().regex(/^a/).trim(),
    valibot: v.pipe(v.string(), v.regex(/^a/), v.trim()),
    arktype: "/^a/",
  },
  email: {
    field: { type: "string", format: "email" },
    zod: z.email(),
    valibot: v.pipe(v.string(), v.email()),
    arktype: "string.email",
  },
  uri: {
    field: { type: "string", format: "uri" },
    zod: z.url(),
    valibot: v.pipe(v.string(), v.url()),
    arktype: "string.url",
  },
  date: {
    field: { type: "string", format: "date" },
    zod: z.iso.date(),
    valibot: v.pipe(v.string(), v.isoDate()),
  },
  time: {
    field: { type: "string", format: "date-time" },
    zod: z.codec(z.iso.datetime(), z.date(), {
      decode: (text) => new Date(text),
      encode: (date) => date.toISOString(),
    }),
    valibot: v.pipe(v.string(), v.isoTimestamp()),
  },
  "another format": {
    field: { type: "string" },
    zod: z.uuid(),
    valibot: v.pipe(v.string(), v.uuid()),
  },
  number: {
    field: { type: "number" },
    zod: z.number().gt(1).multipleOf(2),
    valibot: v.number(),
    arktype: "number > 1",
  },
  "number with limits": {
    field: { type: "number", minimum: 1, maximum: 5 },
    zod: z.number().min(1).max(5),
    valibot: v.pipe(v.number(), v.minValue(1), v.maxValue(5)),
    arktype: "1 <= number <= 5",
  },
  integer: {
    field: { type: "integer" },
    zod: z.int(),
    valibot: v.pipe(v.number(), v.safeInteger()),
    arktype: "number.integer",
  },
  "integer between": {
    field: { type: "integer", minimum: 1, maximum: 8 },
    zod: z.int().positive().lt(9),
    valibot: v.pipe(v.number(), v.integer(), v.gtValue(0), v.ltValue(9)),
    arktype: "0 < number.integer < 9",
  },
  boolean: { field: { type: "boolean" }, zod: z.boolean(), valibot: v.boolean(), arktype: "boolean" },
  consent: { field: { type: "boolean" }, zod: z.literal(true), valibot: v.literal(true), arktype: "true" },
  choice: {
    field: { type: "string", enum: ["a", "b"] },
    zod: z.enum(["a", "b"]),
    valibot: v.picklist(["a", "b"]),
    arktype: "'a' | 'b'",
  },
  "choice of one": {
    field: { type: "string", enum: ["a"] },
    zod: z.literal("a"),
    valibot: v.literal("a"),
    arktype: "'a'",
  },
  "choice with a title": {
    field: { type: "string", title: "T", enum: ["a", "b"] },
    zod: z.enum(["a", "b"]).meta({ title: "T" }),
    valibot: v.pipe(v.picklist(["a", "b"]), v.title("T")),
    arktype: type("'a' | 'b'").configure({ title: "T" }),
  },
  "choice with titles": {
    field: { type: "string", oneOf: titled },
    zod: z.union([small("Small"), z.literal("l")]),
    valibot: v.union([v.pipe(v.literal("s"), v.title("Small")), v.literal("l")]),
  },
  "choice with names": {
    field: { type: "string", oneOf: titled },
    zod: z.enum(["s", "l"]).meta({ enumNames: ["Small", "l"] }),
  },
  "choice of choices": {
    field: { type: "string", enum: ["a", "b", "c"] },
    zod: z.union([z.enum(["a", "b"]), z.literal("c")]),
    valibot: v.union([v.picklist(["a", "b"]), v.literal("c")]),
  },
  several: {
    field: { type: "array", minItems: 1, maxItems: 2, items: { type: "string", enum: ["a", "b"] } },
    zod: z
      .array(z.enum(["a", "b"]))
      .min(1)
      .max(2),
    valibot: v.pipe(v.array(v.picklist(["a", "b"])), v.minLength(1), v.maxLength(2)),
    arktype: "1 <= ('a' | 'b')[] <= 2",
  },
  "several of one": {
    field: { type: "array", items: { type: "string", enum: ["a"] } },
    zod: z.array(z.literal("a")),
    valibot: v.array(v.literal("a")),
    arktype: "'a'[]",
  },
  "several with titles": {
    field: { type: "array", items: { anyOf: titled } },
    zod: z.array(z.union([small("Small"), z.literal("l")])),
    valibot: v.array(v.union([v.pipe(v.literal("s"), v.title("Small")), v.literal("l")])),
  },
  "text of two kinds": {
    field: { type: "string" },
    zod: z.union([z.email(), z.url()]),
    valibot: v.union([v.pipe(v.string(), v.email()), v.pipe(v.string(), v.url())]),
  },
  "text of two described kinds": {
    field: { type: "string", description: "an IP address" },
    arktype: "string.ip",
  },
  "number of two kinds": { field: { type: "number" }, zod: z.union([z.int(), z.number().min(2)]) },
  "all of": {
    field: { type: "string", minLength: 2 },
    zod: z.string().and(z.string().min(2)),
    valibot: v.intersect([v.string(), v.pipe(v.string(), v.minLength(2))]),
  },
  definition: {
    field: { type: "string", enum: ["a"], description: "D" },
    zod: z.enum(["a"]).meta({ id: "of/a ~ choice" }).describe("D"),
  },
  later: { field: { type: "string" }, zod: z.lazy(() => z.string()), valibot: v.lazy(() => v.string()) },
  "text by default": {
    field: { type: "string", default: "q" },
    zod: z.string().default("q"),
    valibot: v.optional(v.string(), "q"),
    optional: true,
  },
  "choice by default": {
    field: { type: "string", enum: ["a", "b"], default: "b" },
    zod: z.enum(["a", "b"]).default("b"),
    valibot: v.optional(v.picklist(["a", "b"]), "b"),
    optional: true,
  },
  "several by default": {
    field: { type: "array", items: { type: "string", enum: ["a", "b"] }, default: ["a"] },
    zod: z.array(z.enum(["a", "b"])).default(["a"]),
    valibot: v.optional(v.array(v.picklist(["a", "b"])), ["a"]),
    optional: true,
  },
  "boolean by default": {
    field: { type: "boolean", default: false },
    zod: z.boolean().default(false),
    valibot: v.optional(v.boolean(), false),
    optional: true,
  },
  "null by default": {
    field: { type: "string" },
    zod: z.string().nullable().default(null),
    valibot: v.optional(v.nullable(v.string()), null),
    optional: true,
  },
  "null or a text": {
    field: { type: "string", description: "D" },
    zod: z.string().nullish().describe("D"),
    valibot: v.pipe(v.nullish(v.string()), v.description("D")),
    optional: true,
  },
  "null or a choice": {
    field: { type: "string", enum: ["a", "b"] },
    zod: z.enum(["a", "b"]).nullish(),
    valibot: v.nullish(v.picklist(["a", "b"])),
    arktype: "'a' | 'b' | null",
    optional: true,
  },
  "null or a constant": {
    field: { type: "string", enum: ["a"] },
    zod: z.literal(["a", null]).optional(),
    optional: true,
  },
  "null or several": {
    field: { type: "array", items: { type: "string", enum: ["a"] } },
    zod: z.array(z.enum(["a"])).nullish(),
    valibot: v.nullish(v.array(v.picklist(["a"]))),
    arktype: "'a'[] | null",
    optional: true,
  },
  "null or a number": {
    field: { type: "number" },
    zod: z.number().nullish(),
    valibot: v.nullish(v.number()),
    arktype: "number | null",
    optional: true,
  },
};

/** The rows of a library, and the object schema that it makes of them. */
function table(
  library: "zod" | "valibot" | "arktype",
  make: (members: never) => StandardJsonSchema,
): readonly [string, StandardJsonSchema, readonly (readonly [string, Row])[]] {
  const own = Object.entries(rows).filter(([, row]) => row[library] !== undefined);
  const members = own.map(([name, row]) => {
    const key = library === "arktype" && row.optional ? `${name}?` : name;
    return [key, row[library]] as const;
  });
  return [library, make(Object.fromEntries(members) as never), own];
}

test.each([
  table("zod", (members) => z.object(members)),
  table("valibot", (members) => toStandardJsonSchema(v.object(members))),
  table("arktype", (members) => type(members)),
])("each member of %s that a form allows becomes a field", async (_, form, own) => {
  for (const revision of ["2025-11-25", "2026-07-28"]) {
    const { question, got } = await asked(form, { action: "decline" }, revision);
    expect(got).toEqual({ action: "decline" });
    const { properties, required } = question as { properties: object; required: string[] };
    expect(properties).toEqual(Object.fromEntries(own.map(([name, { field }]) => [name, field])));
    expect(required.toSorted()).toEqual(
      own.flatMap(([name, { optional }]) => (optional ? [] : [name])).toSorted(),
    );
  }
});

test.each<[string, StandardJsonSchema]>([
  ["a form with an id", z.object({ a: z.string() }).meta({ id: "Form", title: "A form" })],
  ["a form that is changed", z.strictObject({ a: z.string() }).transform((value) => value)],
  ["a form of two", toStandardJsonSchema(v.intersect([v.object({ a: v.string() }), v.object({})]))],
])("%s is a form", async (_, form) => {
  const { question, got } = await asked(form, { action: "accept", content: { a: "b" } }, "2025-11-25");
  expect(question).toEqual({ type: "object", properties: { a: { type: "string" } }, required: ["a"] });
  expect(got).toEqual({ action: "accept", content: { a: "b" } });
});

test("alternatives that contain themselves are not a field", async () => {
  const endless: z.ZodType = z.lazy(() => z.union([z.string(), endless]));
  const { got } = await asked(z.object({ endless }), { action: "decline" }, "2025-11-25");
  expect(got).toMatchObject({ code: "invalid-definition" });
});

test("without the option schemas, a form of a library is refused with its name", () => {
  expect(formProblem(z.object({ street: z.string() }))).toContain("{ schemas: methodSchemas }");
});
