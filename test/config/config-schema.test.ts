import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { readConfig } from "../../generator/config/config.js";
import { cases } from "../support/cases.mjs";

/** Documents that are drawn. */
const runs = cases(1500);

const configSchema = JSON.parse(readFileSync("docs/config.schema.json", "utf8")) as JsonObject;
const properties = configSchema["properties"] as Readonly<Record<string, { description: string }>>;
const validate = new Ajv2020({ allowUnionTypes: true }).compile(configSchema);

const fits = async (value: JsonValue): Promise<boolean> =>
  readConfig(value, async () => ({})).then(
    () => true,
    () => false,
  );

const values = [
  "",
  "x",
  5,
  true,
  null,
  [],
  ["x"],
  [""],
  [5],
  {},
  { name: "x" },
  { name: "" },
  { x: 1 },
  ["js", "server", "open", "breaking"],
  "js",
  "server",
  "open",
  "breaking",
] as const satisfies readonly JsonValue[];

/** Objects that are, or nearly are, what a key takes. */
const anyValue = fc.constantFrom<JsonValue>(...(values as readonly JsonValue[]));
const contract = fc.dictionary(
  fc.constantFrom("file", "out", "role", "server", "x"),
  anyValue,
) as fc.Arbitrary<JsonValue>;
const diff = fc.dictionary(
  fc.constantFrom("readers", "failOn", "rules", "x"),
  anyValue,
) as fc.Arbitrary<JsonValue>;
const keys = [...Object.keys(properties), "x", "__proto__"];
const config = fc.dictionary(
  fc.constantFrom(...keys),
  fc.oneof(anyValue, fc.array(contract, { maxLength: 2 }) as fc.Arbitrary<JsonValue>, diff),
  { maxKeys: 3 },
);

test("schema and reader accept and refuse the same", async () => {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(config, async (value) => {
      const isTaken = await fits(value);
      taken += isTaken ? 1 : 0;
      expect(validate(value)).toBe(isTaken);
    }),
    { numRuns: runs },
  );
  // Both verdicts were met often.
  expect(taken).toBeGreaterThan(runs / 10);
});

test("each key is described, and a configuration with all of them is accepted", async () => {
  const whole = {
    $schema: "x",
    revisions: ["x"],
    schema: "x",
    out: "x",
    package: { name: "x", version: "1" },
    contracts: [{ file: "x", out: "x", role: "both", server: "x" }],
    importExtension: "ts",
    templates: "x",
    diff: { readers: "open", failOn: "any", rules: { x: "off" } },
  };
  expect(Object.keys(whole)).toEqual(Object.keys(properties));
  expect([validate(whole), await fits(whole)]).toEqual([true, true]);
  for (const { description } of Object.values(properties)) expect(description).toMatch(/\.$/);
});
