import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import { type Documentation, loadDocumentation } from "../../generator/revision/schema-source.js";
import { revisions } from "../support/revisions.js";

const schemaDir = fileURLToPath(new URL("../../schema/", import.meta.url));
const own = await loadDocumentation(schemaDir);
const read = (path: string): JsonObject => JSON.parse(readFileSync(schemaDir + path, "utf8")) as JsonObject;
const tables = read("docs.json");

/** Names that texts may contain although the revision's schema does not, with the reason. */
const allowed: readonly { readonly reason: string; readonly names: readonly string[]; since?: string }[] = [
  { reason: "values of an open string", names: ["endTurn", "stopSequence"] },
  { reason: "values of an open string", names: ["toolUse"], since: "2025-11-25" },
  { reason: "values of an open string", names: ["complete", "input_required"], since: "2026-07-28" },
  { reason: "forms of URIs", names: ["file://", "data:"] },
  { reason: "forms of sizes", names: ["48x48", "any"], since: "2025-11-25" },
  { reason: "a header", names: ["MCP-Protocol-Version"], since: "2025-06-18" },
  {
    reason: "keys of _meta that no schema of 2025-11-25 names",
    names: ["io.modelcontextprotocol/related-task"],
    since: "2025-11-25",
  },
  { reason: "labels of prefixes", names: ["mcp", "modelcontextprotocol"], since: "2025-06-18" },
];

interface Text {
  readonly at: string;
  readonly text: string;
}

/** The methods of a schema: the constants of properties called `method`. */
function methodsOf(schema: JsonValue): Set<string> {
  const methods = new Set<string>();
  each(schema, (key, value) => {
    if (key === "method" && isJsonObject(value) && typeof value["const"] === "string")
      methods.add(value["const"]);
  });
  return methods;
}

/** Every text that the documentation has for a revision. */
function textsOf(schema: JsonObject, revision: string, docs: Documentation): Text[] {
  const texts: Text[] = [];
  const add = (at: string, text: string | undefined): void => {
    if (text !== undefined) texts.push({ at, text });
  };
  const visit = (value: JsonValue | undefined, at: string): void => {
    add(at, docs.at(at, revision));
    if (typeof value !== "object" || value === null) return;
    for (const [key, below] of Object.entries(value)) visit(below, pointer(at, key));
  };
  visit(schema["$defs"], "/$defs");
  for (const method of methodsOf(schema)) add(method, docs.method(method, revision));
  return texts;
}

/** Definitions, properties, methods, values: every key and every string of the schema. */
function namesOf(schema: JsonValue): Set<string> {
  const names = new Set<string>();
  each(schema, (key, value) => {
    names.add(key);
    if (typeof value === "string") names.add(value);
  });
  return names;
}

function each(value: JsonValue, visit: (key: string, value: JsonValue) => void): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, below] of Object.entries(value)) {
    visit(key, below);
    each(below, visit);
  }
}

describe.each(revisions)("the texts of %s", (revision) => {
  const schema = read(`${revision}/schema.json`);
  const texts = textsOf(schema, revision, own);

  test("do not mention later revisions", () => {
    const later = texts.filter(({ text }) =>
      [...text.matchAll(/\d{4}-\d{2}-\d{2}/g)].some(([date]) => date > revision),
    );
    expect(texts.length).toBeGreaterThan(200);
    expect(later).toEqual([]);
  });

  test("name only members that the revision has", () => {
    const names = namesOf(schema);
    for (const entry of allowed) {
      if ((entry.since ?? "") <= revision) for (const name of entry.names) names.add(name);
    }
    // A dotted name is a path of properties: `sampling.context`.
    const known = (name: string): boolean =>
      names.has(name) || (name.includes(".") && name.split(".").every((part) => names.has(part)));
    const foreign = texts.flatMap(({ at, text }) =>
      [...text.matchAll(/`([^`]+)`/g)]
        .filter(([, name]) => !known(name!))
        .map(([, name]) => `${at}: ${name}`),
    );
    expect(foreign).toEqual([]);
  });

  test("mention `title` at a property only if its owner has one", () => {
    const definitions = schema["$defs"] as JsonObject;
    const wrong = texts.filter(({ at, text }) => {
      const [, definition] = /^\/\$defs\/([^/]+)\/properties\/[^/]+$/.exec(at) ?? [];
      if (definition === undefined || !text.includes("`title`")) return false;
      const holder = definition === "ToolAnnotations" ? "Tool" : definition;
      const properties = (definitions[holder] as JsonObject)["properties"] as JsonObject;
      return properties["title"] === undefined;
    });
    expect(wrong).toEqual([]);
  });
});

describe("every text", () => {
  const all: string[] = [];
  const collect = (value: JsonValue | undefined): void => {
    if (typeof value === "string") all.push(value);
    else if (typeof value === "object" && value !== null) Object.values(value).forEach(collect);
  };
  for (const table of ["definitions", "methods", "properties", "shared"]) collect(tables[table]);

  test("has one or two sentences and at most 220 plain characters, without deprecations, which notes describe", () => {
    expect(all.length).toBeGreaterThan(500);
    for (const text of all) {
      expect(text).toMatch(/^[A-Z`][\x20-\x7e]{2,218}\.$/);
      expect(text.match(/[.?!](?= [A-Z`])/g)?.length ?? 0, text).toBeLessThan(2);
      expect(text).not.toMatch(/[Dd]eprecated/);
    }
  });

  test("has more than one form, by released revisions, if it differs between them", () => {
    const forms: JsonObject[] = [];
    for (const table of ["definitions", "methods", "shared"]) {
      forms.push(...Object.values(tables[table] as JsonObject).filter(isJsonObject));
    }
    for (const members of Object.values(tables["properties"] as JsonObject)) {
      forms.push(...Object.values(members as JsonObject).filter(isJsonObject));
    }
    expect(forms.length).toBeGreaterThan(20);
    for (const form of forms) {
      expect(["*", ...revisions]).toEqual(expect.arrayContaining(Object.keys(form)));
      expect(new Set(Object.values(form)).size).toBe(Object.keys(form).length);
      expect(Object.keys(form).length).toBeGreaterThan(1);
    }
  });

  test("is used in some revision", () => {
    const used = new Set<string>();
    for (const revision of revisions) {
      for (const { text } of textsOf(read(`${revision}/schema.json`), revision, own)) used.add(text);
    }
    expect(all.filter((text) => !used.has(text))).toEqual([]);
  });
});
