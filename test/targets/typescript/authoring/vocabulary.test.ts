import type { JsonValue } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import type { EmittedFile } from "../../../../generator/print/emitted-file.js";
import { emitAuthoring } from "../../../../generator/targets/typescript/authoring/emit.js";
import { emitOpen } from "../../../../generator/targets/typescript/authoring/emit-open.js";
import {
  authoredModel,
  vocabularyFrom,
} from "../../../../generator/targets/typescript/authoring/vocabulary.js";
import { emitTypes } from "../../../../generator/targets/typescript/types/emit.js";
import type { ProtocolModel } from "../../../../generator/model/model.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { anyOf, message, methodOf, modelOf, object, ref } from "../../../support/models.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const text = { type: "string" };
const list = (items: JsonValue): JsonValue => ({ type: "array", items });

const revisionOf = (revision: string, definitions: { [name: string]: JsonValue }): ProtocolModel => ({
  ...modelOf(definitions),
  revision,
});

const tools = {
  ListToolsRequest: message("tools/list"),
  ListToolsResult: object({ tools: list(ref("Tool")) }, ["tools"]),
};
const progress = {
  ProgressNotification: message("notifications/progress", { params: ref("ProgressParams") }, ["params"]),
  ProgressParams: object({ done: { type: "number" } }, ["done"]),
};
const roots = (root: JsonValue) => ({
  ServerRequest: anyOf("ListRootsRequest"),
  ListRootsRequest: message("roots/list"),
  ListRootsResult: object({ roots: list(ref("Root")) }, ["roots"]),
  Root: root,
});

/** Roots in their first form. */
const first = revisionOf("2023-01-01", {
  ...tools,
  ...roots(object({ path: text }, ["path"])),
  ClientRequest: anyOf("ListToolsRequest"),
  Tool: object({ name: text }, ["name"]),
});

/** Roots in their last form, and progress from both sides. */
const older = revisionOf("2024-01-01", {
  ...tools,
  ...progress,
  ...roots(object({ uri: text, tool: ref("Tool") }, ["uri"])),
  ClientRequest: anyOf("ListToolsRequest"),
  ClientNotification: anyOf("ProgressNotification"),
  ServerNotification: anyOf("ProgressNotification"),
  Tool: object({ name: text, schema: text }, ["name", "schema"]),
});

/** The revision whose names handlers use. */
const pinned = revisionOf("2025-01-01", {
  ...tools,
  ...progress,
  ClientRequest: anyOf("CallToolRequest", "ListToolsRequest"),
  ServerNotification: anyOf("ProgressNotification"),
  Tool: object({ name: text, inputSchema: object({}) }, ["name", "inputSchema"]),
  CallToolRequest: message("tools/call", { params: object({ name: text }, ["name"]) }, ["params"]),
  CallToolResult: object({ content: list(ref("Block")) }, ["content"]),
  Block: object({ text }, ["text"]),
});

const events = (event: JsonValue) => ({
  ListEventsRequest: message("events/list", { params: ref("ListEventsParams") }, ["params"]),
  ListEventsParams: object({ since: text }, ["since"]),
  ListEventsResult: object({ events: list(ref("Event")) }, ["events"]),
  Event: event,
});

/** Tools and their results in another form, and events with a tool of this revision and a block of all. */
const newer = revisionOf("2026-01-01", {
  ...tools,
  ...events(object({ name: text, tool: ref("Tool"), block: ref("Block") }, ["name", "tool"])),
  ClientRequest: anyOf("CallToolRequest", "ListEventsRequest", "ListToolsRequest"),
  Tool: object({ name: text, variants: list(text) }, ["name", "variants"]),
  CallToolRequest: message("tools/call", { params: object({ name: text }, ["name"]) }, ["params"]),
  CallToolResult: object({ outputs: list(ref("Block")) }, ["outputs"]),
  Block: object({ text }, ["text"]),
});

/** Events in another form. */
const newest = revisionOf("2027-01-01", {
  ...tools,
  ...events(object({ title: text }, ["title"])),
  ClientRequest: anyOf("CallToolRequest", "ListEventsRequest", "ListToolsRequest"),
  Tool: object({ name: text, variants: list(text), etag: text }, ["name", "variants", "etag"]),
  CallToolRequest: message("tools/call", { params: object({ name: text }, ["name"]) }, ["params"]),
  CallToolResult: object({ outputs: list(ref("Block")) }, ["outputs"]),
  Block: object({ text }, ["text"]),
});

const all = [first, older, pinned, newer, newest];

const render = loadTemplates();

function output(models: readonly ProtocolModel[], vocabulary?: string): Map<string, string> {
  const files = new Map<string, string>();
  const add = (emitted: ReadonlyMap<string, EmittedFile>): void => {
    for (const [path, { content }] of emitted) files.set(path, content);
  };
  const common = { importExtension: "js", render } as const;
  for (const model of models) {
    const { revision, schema } = model;
    add(emitTypes({ ...common, folder: revision, origin: revision, schema }));
  }
  const workspace = { ...common, folder: "", origin: "schema", models, vocabulary };
  for (const emit of [emitAuthoring, emitOpen]) add(emit(workspace));
  return files;
}

/** The declarations of a file, each with its comment. */
const pieces = (code: string): string[] => code.split("\n\n");

