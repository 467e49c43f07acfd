import { expect, test } from "vitest";
import { type JsonObject, type JsonValue, type Schema, canonicalise, readSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import {
  canonicalExtension,
  hoistDefinitions,
} from "../../generator/extension/canonical/canonical-extension.js";
import { joinedName, joinedWithBase } from "../../generator/extension/canonical/references.js";
import { mutants } from "../../generator/sample/invalid.js";
import { randomFrom } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { documentOf } from "../support/revisions.js";
import { vendorSchema } from "./vendor-extension.js";

const base = documentOf("2026-07-28");

/** The instances on which the verdicts of a schema and of its canonical form differ. */
function disagreements(
  document: JsonValue,
  count: number,
  isCompared: (name: string, form: JsonObject) => boolean = () => true,
): { judged: number; differing: string[] } {
  const canonical = canonicalise(document);
  const { document: form } = canonicalExtension(canonical, [{ revision: "2026-07-28", document: base }], []);
  const before: Schema = readSchema(canonicalise(hoistDefinitions(canonical).document));
  const after: Schema = readSchema(canonicalise(joinedWithBase(form, base)));
  const differing: string[] = [];
  let judged = 0;
  for (const name of Object.keys(form["$defs"] as JsonObject)) {
    if (!isCompared(name, form)) continue;
    const random = randomFrom(name);
    const [first, second] = [
      before.definitions.get(name)!.node,
      after.definitions.get(joinedName(name))!.node,
    ];
    for (let drawn = 0; drawn < count; drawn++) {
      for (const [schema, key] of [
        [before, name],
        [after, joinedName(name)],
      ] as const) {
        const value = sampleValid(schema, key, random);
        if (value === undefined) continue;
        for (const instance of [
          value,
          ...mutants(schema, key, value, random).map((mutant) => mutant.value),
        ]) {
          // The range of JavaScript's integers is left out of the canonical form.
          if (hasLargeInteger(instance)) continue;
          judged++;
          if (isValid(before, first, instance) !== isValid(after, second, instance))
            differing.push(`${name}: ${JSON.stringify(instance)}`);
        }
      }
    }
  }
  return { judged, differing };
}

function hasLargeInteger(value: JsonValue): boolean {
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasLargeInteger);
}

test("a schema and its canonical form accept the same instances, if no copy was made stricter", () => {
  const { MixRequest: _, ...$defs } = vendorSchema.$defs;
  const { judged, differing } = disagreements({ $defs } as unknown as JsonValue, 10);
  expect(differing).toEqual([]);
  expect(judged).toBeGreaterThan(100);
});

/**
 * Whether a definition refers to a definition of the base. Copies of these that programs print are closed, and have
 * ranges and patterns, so their verdicts differ.
 */
function reachesBase(name: string, form: JsonObject, seen = new Set<string>()): boolean {
  if (seen.has(name)) return false;
  seen.add(name);
  const text = JSON.stringify((form["$defs"] as JsonObject)[name]);
  if (text.includes('"base#')) return true;
  return [...text.matchAll(/"#\/\$defs\/([^"]+)"/g)].some(([, target]) => reachesBase(target!, form, seen));
}

const file = process.env["MCPGEN_EXTENSION_SCHEMA"];

test.skipIf(file === undefined)(
  "a schema in MCPGEN_EXTENSION_SCHEMA does so in the definitions that do not refer to the base",
  async () => {
    const { readFileSync } = await import("node:fs");
    const document = JSON.parse(readFileSync(file!, "utf8")) as JsonValue;
    const own = disagreements(document, 400, (name, form) => !reachesBase(name, form));
    expect(own.differing.slice(0, 5)).toEqual([]);
    console.log(`${own.judged} instances`);
  },
);
