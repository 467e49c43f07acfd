import { toStandardJsonSchema } from "@valibot/to-json-schema";
import { type } from "arktype";
import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import { type StandardJsonSchema, createServer } from "@mcpgen/runtime";
import { createTestPair } from "@mcpgen/runtime/testing";

/** A form in each library: `seats` becomes a number of tickets, the rest stays. */
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

/** Asks for a form, and returns the question that the client got and what the handler got, or its error. */
async function asked(form: StandardJsonSchema, answer: Answer, revision: string, bySession = false) {
  const questions: { requestedSchema?: unknown }[] = [];
  let got: unknown;
  const server = createServer({ name: "s", version: "1" }, { revisions: serverRevisions, onError: () => {} });
  server.tool("book", {}, async (_, context) => {
    const question = { message: "Seats?", requestedSchema: form };
    try {
      got = await (bySession ? context.session.elicit(question) : context.ask.elicit("seats", question));
    } catch (error) {
      // In the modern era, the first run ends here, without an answer.
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
  await pair.client.callTool("book").catch(() => {});
  await pair.close();
  return {
    question: questions[0]?.requestedSchema as { properties: Record<string, object> } | undefined,
    got,
  };
}

const content = { name: "Ada", mail: "ada@example.com", days: ["sun"], window: true };

describe.each(libraries)("a form of %s", (_, form) => {
  test.each(["2025-11-25", "2026-07-28"])(
    "is asked for as JSON Schema, and parsed, at %s",
    async (revision) => {
      const { question, got } = await asked(form, { action: "accept", content }, revision);
      expect(got).toEqual({ action: "accept", content: { ...content, seats: { seats: 2 } } });
      const { properties } = question!;
      expect(question).toMatchObject({ type: "object" });
      expect(Object.keys(properties).sort()).toEqual(["days", "mail", "meal", "name", "seats", "window"]);
      expect(properties["name"]).toEqual({ type: "string", minLength: 2, maxLength: 20, description: "Who" });
      expect(properties["mail"]).toEqual({ type: "string", format: "email" });
      expect(properties["seats"]).toMatchObject({ type: "integer", minimum: 1, maximum: 9 });
      expect(properties["meal"]).toEqual({ type: "string", enum: ["meat", "plants"] });
      expect(properties["window"]).toEqual({ type: "boolean" });
    },
  );

  test("is parsed when a session asks", async () => {
    const { got } = await asked(form, { action: "accept", content }, "2025-11-25", true);
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
});

describe("the schema of a library that is no form is refused before it is sent", () => {
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

test("choices with titles, constants and references are written as choices of forms", async () => {
  const size = z.union([z.literal("s").meta({ title: "Small" }), z.literal("l")]);
  const colour = z.enum(["red", "blue"]).meta({ id: "Colour" });
  const form = z.object({
    size,
    only: z.literal("yes"),
    first: colour,
    second: colour,
    several: z.array(size),
  });
  const { question } = await asked(form, { action: "decline" }, "2025-11-25");
  const titled = [
    { const: "s", title: "Small" },
    { const: "l", title: "l" },
  ];
  expect(question!.properties).toEqual({
    size: { type: "string", oneOf: titled },
    only: { type: "string", enum: ["yes"] },
    first: { type: "string", enum: ["red", "blue"] },
    second: { type: "string", enum: ["red", "blue"] },
    several: { type: "array", items: { anyOf: titled } },
  });
});
