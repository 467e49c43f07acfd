import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type JsonObject,
  type JsonValue,
  type Schema,
  SchemaError,
  isJsonObject,
  readDocument,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { Contract } from "../../generator/contract/contract.js";
import { contractText, readContract } from "../../generator/contract/read-contract.js";
import { lintContract } from "../../generator/lint/lint-contract.js";
import { mendContract } from "../../generator/lint/mend.js";
import { placesOf } from "../../generator/lint/places.js";
import { profiles } from "../../generator/lint/rule.js";
import { definitions, value } from "../support/arbitrary-schema.js";
import { isComparedByAjv, isReadByAjv } from "../support/ajv-verdicts.js";
import { cases } from "../support/cases.mjs";
import { instancesOf } from "../support/instances.js";

type Writable = { [keyword: string]: JsonValue };

/**
 * Plants a fault in a schema without changing which values it accepts; keywords of an older draft have the meaning of
 * that draft.
 */
interface Fault {
  readonly rule: string;
  /** @returns whether the schema has a place for the fault */
  readonly plant: (schema: Writable, isRoot: boolean) => boolean;
}

const typesIn = ({ type }: Writable): readonly unknown[] => [type].flat();

const faults: readonly Fault[] = [
  {
    rule: "boolean-bound",
    plant: (schema) => {
      const { exclusiveMinimum, minimum } = schema;
      if (typeof exclusiveMinimum !== "number" || minimum !== undefined) return false;
      Object.assign(schema, { minimum: exclusiveMinimum, exclusiveMinimum: true });
      return true;
    },
  },
  {
    rule: "boolean-bound",
    plant: (schema) => {
      if (schema["exclusiveMaximum"] !== undefined) return false;
      schema["exclusiveMaximum"] = false;
      return true;
    },
  },
  {
    rule: "tuple-items",
    plant: (schema) => {
      const { prefixItems, items } = schema;
      if (!Array.isArray(prefixItems)) return false;
      delete schema["prefixItems"];
      schema["items"] = prefixItems;
      if (items !== undefined) schema["additionalItems"] = items;
      return true;
    },
  },
  {
    rule: "array-without-items",
    plant: (schema) => {
      if (!typesIn(schema).includes("array") || schema["items"] !== undefined) return false;
      schema["items"] = true;
      return true;
    },
  },
  {
    rule: "gemini-members-of-another-type",
    plant: (schema) => {
      const types = typesIn(schema);
      if (schema["type"] === undefined || types.includes("object") || schema["properties"]) return false;
      Object.assign(schema, { properties: { id: { type: "string" } }, required: ["id"] });
      return true;
    },
  },
  {
    rule: "gemini-type-list",
    plant: (schema, isRoot) => {
      if (isRoot || typeof schema["type"] !== "string") return false;
      schema["type"] = [schema["type"]];
      return true;
    },
  },
  {
    rule: "unused-definition",
    plant: (schema, isRoot) => {
      if (!isRoot) return false;
      schema["$defs"] = {
        ...(schema["$defs"] as JsonObject),
        unused: { $ref: "#/$defs/other" },
        other: true,
      };
      return true;
    },
  },
  {
    rule: "strict-unknown-keyword",
    plant: (schema) => {
      if (schema["uniqueItems"] !== undefined) return false;
      schema["uniqueItems"] = false;
      return true;
    },
  },
  ...(
    [
      ["propertyNames", true],
      ["unevaluatedItems", {}],
      ["unevaluatedProperties", true],
      ["minProperties", 0],
      ["patternProperties", {}],
      ["dependentRequired", {}],
    ] as const
  ).map(([keyword, idle]): Fault => ({
    rule: "strict-unknown-keyword",
    plant: (schema) => {
      if (schema[keyword] !== undefined) return false;
      // A copy, because another fault may be planted inside of it.
      schema[keyword] = structuredClone(idle);
      return true;
    },
  })),
  {
    rule: "repeated-name",
    plant: (schema) => {
      const { required } = schema;
      if (!Array.isArray(required) || required.length === 0) return false;
      schema["required"] = [...required, required[0]!];
      return true;
    },
  },
  {
    rule: "default-dialect",
    plant: (schema, isRoot) => {
      if (!isRoot || schema["$schema"] !== undefined) return false;
      schema["$schema"] = "https://json-schema.org/draft/2020-12/schema";
      return true;
    },
  },
];

/** A faulty copy of a schema, and the rules of the faults. */
function planted(
  schema: JsonObject,
  picks: readonly (readonly [fault: number, place: number])[],
): { readonly faulty: JsonObject; readonly rules: readonly string[] } {
  const faulty = JSON.parse(JSON.stringify(schema)) as JsonObject;
  const rules: string[] = [];
  for (const [which, where] of picks) {
    const places = placesOf(faulty, "");
    const { schema: at, isRoot } = places[where % places.length]!;
    const { rule, plant } = faults[which % faults.length]!;
    if (plant(at as Writable, isRoot)) rules.push(rule);
  }
  return { faulty, rules };
}

type Layout = "c.yaml" | "two" | "tab" | "none";

