import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import type { Finding } from "../../generator/diff/finding.js";
import type { Level } from "../../generator/diff/rules/rule.js";
import { ruleOf } from "../../generator/diff/rules/table.js";
import { randomFrom } from "../../generator/sample/values.js";
import { modelFrom, protocolOf } from "./models.js";
import { mutations, surroundings } from "./mutations/all.js";
import type { Mutation } from "./mutations/mutation.js";
import { cases, seed } from "../support/cases.mjs";

const count = cases(10_000, 300);
const empty: JsonValue = { type: "object" };

interface Case {
  readonly mutation: Mutation;
  readonly readers: "open" | "closed";
  readonly where: "params" | "result";
  readonly around: (value: JsonValue) => JsonValue;
}

function protocol({ around, where }: Case, value: JsonValue): JsonObject {
  const schema = around(value) as JsonObject;
  const { named, ...properties } = (schema["properties"] ?? {}) as JsonObject;
  const part = named === undefined ? schema : { ...schema, properties, required: [] };
  const more = named === undefined ? {} : { Named: named };
  return where === "params" ? protocolOf(part, empty, more) : protocolOf(empty, part, more);
}

/** The levels that the row of the table gives. */
function expected({ mutation: { rule, when }, readers, where }: Case): Finding["level"] {
  const { writer, reader, closedReader } = ruleOf(rule, when);
  const asReader: Level = readers === "closed" ? (closedReader ?? reader) : reader;
  return where === "params" ? { client: writer, server: asReader } : { client: asReader, server: writer };
}

function drawn(index: number): Case {
  const random = randomFrom(`mutation ${seed} ${index}`);
  return {
    mutation: mutations[index % mutations.length]!(random),
    readers: random.pick(["open", "closed"]),
    where: random.pick(["params", "result"]),
    around: random.pick(surroundings),
  };
}

test(`${count} single mutations are classified like in the table, for every writer and reading`, () => {
  for (let index = 0; index < count; index++) {
    const one = drawn(index);
    const { mutation, readers } = one;
    const [old, next] = [protocol(one, mutation.old), protocol(one, mutation.new)];
    const findings = diffModels(modelFrom(old), modelFrom(next), { readers, severities: {} });
    const context = { index, old: JSON.stringify(old), new: JSON.stringify(next) };
    expect(
      findings.map(({ rule }) => rule),
      JSON.stringify(context),
    ).toEqual([mutation.rule]);
    expect(findings[0]!.level, JSON.stringify({ ...context, demoted: findings[0]!.demoted })).toEqual(
      expected(one),
    );
  }
});
