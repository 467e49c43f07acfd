import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { revisions } from "../../../support/revisions.js";
import { noted, printed, released } from "../types/printed.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const object = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: "object",
  properties,
  required,
});
const arm = (tag: string, more: JsonObject = {}): JsonObject => object({ type: { const: tag }, ...more });
const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });

/** Names of the definitions that have an open reading. */
function readings(text: string): string[] {
  const [, list] = /OpenDefinitions \{\n([\s\S]*?)\n\}/.exec(text)!;
  return [...list!.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!);
}

describe("the released revisions", () => {
  test("exact types are assignable to open ones, and a switch excludes unlisted values", async () => {
    const files = new Map<string, string>();
    for (const revision of revisions) {
      for (const [path, content] of printed(await released(revision), revision)) files.set(path, content);
      const names = readings(files.get(`${revision}/open.ts`)!);
      expect(names.length).toBeGreaterThan(5);
      const exact = names.map((name) => `export const of${name}: Open<"${name}"> = null! as T.${name};`);
      files.set(
        `${revision}/exact.ts`,
        `import type * as T from "./types.js";\nimport type { Open } from "./open.js";\n${exact.join("\n")}\n`,
      );
    }
    files.set(
      "2025-11-25/narrowing.ts",
      `import type { Open, OpenContentBlock, OpenServerNotification } from "./open.js";

// A tag that the revision does not list comes from the wire, as a string.
export function text(block: OpenContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text.toUpperCase();
    case "image":
    case "audio":
      return block.data + block.mimeType;
    case "resource":
      return block.resource.uri;
    case "resource_link":
      return block.uri + block.name;
    default:
      // The arm that is not listed is left, with any members.
      return block.type + String(block["anything"]);
  }
}

export function level(value: Open<"LoggingLevel">): string {
  if (value === "debug") {
    const listed: "debug" = value;
    return listed;
  }
  return value.toUpperCase();
}

export function progress(notification: OpenServerNotification): number {
  return notification.method === "notifications/progress" ? notification.params.progress : 0;
}

export function mistaken(block: OpenContentBlock): unknown {
  // @ts-expect-error the text is there only once the tag says so
  block.text.toUpperCase();
  // @ts-expect-error a listed arm lacks its required members
  const wrong: OpenContentBlock = { type: "text" };
  return wrong;
}
`,
    );
    expect(await compilerErrors(files)).toEqual([]);
  });
});

describe("open types", () => {
  test("are the types that notes open, and the types that refer to them", async () => {
    const schema = await noted(
      {
        Set: { enum: ["a", "b"] },
        Union: { anyOf: [ref("A"), ref("B")] },
        A: arm("a", { level: ref("Set") }),
        B: arm("b"),
        Holder: object({ list: { type: "array", items: ref("Union") }, b: ref("B") }),
        Loop: object({ next: ref("Loop"), a: ref("A") }, ["a"]),
        Closed: object({ b: ref("B") }),
      },
      { kind: "open", target: ["/$defs/Set", "/$defs/Union"] },
    );
    const files = printed(schema);
    const text = files.get("r/open.ts")!;
    expect(readings(text)).toEqual(["A", "Holder", "Loop", "Set", "Union"]);
    files.set(
      "r/use.ts",
      `import type { Open, Unlisted } from "./open.js";
declare const unlisted: Unlisted;
export const set: Open<"Set">[] = ["a", "b", unlisted];
export const union: Open<"Union">[] = [
  { type: "a", level: "a" },
  { type: "a", level: unlisted },
  { type: "b" },
  { type: unlisted, anything: 1 },
];
export const holder: Open<"Holder"> = { list: union, b: { type: "b" } };
export const loop: Open<"Loop"> = { a: { type: "a", level: unlisted }, next: { a: { type: "a", level: "b" } } };
// @ts-expect-error a text that is not from the wire is listed or wrong
export const wrong: Open<"Set"> = "c";
// @ts-expect-error only what is open has an open reading
export type None = Open<"Closed">;
`,
    );
    expect(await compilerErrors(files)).toEqual([]);
  });

  test("occur within a definition: in members, items, maps, tuples, intersections", async () => {
    const set = { enum: ["a", "b"] };
    const places: { [name: string]: [JsonValue, string] } = {
      items: [{ type: "array", items: set }, "/items"],
      map: [{ type: "object", additionalProperties: set }, "/additionalProperties"],
      pattern: [
        { type: "object", patternProperties: { "^a": set }, additionalProperties: false },
        "/patternProperties/^a",
      ],
      tuple: [{ type: "array", prefixItems: [set], minItems: 1 }, "/prefixItems/0"],
      both: [{ allOf: [set, { type: "string" }] }, "/allOf/0"],
      member: [object({ p: set }), "/properties/p"],
    };
    const definitions = Object.fromEntries(Object.entries(places).map(([name, [schema]]) => [name, schema]));
    const targets = Object.entries(places).map(([name, [, below]]) => `/$defs/${name}${below}`);
    const files = printed(await noted(definitions, { kind: "open", target: targets }));
    files.set(
      "r/use.ts",
      `import type { Open, Unlisted } from "./open.js";
declare const unlisted: Unlisted;
export const all: [Open<"items">, Open<"map">, Open<"pattern">, Open<"tuple">, Open<"both">, Open<"member">] =
  [[unlisted], { a: unlisted }, { a: unlisted }, [unlisted], unlisted, { p: unlisted }];
`,
    );
    expect(await compilerErrors(files)).toEqual([]);
  });

  test("without a tag also accept any object", async () => {
    const schema = await noted(
      { X: { anyOf: [object({ a: {} }), object({ b: {} })] } },
      { kind: "open", target: "/$defs/X" },
    );
    const files = printed(schema);
    files.set("r/use.ts", `import type { Open } from "./open.js";\nexport const x: Open<"X"> = { c: 1 };\n`);
    expect(await compilerErrors(files)).toEqual([]);
  });
});

test("open.ts without open types is empty, and compiles", async () => {
  const files = printed(await noted({ X: { enum: ["a", "b"] } }));
  expect(files.get("r/open.ts")).not.toContain("Unlisted");
  files.set(
    "r/use.ts",
    'import type { OpenDefinitions } from "./open.js";\nexport const none: keyof OpenDefinitions = null! as never;\n',
  );
  expect(await compilerErrors(files)).toEqual([]);
});

test("definitions may have the names of declarations in open.ts", async () => {
  const names = [
    "Members",
    "Open",
    "OpenDefinitions",
    "Unlisted",
    "UnlistedArm",
    "unlisted",
    "Definitions",
    "OpenX",
    "OpenOpenX",
    "X",
    "",
    "__proto__",
    "constructor",
    "T",
    "K",
    "Name",
  ];
  for (const opened of [["X"], ["X", "OpenX"], names]) {
    const definitions: JsonObject = JSON.parse("{}") as JsonObject;
    const entries = names.map((name): [string, JsonValue] => [
      name,
      opened.includes(name) ? { enum: ["a", "b"] } : { type: "string" },
    ]);
    for (const [name, schema] of entries)
      Object.defineProperty(definitions, name, { value: schema, enumerable: true });
    definitions["All"] = { anyOf: [...names.map(ref), { enum: ["a", "b"] }] };
    const target = [...opened.map((name) => `/$defs/${name}`), "/$defs/All"];
    expect(await compilerErrors(printed(await noted(definitions, { kind: "open", target })))).toEqual([]);
  }
});
