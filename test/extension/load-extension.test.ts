import { describe, expect, test } from "vitest";
import { extensionOver } from "../../generator/extension/load-extension.js";
import type { ExtensionModel } from "../../generator/model/extension-model.js";
import { failureOf } from "../support/failure-of.js";
import { newestExtensions } from "../../generator/extension/extension-store.js";
import { readLock } from "../../generator/revision/lock.js";
import { storedRevision } from "../../generator/revision/revision-source.js";
import { generate, releasedSource, schemaDir } from "../support/generated-output.js";
import { publishedModel, releasedModel } from "../support/models.js";
import { type ExtensionText, notification, request, result, sourceOf } from "./models.js";

const [legacy, modern] = [await releasedModel("2025-11-25"), await releasedModel("2026-07-28")];

const revisionsOfLock = [...readLock(schemaDir).keys()];

const bases = ["2025-11-25", "2026-07-28"];

async function over(base: typeof legacy, text: Partial<ExtensionText>): Promise<ExtensionModel> {
  const source = await sourceOf({ id: "com.example/search", bases, definitions: {}, ...text });
  return extensionOver(source, base);
}

const failure = (base: typeof legacy, text: Partial<ExtensionText>): Promise<unknown> =>
  failureOf(over(base, text));

const search = {
  SearchRequest: request("search", {
    type: "object",
    required: ["query"],
    properties: { query: { type: "string" } },
  }),
  SearchResult: result({ hits: { type: "array", items: { $ref: "base#/$defs/Resource" } } }),
};
const fromClient = { kind: "sender", target: "search", sender: "client" };

describe("a method", () => {
  test("is gated by the place where the answering side declares the extension", async () => {
    const { methods } = await over(modern, { definitions: search, notes: [fromClient] });
    expect(methods).toMatchObject([
      {
        name: "search",
        senders: ["client"],
        message: "SearchRequest",
        result: { definition: "SearchResult", alternatives: [] },
        capabilities: [{ of: "server", path: "/extensions/com.example~1search" }],
      },
    ]);
  });

  test("is gated by one setting, and has a requirement, if notes demand that", async () => {
    const { methods } = await over(modern, {
      definitions: search,
      about: {
        declared: { client: "/extensions/com.example~1search", server: "/extensions/com.example~1search" },
      },
      notes: [
        fromClient,
        {
          kind: "capability",
          target: "search",
          of: "server",
          capability: "/extensions/com.example~1search/deep",
        },
        { kind: "requires", target: "search", of: "client" },
      ],
    });
    expect(methods[0]).toMatchObject({
      capabilities: [{ of: "server", path: "/extensions/com.example~1search/deep" }],
      requires: {
        of: "client",
        path: "/extensions/com.example~1search",
        error: "MISSING_REQUIRED_CLIENT_CAPABILITY",
      },
    });
  });

  test("may require the declaration of its receiver if it is a notification", async () => {
    const found = notification("notifications/found", { type: "object", properties: {} });
    const { methods } = await over(modern, {
      definitions: { FoundNotification: found },
      about: {
        declared: { client: "/extensions/com.example~1search", server: "/extensions/com.example~1search" },
      },
      notes: [
        { kind: "sender", target: "notifications/found", sender: "server" },
        { kind: "requires", target: "notifications/found", of: "client" },
      ],
    });
    expect(methods[0]).toMatchObject({ requires: { of: "client", path: "/extensions/com.example~1search" } });
  });

  test("is assumed to be sent by the client if no note names the sender, which is reported", async () => {
    const { assumptions } = await over(modern, { definitions: search });
    expect(assumptions).toMatchObject([{ kind: "sender", subject: "search" }]);
  });

  test("may be answered by a definition of the base", async () => {
    const { methods } = await over(modern, {
      definitions: { SearchRequest: search.SearchRequest },
      notes: [fromClient, { kind: "pairing", target: "search", result: "base#/$defs/EmptyResult" }],
    });
    expect(methods[0]!.result).toEqual({ definition: "EmptyResult", alternatives: [] });
  });
});

describe("a definition", () => {
  test("becomes one object that extends the parts if it is an allOf of objects", async () => {
    const { schema } = await over(modern, { definitions: search, notes: [fromClient] });
    const { node, extends: inherited } = schema.definitions.get("SearchResult")!;
    expect(inherited).toEqual(["Result"]);
    expect([...node.properties!.keys()]).toEqual(["_meta", "hits", "resultType"]);
    expect(node.required).toEqual(["hits", "resultType"]);
  });

  test("keeps the constraints of both parts on one member", async () => {
    const definitions = {
      Narrow: {
        allOf: [
          { $ref: "base#/$defs/Result" },
          { type: "object", properties: { resultType: { type: "string", minLength: 2 } } },
        ],
      },
    };
    const { schema } = await over(modern, { definitions });
    expect(schema.definitions.get("Narrow")!.node.properties!.get("resultType")).toMatchObject({
      types: ["string"],
      minLength: 2,
    });
  });

  test("may have the name of a definition of the base, and both are known", async () => {
    const definitions = {
      Tool: { type: "object", properties: { tool: { $ref: "base#/$defs/Tool" } } },
      ...search,
    };
    const { schema, imported } = await over(modern, { definitions, notes: [fromClient] });
    const own = schema.definitions.get("Tool")!.node.properties!.get("tool")!.ref!;
    expect(imported.get(own)).toBe("Tool");
    expect(schema.definitions.get(own)!.node.properties!.has("inputSchema")).toBe(true);
  });
});

