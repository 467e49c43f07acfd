import { expect, test } from "vitest";
import { type JsonValue, type Schema, isJsonObject } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { pendingMutants } from "../../../../generator/sample/invalid.js";
import { randomFrom } from "../../../../generator/sample/values.js";
import { minimalValid, sampleValid } from "../../../../generator/sample/sample.js";
import { revisions } from "../../../support/revisions.js";
import { printed, released } from "./printed.js";
import { compilerErrors } from "../../../support/typescript-compiler.js";

/** Changes whose effect a type can show; others change lengths, formats and the like. */
const visible = new Set(["dropped", "null", "constant"]);

/** `value` without undescribed members, which TypeScript treats as mistakes in literals. */
function plain(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(plain);
  if (!isJsonObject(value)) return value;
  const members = Object.entries(value).filter(([key]) =>
    /^(?!constructor$|toString$|extra$)[A-Za-z_]\w*$/.test(key),
  );
  return Object.fromEntries(
    members.filter(([key]) => key !== "__proto__").map(([key, member]) => [key, plain(member)]),
  );
}

/** Values of each definition: valid ones, and invalid ones with differences that types can express. */
function judged(schema: Schema, name: string): { value: JsonValue; valid: boolean }[] {
  const random = randomFrom(name);
  const { node } = schema.definitions.get(name)!;
  const values = [
    minimalValid(schema, name)!,
    ...Array.from({ length: 3 }, () => plain(sampleValid(schema, name, random)!)),
  ].filter((value) => isValid(schema, node, value));
  const invalid = pendingMutants(schema, name, values.at(-1)!, random)
    .filter(({ kind }) => visible.has(kind))
    .map((pending) => plain(pending.make().value))
    .filter((value) => !isValid(schema, node, value));
  return [
    ...values.map((value) => ({ value, valid: true })),
    ...invalid.slice(0, 4).map((value) => ({ value, valid: false })),
  ];
}

/** JSON on one line: JavaScript breaks lines at two characters where JSON does not. */
function oneLine(value: JsonValue): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, " ");
}

test("types accept the values of the schema, and refuse other values if a type can", async () => {
  const files = new Map<string, string>();
  let refused = 0;
  for (const revision of revisions) {
    const schema = await released(revision);
    for (const [path, content] of printed(schema, revision)) files.set(path, content);
    const lines = [
      'import type * as T from "./types.js";',
      // The type is inferred from the argument, so that unknown members are not errors.
      "declare function take<T>(): <const V extends T>(value: V) => void;",
    ];
    for (const name of schema.definitions.keys()) {
      for (const { value, valid } of judged(schema, name)) {
        if (!valid) lines.push("// @ts-expect-error");
        if (!valid) refused++;
        lines.push(`take<T.${name}>()(${oneLine(value)});`);
      }
    }
    files.set(`${revision}/values.ts`, lines.join("\n"));
  }
  expect(await compilerErrors(files)).toEqual([]);
  expect(refused).toBeGreaterThan(500);
});
