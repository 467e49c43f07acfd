import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Generated } from "../../../../generator/pipeline/generate.js";
import type { RevisionSource } from "../../../../generator/revision/revision-source.js";
import { generate, releasedSource, schemaDir, writtenSource } from "../../../support/generated-output.js";
import { revisions } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const released = revisions.map(releasedSource);
const newest = revisions.at(-1)!;
const only = ["types", "authoring", "open"];

const output = (sources: readonly RevisionSource[], vocabulary: string): Promise<Generated> =>
  generate(sources, { only, vocabulary });

type Node = Record<string, unknown>;

/**
 * The newest schema with changes that a later revision may bring: tools and their results in another form, one removed
 * method, and one new method.
 */
function tomorrow(): string {
  const schema = JSON.parse(readFileSync(join(schemaDir, newest, "schema.json"), "utf8")) as {
    $defs: Record<string, Node>;
  };
  const gone = ["ListRootsRequest", "ListRootsResult", "Root"];
  const text = JSON.stringify(schema, (key, value: unknown) => {
    if (gone.includes(key)) return undefined;
    if (!Array.isArray(value)) return value;
    return value.filter((each: Node | null) => !gone.some((name) => each?.["$ref"] === `#/$defs/${name}`));
  });
  const next = JSON.parse(text) as typeof schema;
  const { CallToolResult, ClientRequest, Tool } = next.$defs as Record<string, Node>;
  const output = { type: "object", properties: { type: { type: "string" } }, required: ["type"] };
  Object.assign(CallToolResult!, {
    properties: { outputs: { type: "array", items: { $ref: "#/$defs/ToolOutput" } } },
    required: ["outputs"],
  });
  const { outputSchema, ...members } = Tool!["properties"] as Node;
  expect(outputSchema).toBeDefined();
  Tool!["properties"] = {
    ...members,
    outputVariants: { type: "array", items: { $ref: "#/$defs/ToolOutput" } },
  };
  (ClientRequest!["anyOf"] as Node[]).push({ $ref: "#/$defs/ListEventsRequest" });
  Object.assign(next.$defs, {
    ToolOutput: output,
    ListEventsRequest: {
      type: "object",
      properties: { method: { const: "events/list" }, params: { $ref: "#/$defs/PaginatedRequestParams" } },
      required: ["method", "params"],
    },
    ListEventsResult: {
      type: "object",
      properties: { events: { type: "array", items: { $ref: "#/$defs/Event" } } },
      required: ["events"],
    },
    Event: {
      type: "object",
      properties: { name: { type: "string" }, icon: { $ref: "#/$defs/Icon" } },
      required: ["name"],
    },
  });
  return JSON.stringify(next);
}

const rows = (code: string): Set<string> => new Set(code.match(/^ {2}"?[\w/]+"?: \{/gm));

/** The lines of `before` that are missing in `after`. */
function lost(before: string, after: string): string[] {
  const lines = new Set(after.split("\n"));
  return before.split("\n").filter((line) => !lines.has(line));
}

test.each(revisions)("pinned at %s, all methods of all released revisions are typed", async (vocabulary) => {
  const { files, models } = await output(released, vocabulary);
  expect(await compilerErrors(files)).toEqual([]);
  const code = files.get("authoring.ts")!;
  const methods = new Set(models.flatMap((model) => model.methods.map(({ name }) => name)));
  for (const method of methods) expect(code).toMatch(new RegExp(`^  "?${method}"?: \\{`, "m"));
  const alone = await output([releasedSource(vocabulary)], vocabulary);
  expect(lost(alone.files.get("authoring.ts")!, code)).toEqual([]);
  expect(files.get("listed.ts")).toBe(alone.files.get("listed.ts"));
});

test("an incompatible revision does not change the pinned vocabulary, and its additions are typed", async () => {
  const later = writtenSource("2027-01-15", tomorrow());
  const before = await output(released, newest);
  const { files } = await output([...released, later], newest);
  for (const path of ["authoring.ts", "open.ts"])
    expect(lost(before.files.get(path)!, files.get(path)!)).toEqual([]);
  expect(files.get("listed.ts")).toBe(before.files.get("listed.ts"));
  expect([...rows(files.get("authoring.ts")!)].length).toBe(rows(before.files.get("authoring.ts")!).size + 1);
  const program = `
    import type { CallToolResult, ClientRequests, ServerRequests, Tool } from "./authoring.js";
    import type { ClientResults } from "./open.js";
    export const result: CallToolResult = { content: [{ type: "text", text: "x" }], structuredContent: {} };
    export const tool: Tool = { name: "t", inputSchema: { type: "object" }, outputSchema: { type: "object" } };
    export const roots: ServerRequests["roots/list"]["result"] = { roots: [{ uri: "file:///a" }] };
    export const events: ClientRequests["events/list"]["result"] = { events: [{ name: "e" }] };
    export const name: string = (null! as ClientResults["events/list"]).events[0]!.name;
    export const none: ClientRequests["ping"]["result"] = {};
  `;
  expect(await compilerErrors(new Map([...files, ["program.ts", program]]))).toEqual([]);
});

test("with the vocabulary at that revision, the method that it removed keeps its last form", async () => {
  const later = writtenSource("2027-01-15", tomorrow());
  const { files } = await output([...released, later], later.revision);
  const program = `
    import type { CallToolResult, ListRootsResult, ServerRequests } from "./authoring.js";
    export const result: CallToolResult = { outputs: [{ type: "text" }] };
    export const roots: ListRootsResult = { roots: [{ uri: "file:///a" }] };
    export const same: ServerRequests["roots/list"]["result"] = roots;
  `;
  expect(await compilerErrors(new Map([...files, ["program.ts", program]]))).toEqual([]);
});