test("a result that is added to a method of the base is marked, and needs the extension on both sides", async () => {
  const place = "/extensions/com.example~1search";
  const { augments } = await over(modern, {
    about: { declared: { client: place, server: place } },
    definitions: { LaterResult: result({ ticket: { type: "string" } }) },
    notes: [{ kind: "augments", target: "tools/call", result: "LaterResult", mark: { resultType: "later" } }],
  });
  expect(augments).toMatchObject([
    {
      method: { name: "tools/call" },
      result: {
        definition: "LaterResult",
        discriminator: { key: "resultType", value: "later" },
        capability: place,
      },
      requires: { of: "client", path: place, error: "MISSING_REQUIRED_CLIENT_CAPABILITY" },
    },
  ]);
});

test("a result is marked by a constant of a member that the plain result also has", async () => {
  const constant = { type: "string", const: "later" };
  const { augments } = await over(modern, {
    definitions: { LaterResult: result({ ahead: { type: "string" }, resultType: constant }) },
    notes: [{ kind: "augments", target: "tools/call", result: "LaterResult" }],
  });
  expect(augments[0]!.result.discriminator).toEqual({ key: "resultType", value: "later" });
});

test("members of the era are also known in an allOf with a union", async () => {
  const either = { anyOf: [{ type: "object" }, { type: "object", properties: { a: { type: "string" } } }] };
  const { owned } = await over(modern, {
    definitions: {
      SearchRequest: search.SearchRequest,
      SearchResult: {
        allOf: [
          { $ref: "base#/$defs/Result" },
          either,
          { type: "object", properties: { resultType: { type: "string", const: "complete" } } },
        ],
      },
    },
    notes: [fromClient],
  });
  expect(owned.get("SearchResult")).toEqual(new Set(["resultType"]));
});

test("a member of a base object, a filter and what a place carries", async () => {
  const definitions = {
    Color: { type: "string", enum: ["red", "green"] },
    JobFilter: { type: "object", properties: { jobs: { type: "array", items: { type: "string" } } } },
    JobNotification: notification("notifications/jobs", {
      type: "object",
      required: ["job"],
      properties: { job: { type: "string" }, result: { type: "object" } },
    }),
  };
  const at = "/$defs/JobNotification/allOf/1/properties/params/properties/result";
  const model = await over(modern, {
    definitions,
    bases: ["2026-07-28"],
    notes: [
      { kind: "sender", target: "notifications/jobs", sender: "server" },
      {
        kind: "member",
        target: "base#/$defs/Tool",
        member: "/_meta/com.example~1color",
        definition: "Color",
      },
      {
        kind: "subscription",
        target: "notifications/jobs",
        filter: "/$defs/JobFilter/properties/jobs",
        key: "job",
      },
      { kind: "carries", target: at, of: "tools/call" },
    ],
  });
  expect(model.members).toEqual([
    { of: "Tool", path: "/_meta/com.example~1color", definition: "Color", required: false },
  ]);
  expect(model.methods).toMatchObject([{ filter: "jobs", filterKey: "job" }]);
  const resultIn = ({ schema }: typeof model) =>
    schema.definitions.get("JobNotification")!.node.properties!.get("params")!.properties!.get("result")!;
  // The result is not inside of a message: the members that the runtime fills in may be absent.
  expect(resultIn(model)).toMatchObject({ required: ["content"], additionalProperties: {} });
  expect([...resultIn(model).properties!.keys()]).toContain("resultType");
  const older = await over(legacy, {
    definitions,
    bases: ["2025-11-25"],
    notes: [
      { kind: "sender", target: "notifications/jobs", sender: "server" },
      { kind: "carries", target: at, of: "tools/call" },
    ],
  });
  expect(resultIn(older)).toMatchObject({ ref: "CallToolResult" });
});

