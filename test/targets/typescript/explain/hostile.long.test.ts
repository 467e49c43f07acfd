import { describe, expect, test } from "vitest";
import { type Issue, type JsonValue, atPointer } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { mutants } from "../../../../generator/sample/invalid.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { sampleValid } from "../../../../generator/sample/sample.js";
import { revisions, schemaFrom, schemaOf } from "../../../support/revisions.js";
import { loadExplanations } from "../../../support/emitted-explanations.js";

describe.each(revisions)("%s", async (revision) => {
  const schema = schemaOf(revision);
  const explanations = await loadExplanations(schema);
  const found: { name: string; value: JsonValue; issues: Issue[]; valid: boolean }[] = [];
  for (const [name, { node }] of schema.definitions) {
    const random = randomFrom(`${name}: issues`);
    const base = sampleValid(schema, name, random)!;
    for (const { value } of mutants(schema, name, base, random)) {
      found.push({
        name,
        value,
        issues: explanations.explain(name, value),
        valid: isValid(schema, node, value),
      });
    }
  }
  const context = (issue: Issue, value: JsonValue): string => `${issue.message} of ${JSON.stringify(value)}`;

  test("there are issues exactly for invalid values", () => {
    for (const { name, value, issues, valid } of found) {
      expect(issues.length === 0, `${name} ${JSON.stringify(value)}`).toBe(valid);
    }
  });

  test("every issue names more than the violated definition", () => {
    for (const { value, issues } of found) {
      for (const issue of issues)
        expect(schema.definitions.has(issue.expected), context(issue, value)).toBe(false);
    }
  });

  test("every pointer leads to the value of its issue", () => {
    for (const { value, issues } of found) {
      for (const issue of issues) {
        const missing = atPointer(value, issue.pointer) === undefined;
        expect(issue.got === "nothing", context(issue, value)).toBe(missing);
      }
    }
  });

  test("messages are short, and so are summaries", () => {
    for (const { issues } of found) {
      for (const { message } of issues) expect(message.length).toBeLessThanOrEqual(400);
      const summary = explanations.summary(issues);
      expect(summary.length).toBeLessThanOrEqual(400);
      expect(summary.split("\n").length).toBeLessThanOrEqual(3);
    }
  });
});

const schema = schemaOf("2026-07-28");
const explanations = await loadExplanations(schema);

test("values are never shown whole, and cannot hide or break a line", () => {
  const text = `${"x".repeat(1_000_000)}`;
  const odd = "\u0000\n\u2028\u202e\ud800\u200b\u{e0041}";
  for (const value of [text, odd, { [text]: 1 }, { type: text }, { type: odd, [odd]: 1 }, [odd]]) {
    for (const name of ["ContentBlock", "Annotations", "Role", "ClientRequest"]) {
      const summary = explanations.summary(explanations.explain(name, value));
      expect(summary.length).toBeLessThanOrEqual(400);
      expect(summary).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u);
    }
  }
});

test("keys in pointers and paths are escaped", () => {
  const value = { inputResponses: { "a/b~c\u202e": { action: 1 } } };
  const issue = explanations
    .explain("InputResponseRequestParams", value)
    .find(({ pointer }) => pointer.includes("~"));
  expect(issue?.pointer).toBe("/inputResponses/a~1b~0c\u202e/action");
  expect(issue?.message).toContain('inputResponses["a/b~c\\u202e"].action: expected');
});

test("nested unions without a tag do not multiply", async () => {
  const arm = (key: string): JsonValue => ({
    type: "object",
    properties: { next: { $ref: "#/$defs/Node" }, [key]: { type: "string" } },
    required: ["next"],
  });
  const nodes = schemaFrom({ Node: { anyOf: [arm("a"), arm("b"), arm("c"), { type: "null" }] } });
  const { explain } = await loadExplanations(nodes);
  let value: JsonValue = 7;
  for (let level = 0; level < 7; level++) value = { next: value };
  expect(explain("Node", value).length).toBeGreaterThan(0);
});