async function written(contract: Contract, layout: Layout): Promise<[file: string, text: string]> {
  if (layout === "c.yaml") return ["c.yaml", await contractText(contract, "c.yaml")];
  return ["c.json", JSON.stringify(contract, null, { two: 2, tab: "\t", none: 0 }[layout])];
}

function readable(schema: JsonObject): Schema | undefined {
  try {
    return readDocument(schema);
  } catch (error) {
    if (error instanceof SchemaError) return undefined;
    throw error;
  }
}

/**
 * Whether the keys that two values share are in the same order. `items` is ignored, because it may replace another
 * keyword.
 */
function inSameOrder(before: JsonValue, after: JsonValue): boolean {
  if (Array.isArray(before) && Array.isArray(after))
    return before.every((item, index) => after[index] === undefined || inSameOrder(item, after[index]));
  if (!isJsonObject(before) || !isJsonObject(after)) return true;
  const isShared = (key: string): boolean =>
    key !== "items" && Object.hasOwn(before, key) && Object.hasOwn(after, key);
  const [shared, kept] = [Object.keys(before).filter(isShared), Object.keys(after).filter(isShared)];
  return (
    JSON.stringify(shared) === JSON.stringify(kept) &&
    shared.every((key) => inSameOrder(before[key]!, after[key]!))
  );
}

const numberKeys = /^\d+$/;
const hasNumberKeys = (of: unknown): boolean =>
  typeof of === "object" &&
  of !== null &&
  ((!Array.isArray(of) && Object.keys(of).some((key) => numberKeys.test(key))) ||
    Object.values(of).some(hasNumberKeys));

const ajvOf = (schema: JsonObject): ((value: JsonValue) => boolean) | undefined => {
  if (!isReadByAjv(schema)) return undefined;
  const options = { strict: false, validateFormats: false, ownProperties: true };
  const ajv = new Ajv2020({ ...options, meta: false, validateSchema: false });
  return ajv.compile(schema) as (value: JsonValue) => boolean;
};

test("property: a fixed schema accepts what the schema without the faults accepts, and is fixed at once", async () => {
  const met = new Map<string, number>();
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(
      definitions,
      fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 1, maxLength: 6 }),
      fc.constantFrom<Layout>("c.yaml", "two", "tab", "none"),
      fc.array(value, { maxLength: 10 }),
      async ($defs, picks, layout, values) => {
        const text = JSON.stringify({
          type: "object",
          properties: { a: { $ref: "#/$defs/A" }, b: { type: "array", items: { $ref: "#/$defs/tree" } } },
          allOf: [
            { properties: { a: { $ref: "#/$defs/B" } } },
            { additionalProperties: { $ref: "#/$defs/Error" } },
          ],
          $defs,
        });
        const original = JSON.parse(text) as JsonObject;
        const read = readable(original);
        if (!read?.root || hasNumberKeys(original)) return;
        const { faulty, rules } = planted(original, picks);
        const contract: Contract = {
          name: "n",
          version: "1",
          tools: [{ name: "t", description: "D.", inputSchema: faulty }],
        };
        const [file, before] = await written(contract, layout);
        const { document, mended } = await mendContract(await readContract(before, file), profiles);
        const fixed = document.contract.tools![0]!.inputSchema;

        // Idempotent.
        const again = await mendContract(await readContract(document.text, file), profiles);
        expect(again.document.text).toBe(document.text);
        expect(again.mended).toEqual([]);

        // Nothing else has changed: the remaining members keep their order.
        expect(inSameOrder(faulty, fixed)).toBe(true);
        const { tools: _, ...others } = document.contract;
        expect(others).toEqual({ name: "n", version: "1" });
        if (mended.length === 0) expect(document.text).toBe(before);

        // Fixed findings do not occur again, unless an uncertain one of the same rule remains.
        const open = lintContract(document.contract, profiles).map(
          ({ rule, pointer }) => `${rule.id} ${pointer}`,
        );
        for (const rule of rules)
          if (mended.some((problem) => problem.rule.id === rule)) met.set(rule, (met.get(rule) ?? 0) + 1);

        const readFixed = readable(fixed);
        // If the fixed schema is still not valid in 2020-12, a finding remains.
        if (!readFixed?.root) {
          expect(open.length).toBeGreaterThan(0);
          return;
        }
        const judges = [ajvOf(original), ajvOf(fixed)] as const;
        const { $defs: _defs, ...whole } = original;
        const sampler = readDocument({ $defs: { ...(original["$defs"] as JsonObject), whole } });
        const samples = [...instancesOf(sampler, "whole", 20), ...values];
        for (const sample of samples) {
          const accepted = isValid(read, read.root, sample);
          expect([isValid(readFixed, readFixed.root, sample), sample]).toEqual([accepted, sample]);
          compared++;
          const [first, second] = judges;
          if (first && second && isComparedByAjv(original, sample))
            expect([second(sample), sample]).toEqual([first(sample), sample]);
        }
      },
    ),
    { numRuns: cases(2000, 150) },
  );
  // Several rules were tested with random faults. test/lint/fix.test.ts tests each rule.
  expect(met.size).toBeGreaterThan(4);
  expect(compared).toBeGreaterThan(1000);
});