describe("refused", () => {
  test("is a reference to a definition that one base does not have, with base, place and the nearest name", async () => {
    const definitions = { A: { type: "object", properties: { a: { $ref: "base#/$defs/Taks" } } } };
    expect(await failure(legacy, { definitions })).toMatchObject({
      code: "MG1303",
      message: 'the base 2025-11-25 has no definition "Taks"',
      place: { file: "schema.json", pointer: "/$defs/A/properties/a/$ref" },
      next: "Did you mean base#/$defs/Task? Else correct the name, or remove the base 2025-11-25 from extension.json.",
    });
    expect(await failure(modern, { definitions: { A: { $ref: "base#/$defs/Task" } } })).toMatchObject({
      message: 'the base 2026-07-28 has no definition "Task"',
    });
    expect(await failure(modern, { definitions: { A: { $ref: "base#/properties/x" } } })).toMatchObject({
      code: "MG1303",
      next: "Write base#/$defs/NAME.",
    });
  });

  test.each<[string, object, string, RegExp]>([
    ["an unknown method", { kind: "requires", target: "x", of: "client" }, "MG1202", /no such method/],
    [
      "a side that declares nothing",
      { kind: "requires", target: "search", of: "client" },
      "MG1202",
      /the client declares no place of the extension/,
    ],
    [
      "a side that does not send",
      { kind: "requires", target: "search", of: "server" },
      "MG1202",
      /the server does not send it/,
    ],
    [
      "no request of the base",
      { kind: "augments", target: "tools/cal", result: "SearchResult" },
      "MG1202",
      /the base 2026-07-28 has no such request/,
    ],
    [
      "no definition of a result",
      { kind: "augments", target: "tools/call", result: "Nope" },
      "MG1202",
      /no definition "Nope"/,
    ],
    [
      "no object of the base",
      { kind: "member", target: "base#/$defs/Nope", member: "/a", definition: "SearchResult" },
      "MG1202",
      /has no definition Nope/,
    ],
    [
      "no method that is carried",
      { kind: "carries", target: "/$defs/SearchResult", of: "nope" },
      "MG1202",
      /has a request "nope" with a result/,
    ],
  ])("is a note about %s", async (_, note, code, message) => {
    const error = await failure(modern, { definitions: search, notes: [fromClient, note as never] });
    expect(error).toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
      place: { file: "notes.json", pointer: "/notes/1" },
      next: 'Correct the note, remove it, or limit it to the other bases with "bases".',
    });
  });

  test("is a note that applies to none of its bases, but not a note for other bases", async () => {
    const listening = { kind: "subscription", target: "notifications/jobs", filter: "/$defs/F/properties/a" };
    const text = {
      definitions: {
        F: { type: "object", properties: { a: { type: "boolean" } } },
        JobNotification: notification("notifications/jobs"),
      },
      notes: [{ kind: "sender", target: "notifications/jobs", sender: "server" }, listening],
    };
    expect(await failure(legacy, text)).toMatchObject({ code: "MG1203" });
    const limited = { ...text, notes: [text.notes[0]!, { ...listening, bases: ["2026-07-28"] }] };
    expect((await over(legacy, limited)).methods[0]!.filter).toBeUndefined();
    expect((await over(modern, limited)).methods[0]!.filter).toBe("a");
  });
});

const bare = await publishedModel("2026-07-28");

describe("over a base without notes", () => {
  const watched = {
    SearchFilter: { type: "object", properties: { words: { type: "array", items: { type: "string" } } } },
    FoundNotification: notification("notifications/found", {
      type: "object",
      required: ["word"],
      properties: { word: { type: "string" } },
    }),
  };
  const subscription = {
    kind: "subscription",
    target: "notifications/found",
    filter: "/$defs/SearchFilter/properties/words",
    key: "word",
  };
  const sent = { kind: "sender", target: "notifications/found", sender: "server" };

  test("a note that needs a note of the base is left out, and reported as an assumption", async () => {
    const source = await sourceOf({
      ...{ id: "com.example/search", bases, definitions: watched },
      notes: [subscription, sent],
    });
    expect(await failureOf(extensionOver(source, bare))).toMatchObject({ code: "MG1202" });
    const { methods, assumptions } = await extensionOver(source, bare, { withoutNotes: true });
    expect(methods).toMatchObject([{ name: "notifications/found", senders: ["server"] }]);
    expect(assumptions).toContainEqual({
      kind: "subscription",
      subject: "notifications/found",
      text: expect.stringContaining("left out, because the base was read without notes") as string,
    });
  });

  test("all shipped extensions compile", async () => {
    const sources = revisionsOfLock.map((revision) => storedRevision(schemaDir, revision, "released", false));
    const all = { only: ["types"], extensions: newestExtensions(schemaDir) };
    const { extensions } = await generate(sources, all);
    expect(extensions.length).toBeGreaterThan(2);
    const noted = await generate(revisionsOfLock.map(releasedSource), all);
    const names = (loaded: typeof extensions) =>
      loaded.flatMap(({ models }) => models.flatMap(({ methods }) => methods.map(({ name }) => name))).sort();
    expect(names(extensions)).toEqual(names(noted.extensions));
  });
});
