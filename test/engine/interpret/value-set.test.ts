import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonValue, type Schema, ValueSet, canonicalise, jsonEqual, readSchema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { cases, seed } from "../../support/cases.mjs";

/** Few keys and scalars, so that equal values, and nearly equal ones, are common. */
const { value: near } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonValue>(
      null,
      true,
      false,
      0,
      -0,
      1,
      1.5,
      1e21,
      "",
      "0",
      "1",
      "a",
      "null",
      "\ud800",
      '"',
    ),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "__proto__", "", '"', "1"), tie("value"), { maxKeys: 3 }),
  ),
}));

/** The same value with its keys in the opposite order, and copied. */
function turned(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(turned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, each]) => [key, turned(each)]),
  );
}

const values = fc.array(near, { maxLength: 24 });
const options = { seed, numRuns: cases(20_000) };

function judge(definition: JsonValue): (value: JsonValue) => boolean {
  const schema: Schema = readSchema(canonicalise({ $defs: { It: definition } }));
  return (value) => isValid(schema, schema.definitions.get("It")!.node, value);
}

describe("a set of JSON values", () => {
  test("contains a value exactly if the value equals a member", () => {
    fc.assert(
      fc.property(values, values, (members, others) => {
        const set = new ValueSet(members);
        for (const other of [...others, ...members.map(turned)])
          expect(set.has(other)).toBe(members.some((member) => jsonEqual(member, other)));
      }),
      options,
    );
  });

  test("may grow between look-ups", () => {
    fc.assert(
      fc.property(values, (members) => {
        const set = new ValueSet();
        for (const [index, member] of members.entries()) {
          const isThere = members.slice(0, index).some((each) => jsonEqual(each, member));
          expect(set.has(member)).toBe(isThere);
          set.add(member);
        }
      }),
      options,
    );
  });
});

describe("unions whose arms list values give the verdicts of arms that do not", () => {
  const arm = fc.oneof(
    near.map((value): JsonValue => ({ const: value })),
    fc.array(near, { minLength: 1, maxLength: 3 }).map((list): JsonValue => ({ enum: list })),
    near.map((value): JsonValue => ({ const: value, type: "string" })),
    fc.constantFrom<JsonValue>({ type: "integer" }, { type: "array" }, true, false),
  );
  test.each(["anyOf", "oneOf"])("%s", (keyword) => {
    fc.assert(
      fc.property(fc.array(arm, { minLength: 1, maxLength: 12 }), values, (arms, others) => {
        const together = judge({ [keyword]: arms });
        const judges = arms.map(judge);
        for (const value of [...others, 1, "a", { a: 1 }]) {
          const fitting = judges.filter((accepts) => accepts(value)).length;
          expect(together(value)).toBe(keyword === "anyOf" ? fitting > 0 : fitting === 1);
        }
      }),
      { seed, numRuns: cases(5000) },
    );
  });
});

/** Counts the reads of a value: each comparison with a member of a list reads it again. */
function readsOf(definition: JsonValue, value: object): number {
  let reads = 0;
  const read = (): void => void reads++;
  const watched = new Proxy(value, {
    get: (target, key) => (read(), Reflect.get(target, key) as unknown),
    ownKeys: (target) => (read(), Reflect.ownKeys(target)),
    getOwnPropertyDescriptor: (target, key) => (read(), Reflect.getOwnPropertyDescriptor(target, key)),
  });
  const accepts = judge(definition);
  expect(accepts(value as JsonValue)).toBe(true);
  expect(accepts(watched as JsonValue)).toBe(true);
  return reads;
}

describe("of 24,000 objects one is found without a search among them", () => {
  const list = Array.from({ length: 24_000 }, (_, index) => ({ id: index, name: `n${index}` }));
  test.each<[string, JsonValue]>([
    ["enum", { enum: list }],
    ["anyOf of const", { anyOf: list.map((value) => ({ const: value })) }],
    ["oneOf of const", { oneOf: list.map((value) => ({ const: value, title: value.name })) }],
  ])("%s", (_, definition) => {
    expect(readsOf(definition, { name: "n23999", id: 23_999 })).toBeLessThan(50);
  });

  test("not among them", () => {
    expect(readsOf({ not: { enum: list } }, { name: "n", id: 23_999 })).toBeLessThan(50);
  });
});
