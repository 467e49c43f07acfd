import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { clientRevisions, revisionIds, serverRevisions } from "@mcpgen/protocol";
import type { Explanations, Judge, OutgoingRequest } from "@mcpgen/protocol/model";
import { locateIssue, withoutWrongNulls } from "@mcpgen/engine/explain";

interface Vector {
  readonly validator: string;
  readonly valid: boolean;
  readonly message: unknown;
}

describe.each(revisionIds)("a validator shows where it refuses a message, %s", async (id) => {
  const validators = (await import(`@mcpgen/protocol/${id}/validators`)) as Record<string, Judge>;
  const explanations = (await import(`@mcpgen/protocol/${id}/explain`)) as unknown as Explanations;
  const file = JSON.parse(readFileSync(`generated/${id}/vectors.json`, "utf8")) as { vectors: Vector[] };
  const refused = file.vectors.filter(
    ({ validator, message }) => !validators[`accepts${validator}`]!(message),
  );

  test("at a place that `explain` names, too, and nearly always its first", () => {
    const places = refused.map(({ validator, message }) => {
      const accepts = validators[`accepts${validator}`]!;
      const issues = explanations.issuesOf(accepts, message).map(({ pointer }) => pointer);
      const place = locateIssue(accepts, message).pointer;
      return { validator, place, issues };
    });
    expect(places.length).toBeGreaterThan(90);
    // If no member distinguishes the arms of a union, the error may be about either arm.
    const others = places.filter(({ place, issues }) => !issues.includes(place));
    expect(others.map(({ validator }) => validator)).toEqual(
      others.length === 0 ? [] : ["ReadResourceResult"],
    );
    expect(places.filter(({ place, issues }) => place === issues[0]).length).toBeGreaterThan(
      0.95 * places.length,
    );
  });
});

/** The validators of what both roles of a revision receive. */
function judgesOf(id: string): readonly Judge[] {
  const tables = [...clientRevisions, ...serverRevisions].flatMap((each) =>
    each.id === id ? each.table : [],
  );
  const read = ({
    result,
    alternatives = [],
    page,
  }: OutgoingRequest): readonly { readonly accepts: Judge }[] =>
    [result, ...alternatives, page, page?.partial?.reference].filter((each) => each !== undefined);
  return tables
    .flatMap(({ incomingRequests, incomingNotifications, outgoingRequests }) => [
      ...incomingRequests.values(),
      ...incomingNotifications.values(),
      ...[...outgoingRequests.values()].flatMap(read),
    ])
    .map(({ accepts }) => accepts);
}

test.each(revisionIds)("the explanations of %s know each validator of its tables", async (id) => {
  const { issuesOf } = (await import(`@mcpgen/protocol/${id}/explain`)) as unknown as Explanations;
  const judges = judgesOf(id).filter((judge) => !judge(7));
  expect(judges.length).toBeGreaterThan(30);
  for (const judge of judges) expect(issuesOf(judge, 7)).not.toEqual([]);
  expect(issuesOf(() => false, 7)).toEqual([]);
});

