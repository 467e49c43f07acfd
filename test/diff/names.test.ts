import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { type Finding, defaultPolicy, subjectText } from "../../generator/diff/finding.js";
import { between, modelFrom, protocolOf } from "./models.js";

const ref = (name: string): JsonObject => ({ $ref: `#/$defs/${name}` });
const point: JsonObject = {
  type: "object",
  properties: { x: { type: "number" }, y: { type: "number" } },
  required: ["x", "y"],
};
const params = (value: JsonValue): JsonObject => ({ type: "object", properties: { value } });

/** The findings about names of definitions, and whether code that uses these names stops compiling. */
function names(old: JsonObject, next: JsonObject): string[] {
  const shown = ({ rule, subject, source, level }: Finding): string => {
    expect(level).toEqual({ client: "safe", server: "safe" });
    return `${rule} ${subjectText(subject)} source:${source}`;
  };
  return diffModels(modelFrom(old), modelFrom(next)).map(shown);
}

describe("definitions", () => {
  const named = (name: string, shape: JsonValue = point): JsonObject =>
    protocolOf(params(ref(name)), {}, { [name]: shape });

  test("renamed", () => {
    expect(names(named("Point"), named("Position"))).toEqual(["definition-renamed Point source:breaking"]);
  });

  test("extracted and inlined", () => {
    const inline = protocolOf(params(point));
    expect(names(inline, named("Point"))).toEqual(["definition-extracted Point source:safe"]);
    expect(names(named("Point"), inline)).toEqual(["definition-inlined Point source:breaking"]);
  });

  test("added and removed, without other changes", () => {
    const more = protocolOf(
      params(ref("Point")),
      {},
      { Point: point, Unused: { type: "object", properties: { z: {} } } },
    );
    expect(names(named("Point"), more)).toEqual(["definition-added Unused source:safe"]);
    expect(names(more, named("Point"))).toEqual(["definition-removed Unused source:breaking"]);
  });

  test("with a name that now has another shape", () => {
    const old = protocolOf(params(ref("Point")), {}, { Point: point });
    const next = protocolOf(
      params(ref("Position")),
      {},
      {
        Position: point,
        Point: { anyOf: [ref("Position"), { type: "string" }] },
      },
    );
    expect(names(old, next)).toContain("definition-meaning-changed Point source:breaking");
  });

  test("without references from messages", () => {
    const unused = (type: string): JsonObject =>
      protocolOf(params(point), {}, { Mixin: { type: "object", properties: { z: { type } } } });
    expect(names(unused("string"), unused("number"))).toEqual(["unreachable-changed Mixin source:breaking"]);
  });
});

describe("prose", () => {
  const described = (description: string): JsonObject => ({ type: "string", description });

  test("with a changed requirement is reported without a level", () => {
    const [finding, ...others] = between(
      described("A name. It SHOULD be short."),
      described("A name. It MUST be short."),
    );
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      rule: "docs-normative",
      old: "SHOULD × 1",
      new: "MUST × 1",
      level: { client: "safe", server: "safe" },
    });
  });

  test("with other changes is reported only if the configuration asks for it", () => {
    const [old, next] = [described("A name."), described("The name.")];
    expect(between(old, next)).toEqual([]);
    const asked = between(old, next, { ...defaultPolicy, severities: { "description-changed": "safe" } });
    expect(asked.map(({ rule }) => rule)).toEqual(["description-changed"]);
  });

  test("that only one side has is not compared", () => {
    expect(between(described("It MUST be short."), { type: "string" })).toEqual([]);
  });
});

describe("fingerprints", () => {
  const required = (name: string): JsonObject => ({ ...params({ type: "string" }), required: [name] });

  test("stay the same when other things change, and depend on neither prose nor order", () => {
    const [one] = between({ type: "string" }, { type: "number" });
    const [other] = between(
      { type: "string", description: "A MUST." },
      { type: "number", description: "A MUST." },
      { readers: "closed", severities: {} },
    );
    expect(one!.fingerprint).toMatch(/^[0-9a-f]{12}$/);
    expect(other!.fingerprint).toBe(one!.fingerprint);
  });

  test("differ if subject or shape differ", () => {
    const prints = [
      between({ type: "string" }, { type: "number" }),
      between({ type: "string" }, { type: "boolean" }),
      between(required("a"), required("b")),
    ].map(([finding]) => finding!.fingerprint);
    expect(new Set(prints).size).toBe(prints.length);
  });
});