describe("a pinned vocabulary between older and newer revisions", () => {
  const alone = output([pinned]);
  const among = output(all, pinned.revision);

  test("the definitions of the pinned revision stay literally unchanged", () => {
    expect(among.get("listed.ts")).toBe(alone.get("listed.ts"));
    const isWhole = (piece: string): boolean =>
      !/^\/\/|interface (?:\w+(?:Re|No)\w+|OpenDefinition)s \{|^import /m.test(piece);
    for (const path of ["authoring.ts", "open.ts"]) {
      const [before, after] = [alone.get(path)!, among.get(path)!];
      const left = new Set(pieces(after));
      expect(pieces(before).filter((piece) => isWhole(piece) && !left.has(piece))).toEqual([]);
      const lines = new Set(after.split("\n"));
      // Imports and maps may grow, and an empty map may get rows.
      const grows = /^import |\{\}$/;
      expect(before.split("\n").filter((line) => !lines.has(line) && !grows.test(line))).toEqual([]);
    }
  });

  test("a missing method has the form of the nearest newer revision, or else the last form of older ones", async () => {
    const program = `
      import type { CallToolResult, ClientNotifications, ClientRequests, ServerNotifications, ServerRequests, Tool } from "./authoring.js";
      import type { ClientResults, Open } from "./open.js";

      type Result<Method extends keyof ClientRequests> = ClientRequests[Method]["result"];
      export const tool: Tool = { name: "t", inputSchema: {} };
      export const called: CallToolResult = { content: [{ text: "x" }] };
      export const given: ClientRequests["events/list"]["params"] = { since: "x" };
      const held = { name: "e", variants: [] };
      export const listed: Result<"events/list"> = { events: [{ name: "e", tool: held, block: { text: "x" } }] };
      // @ts-expect-error Steps make that of it.
      export const later: Result<"events/list"> = { events: [{ title: "e" }] };
      // @ts-expect-error No step leads from such a method to the vocabulary: its tools are those of its revision.
      export const mixed: Result<"events/list"> = { events: [{ name: "e", tool }] };
      export const read: string | undefined = (null! as ClientResults["events/list"]).events[0]?.tool.variants[0];
      export const roots: ServerRequests["roots/list"]["result"] = {
        roots: [{ uri: "a:b", tool: { name: "t", schema: "s" } }],
      };
      // @ts-expect-error That was their first form.
      export const path: ServerRequests["roots/list"]["result"] = { roots: [{ path: "a" }] };
      export const sent: ClientNotifications["notifications/progress"]["params"] = { done: 1 };
      export const heard: ServerNotifications["notifications/progress"]["params"] = sent;
      export const event: Open<"Event"> = listed.events[0]!;
    `;
    expect(await compilerErrors(new Map([...among, ["program.ts", program]]))).toEqual([]);
  });

  test("an added definition of another form gets another name, and one of the same form is not repeated", () => {
    const code = among.get("authoring.ts")!;
    expect(code).toContain(`from "./2025-01-01/types.js";`);
    expect(code).toMatch(
      /export type \{[^}]*\bTool as Tool20260101,[^}]*\} from "\.\/2026-01-01\/types\.js"/,
    );
    expect(code).toMatch(
      /export type \{[^}]*\bTool as Tool20240101,[^}]*\} from "\.\/2024-01-01\/types\.js"/,
    );
    expect(code.match(/\bBlock\b/g)).toHaveLength(1);
    expect(code.match(/\bProgressParams\b/g)!.length).toBeGreaterThan(0);
    expect(code).not.toContain("2023-01-01");
    expect(code).not.toContain("2027-01-01");
  });

  test("the vocabulary is named as a value", () => {
    expect(among.get("listed.ts")).toContain(`export const vocabulary = "2025-01-01";`);
    expect(output(all).get("listed.ts")).toContain(`export const vocabulary = "2027-01-01";`);
  });
});

test.each(all.map(({ revision }) => revision))("pinned at %s, the output compiles", async (revision) => {
  const files = output(all, revision);
  expect(await compilerErrors(files)).toEqual([]);
  const rows = new Set(files.get("authoring.ts")!.match(/^ {2}"[^"]+": \{/gm));
  expect(rows.size).toBe(5);
});

test("if the pinned revision is left out, the nearest older one replaces it, or else the oldest", () => {
  const chosen = (models: readonly ProtocolModel[], revision: string): string | undefined =>
    vocabularyFrom(models, revision)?.pinned.revision;
  expect(chosen([older, newest], newer.revision)).toBe(older.revision);
  expect(chosen([newer, newest], pinned.revision)).toBe(newer.revision);
  expect(chosen([], pinned.revision)).toBeUndefined();
  const draft: ProtocolModel = { ...newest, status: "draft" };
  expect(vocabularyFrom([pinned, draft], undefined)!.model).toBe(pinned);
  expect(chosen([pinned, draft], newest.revision)).toBe(pinned.revision);
});

test("the comparison of vocabularies covers the types of handlers, without the envelope", () => {
  const model = authoredModel(vocabularyFrom(all, pinned.revision)!);
  const { message: name, params } = methodOf(model, "tools/call");
  expect([...model.schema.definitions.get(name)!.node.properties!.keys()]).toEqual(["method", "params"]);
  expect(params.presence).toBe("required");
  expect(model.methods.map((method) => method.name)).toEqual([
    "events/list",
    "notifications/progress",
    "notifications/progress",
    "roots/list",
    "tools/call",
    "tools/list",
  ]);
});
