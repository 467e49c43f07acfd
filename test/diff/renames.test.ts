import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { canonicalise, readSchema } from "@mcpgen/engine";
import { describe, expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { defaultPolicy } from "../../generator/diff/finding.js";
import { buildModel } from "../../generator/model/build-model.js";
import type { ProtocolModel } from "../../generator/model/model.js";
import { object } from "../support/models.js";
import { notes } from "../support/notes.js";
import { line, protocolOf } from "./models.js";

const text = { type: "string" };
const target = "/$defs/DoRequest/properties/params/properties/label";

function modelOf(revision: string, params: JsonValue, ...entries: JsonObject[]): ProtocolModel {
  const schema = readSchema(canonicalise(protocolOf(params, { type: "object" })));
  return buildModel({ revision, status: "draft", schema, notes: notes(...entries) }).model;
}

/** Two models with these params. A note of the second declares that `label` was `title`. */
function models(old: JsonValue, next: JsonValue): [ProtocolModel, ProtocolModel] {
  const note = { kind: "renamed", target, previous: "r1", from: "title" };
  return [modelOf("r1", old), modelOf("r2", next, note)];
}

const closed = (properties: { [name: string]: JsonValue }, required: string[] = []): JsonValue => ({
  ...(object(properties, required) as JsonObject),
  additionalProperties: false,
});

describe("a renamed member", () => {
  test.each([
    [
      "optional in both",
      object({ title: text }),
      object({ label: text }),
      "client:dangerous server:dangerous",
    ],
    [
      "required in the new one",
      object({ title: text }),
      object({ label: text }, ["label"]),
      "client:breaking server:dangerous",
    ],
    [
      "required in the old one",
      object({ title: text }, ["title"]),
      object({ label: text }),
      "client:dangerous server:breaking",
    ],
    [
      "required in both",
      object({ title: text }, ["title"]),
      object({ label: text }, ["label"]),
      "client:breaking server:breaking",
    ],
    [
      "of closed objects",
      closed({ title: text }),
      closed({ label: text }),
      "client:breaking server:breaking",
    ],
    [
      "of a new closed object",
      closed({ title: text }),
      object({ label: text }),
      "client:dangerous server:breaking",
    ],
  ])("%s is one finding, with the level of removing and adding it", (_, old, next, levels) => {
    const [before, after] = models(old, next);
    const all = diffModels(before, after);
    const [finding, ...more] = all.filter(({ rule }) => rule !== "object-opened");
    expect(more).toEqual([]);
    expect(line(finding!)).toBe(`property-renamed DoRequest.params.title ${levels}`);
    expect(finding!.counterexample === undefined).toBe(!levels.includes("breaking"));
    // Without the note, the two findings together have the same severity.
    const plain = diffModels(before, { ...after, renames: [] }).filter(
      ({ rule }) => rule !== "object-opened",
    );
    expect(plain.map(({ rule }) => rule.replace(/-(?:required|optional)$/, "")).sort()).toEqual([
      "property-added",
      "property-removed",
    ]);
    for (const role of ["client", "server"] as const) {
      const worst = plain.some(({ level }) => level[role] === "breaking") ? "breaking" : "dangerous";
      expect(finding!.level[role]).toBe(worst);
    }
  });

  test("is reported with both names and forms", () => {
    const [finding] = diffModels(...models(object({ title: text }, ["title"]), object({ label: text })));
    expect(finding).toMatchObject({
      old: "title: string",
      new: "label?: string",
      pointers: { old: "/$defs/DoRequest/properties/params/properties/title", new: target },
      counterexample: { valid: { old: false, new: true } },
    });
  });

  test("is compared with its former self: other changes are found, with a proof under either name", () => {
    const findings = diffModels(
      ...models(
        object({ title: text }, ["title"]),
        object({ label: { type: ["string", "null"] } }, ["label"]),
      ),
    );
    expect(findings.map(line)).toEqual([
      "property-renamed DoRequest.params.title client:breaking server:breaking",
      expect.stringMatching(
        /^nullable-added DoRequest\.params\.(?:title|label) client:safe server:breaking$/,
      ),
    ]);
    expect(findings[1]!.counterexample!.value).toMatchObject({ params: { label: null } });
  });

  test("may be in the arms of a union, which then correspond by it", () => {
    const arm = (key: string, kind: string): JsonValue =>
      object({ [key]: { const: kind, type: "string" }, id: text }, [key]);
    const union = (key: string): JsonValue =>
      object({ value: { anyOf: [arm(key, "a"), arm(key, "b")] } }, ["value"]);
    const place = "/$defs/DoRequest/properties/params/properties/value/anyOf";
    const target = [`${place}/0/properties/kind`, `${place}/1/properties/kind`];
    const note = { kind: "renamed", target, previous: "r1", from: "type" };
    const findings = diffModels(modelOf("r1", union("type")), modelOf("r2", union("kind"), note));
    expect([...new Set(findings.map(({ rule }) => rule))]).toEqual(["property-renamed"]);
    expect(findings.every(({ level }) => level.client === "breaking" && level.server === "breaking")).toBe(
      true,
    );
  });

  test("is also one finding in the reverse direction", () => {
    const [before, after] = models(object({ title: text }), object({ label: text }, ["label"]));
    expect(diffModels(after, before).map(line)).toEqual([
      "property-renamed DoRequest.params.label client:dangerous server:breaking",
    ]);
  });

  test("may have its own severity, and is two findings for another pair of revisions", () => {
    const [before, after] = models(object({ title: text }), object({ label: text }));
    expect(
      diffModels(before, after, { ...defaultPolicy, severities: { "property-renamed": "off" } }),
    ).toEqual([]);
    expect(
      diffModels({ ...before, revision: "r0" }, after)
        .map(({ rule }) => rule)
        .sort(),
    ).toEqual(["property-added-optional", "property-removed"]);
  });
});
