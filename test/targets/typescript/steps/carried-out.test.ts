import { type JsonObject, type JsonValue } from "@mcpgen/engine";
import { describe, expect, it } from "vitest";
import { type NoteText, object } from "../../../support/models.js";
import { answering, stepsBetween } from "./between.js";
import { type Loss, type Step, type Steps, Refusal, listener } from "./protocol.js";

// When a result comes, its request has been executed. If the result cannot be converted, the loss is reported.

const text = { type: "string" };
const block = object({ type: { const: "text" }, text }, ["type", "text"]);

/** A result of tools. */
const toolResult = (more: JsonObject): JsonObject =>
  object({ content: { type: "array", items: { anyOf: [block, more] } }, isError: { type: "boolean" } }, [
    "content",
  ]) as JsonObject;

const image = object({ type: { const: "image" }, data: text }, ["type", "data"]) as JsonObject;
const sound = object({ type: { const: "sound" }, data: text }, ["type", "data"]) as JsonObject;
const carried = "the request was carried out";

async function tablesOf(
  old: JsonValue,
  next: JsonValue,
  more: { readonly old?: JsonObject; readonly next?: JsonObject; readonly notes?: readonly NoteText[] } = {},
): Promise<{ server: Steps; client: Steps }> {
  const { serverSteps, clientSteps } = await stepsBetween(
    answering("r1", old, more.old),
    answering("r2", next, more.next, more.notes),
  );
  return { server: serverSteps, client: clientSteps };
}

function run(step: Step | undefined, value: object): { value: unknown; losses: readonly Loss[] } {
  const report = listener();
  return { value: step!(value, report), losses: report.losses };
}

function refusalOf(step: Step | undefined, value: object): Refusal {
  try {
    step!(value, listener());
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
  throw new Error("it was not refused");
}

describe.each([
  ["down", "server", "outgoingResults"],
  ["up", "client", "incomingResults"],
] as const)("a result of a tool on the way %s", (way, role, table) => {
  const own = way === "down" ? sound : image;
  const both =
    way === "down"
      ? ([toolResult(image), toolResult({ anyOf: [image, sound] })] as const)
      : ([toolResult({ anyOf: [image, sound] }), toolResult(sound)] as const);
  const foreign = way === "down" ? "sound" : "image";

  it("that cannot be expressed becomes the result of a failed tool, with its texts", async () => {
    expect(own).toBeDefined();
    const step = (await tablesOf(...both))[role][table]!.get("test/do");
    const passed = { content: [{ type: "text", text: "a" }] };
    expect(run(step, passed)).toEqual({ value: passed, losses: [] });
    const given = {
      content: [
        { type: "text", text: "a" },
        { type: foreign, data: "x" },
        { type: "text", text: "b" },
      ],
    };
    expect(run(step, given)).toEqual({
      value: {
        content: [
          { type: "text", text: expect.stringMatching(new RegExp(`/content/1: .*; ${carried}$`)) as string },
          { type: "text", text: "a" },
          { type: "text", text: "b" },
        ],
        isError: true,
      },
      losses: [{ pointer: "/content/1", what: "result", how: "text" }],
    });
  });
});

it("the result of a failed tool has the form of the other revision", async () => {
  const next = object({
    content: { type: "array", items: { anyOf: [block, image] } },
    isError: { type: "boolean" },
  });
  const old = object({ content: { type: "array", items: block }, failed: { type: "boolean" } });
  const notes: readonly NoteText[] = [
    { kind: "renamed", targets: ["/$defs/DoResult/properties/isError"], previous: "r1", from: "failed" },
  ];
  const step = (await tablesOf(old, next, { notes })).server["outgoingResults"]!.get("test/do");
  expect(run(step, { content: [{ type: "image", data: "x" }] }).value).toEqual({
    content: [{ type: "text", text: expect.stringContaining(carried) as string }],
    failed: true,
  });
});

it("another result is refused, and the refusal states that the request was carried out", async () => {
  const { server, client } = await tablesOf(
    object({ value: { enum: ["a"] } }),
    object({ value: { enum: ["a", "b"] } }),
  );
  const step = server["outgoingResults"]!.get("test/do");
  expect(run(step, { value: "a" })).toEqual({ value: { value: "a" }, losses: [] });
  expect(refusalOf(step, { value: "b" })).toMatchObject({
    code: "no-older-form",
    pointer: "/value",
    message: expect.stringContaining(carried) as string,
  });
  expect(client["incomingResults"]!.get("test/do")).toBeUndefined();
});

it("a step that fails for another reason keeps its error", async () => {
  const { server } = await tablesOf(
    object({ value: { enum: ["a"] } }),
    object({ value: { enum: ["a", "b"] } }),
  );
  const hostile = {
    get value(): never {
      throw new TypeError("mine");
    },
  };
  expect(() => server["outgoingResults"]!.get("test/do")!(hostile, listener())).toThrow("mine");
});

it("a request is refused before it is carried out if none of its results can be translated back", async () => {
  const notes: readonly NoteText[] = [
    { kind: "lower", targets: ["/$defs/DoResult"], previous: "r1", how: "refuse", code: "too-new" },
    { kind: "lift", targets: ["/$defs/DoResult"], previous: "r1", how: "refuse", code: "too-old" },
  ] as unknown as readonly NoteText[];
  const { server, client } = await tablesOf({ type: "array", items: text }, object({ value: text }), {
    notes,
  });
  expect(refusalOf(server["incomingRequests"]!.get("test/do"), {})).toMatchObject({ code: "too-new" });
  expect(client["outgoingRequests"]!.get("test/do")).toBeUndefined();
});