describe("the text for a place", async () => {
  const { acceptsCallToolRequest, isSetLevelRequest, acceptsListToolsResult, acceptsCompleteRequest } =
    await import("@mcpgen/protocol/2025-11-25/validators");
  const { acceptsAnnotations, acceptsCacheableResult } =
    await import("@mcpgen/protocol/2026-07-28/validators");
  const call = (params: unknown) => ({ jsonrpc: "2.0", id: 1, method: "tools/call", params });

  test.each<[Judge, unknown, string]>([
    [acceptsCallToolRequest, call({}), "params.name: expected string, got nothing"],
    [acceptsCallToolRequest, call(undefined), "params: expected object, got nothing"],
    [acceptsCallToolRequest, call({ name: 3 }), "params.name: expected string, got 3 (number)"],
    [
      acceptsCallToolRequest,
      call({ name: "x", arguments: [] }),
      "params.arguments: expected object, got array",
    ],
    [
      acceptsCallToolRequest,
      { ...call({ name: "x" }), id: null },
      "id: expected string or integer, got null",
    ],
    [
      isSetLevelRequest,
      { jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "loud" } },
      'params.level: expected another value, got "loud" (string)',
    ],
    [
      acceptsCompleteRequest,
      {
        jsonrpc: "2.0",
        id: 1,
        method: "completion/complete",
        params: { ref: { type: "ref/x" }, argument: { name: "a", value: "" } },
      },
      'params.ref.type: expected another value, got "ref/x" (string)',
    ],
    [
      acceptsListToolsResult,
      {
        tools: [
          { name: "a", inputSchema: { type: "object" } },
          { name: "\u001b[2J", inputSchema: 3 },
        ],
      },
      "tools[1].inputSchema: expected object, got 3 (number)",
    ],
    [acceptsAnnotations, { priority: "\u001b[2J" }, 'priority: expected number, got "\\u001b[2J" (string)'],
    [
      acceptsCacheableResult,
      { cacheScope: "private", resultType: "complete", ttlMs: -1 },
      "ttlMs: expected another number, got -1 (number)",
    ],
    [acceptsAnnotations, null, "expected object, got null"],
  ])("%o", (accepts, value, message) => {
    expect(locateIssue(accepts, value).message).toBe(message);
  });

  test("frozen values, and members that every object has", () => {
    const frozen = Object.freeze(call(Object.freeze({ name: 1 })));
    expect(locateIssue(acceptsCallToolRequest, frozen).pointer).toBe("/params/name");
    const judge: Judge = (value) =>
      Object.hasOwn(value ?? {}, "constructor") && (value as { constructor: unknown }).constructor === "a";
    expect(locateIssue(judge, {}).message).toBe("constructor: expected string, got nothing");
    expect(locateIssue(judge, { constructor: 3 })).toMatchObject({ expected: "string", got: "3 (number)" });
  });

  test("a rule about all members has the place of the object", () => {
    const few: Judge = (value) => Object.keys(value ?? {}).length < 2;
    expect(locateIssue(few, { a: 1, b: 2 }).pointer).toBe("");
    const items: Judge = (value) =>
      Array.isArray(value) && value.every((item) => item === 1) && value.length < 2;
    expect(locateIssue(items, [1, 1]).pointer).toBe("");
  });

  test("a value too large to find a place in is named as a whole", () => {
    const tools = Array.from({ length: 30_000 }, () => ({ name: "a", inputSchema: { type: "object" } }));
    expect(locateIssue(acceptsListToolsResult, { tools: [...tools, 3] })).toMatchObject({
      pointer: "",
      message: "expected another value, got object",
    });
  });
});

describe("nulls that a validator refuses", async () => {
  const { acceptsCallToolResult, acceptsTool } = await import("@mcpgen/protocol/2025-11-25/validators");
  const tool = { name: "a", inputSchema: { type: "object" } };

  test("are left out, and others stay", () => {
    const content = Array.from({ length: 100 }, () => ({
      type: "text",
      text: "x",
      annotations: null,
      _meta: null,
    }));
    const structuredContent = { left: null };
    const read = withoutWrongNulls(acceptsCallToolResult, { content, structuredContent, isError: null });
    expect(read.value).toEqual({
      content: content.map(() => ({ type: "text", text: "x" })),
      structuredContent,
    });
    expect(read.places).toEqual(
      expect.arrayContaining(["/isError", "/content/0/_meta", "/content/99/annotations"]),
    );
    expect(acceptsCallToolResult(read.value)).toBe(true);
  });

  test("stay where something must stand, and in lists", () => {
    expect(withoutWrongNulls(acceptsTool, { ...tool, name: null })).toEqual({
      value: { ...tool, name: null },
      places: [],
    });
    const icons = { ...tool, icons: [null] };
    expect(withoutWrongNulls(acceptsTool, icons)).toEqual({ value: icons, places: [] });
  });

  test("the value itself is not changed", () => {
    const value = Object.freeze({ ...tool, title: null });
    expect(withoutWrongNulls(acceptsTool, value)).toEqual({ value: tool, places: ["/title"] });
    expect(value.title).toBeNull();
  });
});
