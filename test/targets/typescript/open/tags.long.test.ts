import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { emitExplain } from "../../../../generator/targets/typescript/explain/emit.js";
import { loadTemplates } from "../../../../generator/print/templates.js";
import { open as openOf } from "../types/printed.js";
import { load, typesOf, validatorsOf } from "../validators/emitted.js";
import { cases as numberOf } from "../../../support/cases.mjs";
import { schemaFrom } from "../../../support/revisions.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

const values = ["x", "y", "z", "w"];
const constants = fc.oneof(
  fc.constantFrom(...values).map((value) => ({ const: value })),
  fc.uniqueArray(fc.constantFrom(...values), { minLength: 2, maxLength: 3 }).map((list) => ({ enum: list })),
  fc.constantFrom(1, 2, true).map((value) => ({ const: value })),
);
const member = fc.option(fc.tuple(constants, fc.oneof(fc.constant(true), fc.boolean())), {
  nil: undefined,
  freq: 5,
});

/** Objects that their members may distinguish. */
const arm = fc.record({ kind: member, type: member, op: member }).map((members) => {
  const present = Object.entries(members).flatMap(([name, said]) => (said ? [[name, ...said] as const] : []));
  return {
    type: "object",
    properties: Object.fromEntries(present.map(([name, schema]) => [name, schema])),
    required: present.flatMap(([name, , required]) => (required ? [name] : [])),
  };
});

interface Case {
  readonly definitions: object;
  readonly open: readonly string[];
}

/** An open union of up to four objects, inline or named, among other arms; sets within may be open as well. */
const cases: fc.Arbitrary<Case> = fc
  .record({
    arms: fc.array(arm, { minLength: 1, maxLength: 4 }),
    others: fc.subarray([{ type: "string" }, { type: "array", items: { type: "integer" } }]),
    union: fc.constantFrom("anyOf", "oneOf", "named", "single"),
    openSet: fc.boolean(),
  })
  .map(({ arms, others, union, openSet }) => {
    const named = Object.fromEntries(arms.map((one, index) => [`Arm${index}`, one]));
    const references = Object.keys(named).map((name) => ({ $ref: `#/$defs/${name}` }));
    const whole = { anyOf: [...arms, ...others] };
    const unions = {
      anyOf: whole,
      oneOf: { oneOf: whole.anyOf },
      named: { anyOf: [...references, ...others] },
      single: arms[0]!,
    };
    const set = openSet && "enum" in (arms[0]!.properties["kind"] ?? {});
    return {
      definitions: { ...named, U: unions[union] },
      open: ["/$defs/U", ...(set ? ["/$defs/Arm0/properties/kind", "/$defs/U/anyOf/0/properties/kind"] : [])],
    };
  });

function emitted({ definitions, open }: Case): Record<"types" | "open" | "validators" | "explain", string> {
  const schema = schemaFrom(definitions, open);
  const input = {
    schema,
    folder: "it",
    origin: "a test",
    importExtension: "js",
    render: loadTemplates(),
  } as const;
  return {
    types: typesOf(schema),
    validators: validatorsOf(schema),
    open: openOf(schema).content,
    explain: emitExplain(input).get("it/explain.ts")!.content,
  };
}

/** The tag of the union in each output, where that names one. */
function tagsIn({ open, validators, explain }: ReturnType<typeof emitted>) {
  const within = (text: string, start: RegExp, end: string): string => {
    const from = text.search(start);
    return text.slice(from, text.indexOf(end, from));
  };
  // The function of the union, or one that it is split into.
  const switched = (name: string): string | undefined =>
    [...validators.matchAll(new RegExp(`^(export )?function ${name}U(_\\w+)?\\([^]*?\\n}\\n`, "gm"))]
      .map(([text]) => /switch \(\w+\["(\w+)"\]\)/.exec(text)?.[1])
      .find((tag) => tag !== undefined);
  return {
    exact: switched("is"),
    open: switched("accepts"),
    type: /UnlistedArm<"(\w+)">/.exec(within(open, /^export (type|interface) OpenU\b/m, "\n\n"))?.[1],
    explain: /"x-open":\{"tag":"(\w+)"/.exec(within(explain, /^ {2}\["U", /m, "\n"))?.[1],
  };
}

const runs = numberOf(5000);

describe("the tag of a union is the same in every output", () => {
  it("for random unions", async () => {
    let named = 0;
    await fc.assert(
      fc.asyncProperty(cases, async (one) => {
        const files = emitted(one);
        const tags = tagsIn(files);
        const context = JSON.stringify([one, tags]);
        expect(tags.type, context).toBe(tags.open);
        // An open part of an arm distinguishes arms in the exact reading only.
        const alike = one.open.length === 1 && tags.open !== undefined;
        if (tags.exact && alike) expect(tags.exact, context).toBe(tags.open);
        expect(tags.explain, context).toBe(tags.open);
        if (tags.open === undefined) return;
        named++;
        const { acceptsU } = await load(files.validators);
        expect(acceptsU!({ [tags.open]: "unlisted" }), context).toBe(true);
        expect(acceptsU!({ [tags.open]: 5 }), context).toBe(false);
        expect(acceptsU!({}), context).toBe(false);
      }),
      { numRuns: runs },
    );
    expect(named).toBeGreaterThan(runs / 10);
  });

  it("for objects with an unlisted tag, which belong to the open type", async () => {
    const files = new Map<string, string>();
    for (const [index, one] of fc.sample(cases, 60).entries()) {
      const { types, open, ...others } = emitted(one);
      const tag = tagsIn({ types, open, ...others }).open;
      if (tag === undefined) continue;
      const use = `import type { Open, Unlisted } from "./open.js";
declare const unlisted: Unlisted;
export const value: Open<"U"> = { ${tag}: unlisted, more: 1 };
`;
      const folder = `case${index}`;
      files.set(`${folder}/types.ts`, types).set(`${folder}/open.ts`, open).set(`${folder}/use.ts`, use);
    }
    expect(files.size).toBeGreaterThan(9);
    expect(await compilerErrors(files)).toEqual([]);
  });

  it("for two candidates, one with more values", () => {
    const arm = (kind: string, type: string) => ({
      type: "object",
      properties: { kind: { const: kind }, type: { const: type } },
      required: ["kind", "type"],
    });
    const definitions = { U: { anyOf: [arm("x", "a"), arm("x", "b"), arm("y", "c")] } };
    const tags = tagsIn(emitted({ definitions, open: ["/$defs/U"] }));
    expect(tags).toEqual({ exact: "type", open: "type", type: "type", explain: "type" });
  });
});
