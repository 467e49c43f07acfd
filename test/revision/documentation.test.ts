import { describe, expect, test } from "vitest";
import type { JsonValue } from "@mcpgen/engine";
import { documentation, loadDocumentation, undocumented } from "../../generator/revision/schema-source.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const docs = documentation({
  format: 1,
  definitions: { Tool: "A tool.", "a/b": "Slashed." },
  properties: { Tool: { name: "Its name.", "schema/type": "Nested.", "a~1b": "Escaped." } },
  shared: { _meta: "Anything.", name: "Some name." },
  methods: { "tools/call": "Calls." },
  pages: { "tools/call": { r1: "server/tools" } },
} as { [key: string]: JsonValue });

describe("the text for a place", () => {
  test.each<[string, string | undefined]>([
    ["/$defs/Tool", "A tool."],
    ["/$defs/a~1b", "Slashed."],
    ["/$defs/Tool/properties/name", "Its name."],
    ["/$defs/Other/properties/name", "Some name."],
    ["/$defs/Tool/properties/_meta", "Anything."],
    ["/$defs/Tool/properties/schema/properties/type", "Nested."],
    ["/$defs/Tool/properties/schema/items/anyOf/0/properties/type", "Nested."],
    ["/$defs/Tool/properties/a~1b", "Escaped."],
    // Places that are neither a definition nor a property have none.
    ["/$defs/Tool/properties/name/items", undefined],
    ["/$defs/Tool/anyOf/0", undefined],
    ["/$defs/Unknown", undefined],
    ["/$defs/Tool/properties/toString", undefined],
    ["/$defs/toString", undefined],
    ["/$defs/__proto__/properties/constructor", undefined],
    ["/properties/name", undefined],
    ["/$defs", undefined],
    ["", undefined],
  ])("%s", (at, text) => {
    expect(docs.at(at, "r1")).toBe(text);
  });
});

test("methods and pages are looked up by name, without inherited members", () => {
  expect(docs.method("tools/call", "r1")).toBe("Calls.");
  expect(docs.page("tools/call", "r1")).toBe("https://modelcontextprotocol.io/specification/r1/server/tools");
  expect(docs.page("tools/call", "r2")).toBeUndefined();
  expect(docs.page("toString", "r1")).toBeUndefined();
  expect(docs.page("tools/call", "constructor")).toBeUndefined();
  expect(docs.method("constructor", "r1")).toBeUndefined();
});

describe("a text that differs between revisions", () => {
  const changing = { "*": "First.", "2025-01-01": "Second.", "2026-01-01": "Third." };
  const texts = documentation({
    format: 1,
    definitions: { Tool: changing, New: { "2025-01-01": "Since then." } },
    properties: { Tool: { name: changing, late: { "2026-01-01": "Own." } } },
    shared: { late: "Shared.", other: changing },
    methods: { call: changing },
  });

  test.each<[string, string]>([
    ["2024-01-01", "First."],
    ["2024-12-31", "First."],
    ["2025-01-01", "Second."],
    ["2025-06-01", "Second."],
    ["2026-01-01", "Third."],
    ["2099-01-01", "Third."],
    // Names that are not dates are the newest, with any first letter or digit.
    ["draft", "Third."],
    ["2023-next", "Third."],
    ["DRAFT", "Third."],
  ])("in %s is %s", (revision, text) => {
    expect(texts.definition("Tool", revision)).toBe(text);
    expect(texts.method("call", revision)).toBe(text);
    expect(texts.at("/$defs/Tool", revision)).toBe(text);
    expect(texts.at("/$defs/Tool/properties/name", revision)).toBe(text);
    expect(texts.at("/$defs/Other/properties/other", revision)).toBe(text);
  });

  test("is absent before its first key, unless there is a shared text", () => {
    expect(texts.definition("New", "2024-01-01")).toBeUndefined();
    expect(texts.definition("New", "2025-01-01")).toBe("Since then.");
    expect(texts.at("/$defs/Tool/properties/late", "2025-01-01")).toBe("Shared.");
    expect(texts.at("/$defs/Tool/properties/late", "2026-01-01")).toBe("Own.");
  });
});

describe("docs.json", () => {
  test("may be missing", async () => {
    expect(await loadDocumentation(temporaryFolder())).toBe(undocumented);
    expect(undocumented.at("/$defs/Tool", "r1")).toBeUndefined();
  });

  test.each(["[]", '{"format": 2}', "{}", "null"])("is refused when it is %s", async (content) => {
    await expect(loadDocumentation(temporaryFolder({ "docs.json": content }))).rejects.toMatchObject({
      code: "MG1204",
    });
  });

  test("of this repository documents every definition and method of the newest revision", async () => {
    const { readFileSync } = await import("node:fs");
    const schema = new URL("../../schema/", import.meta.url);
    const own = await loadDocumentation(schema.pathname);
    const text = readFileSync(new URL("2026-07-28/schema.json", schema), "utf8");
    const { $defs } = JSON.parse(text) as { $defs: { [name: string]: unknown } };
    for (const name of Object.keys($defs))
      expect(own.definition(name, "2026-07-28"), name).toMatch(/^[A-Z`].*[.!]$/s);
    for (const [, method] of text.matchAll(/"method": \{\s*"const": "([^"]+)"/g)) {
      expect(own.method(method!, "2026-07-28"), method).toMatch(/\.$/);
    }
  });
});
