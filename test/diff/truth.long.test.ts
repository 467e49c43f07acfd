import { type JsonValue, type Schema, isJsonObject, reachable, hasMember } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { type Finding, subjectText } from "../../generator/diff/finding.js";
import { ruleTable } from "../../generator/diff/rules/table.js";
import { opposite } from "../../generator/model/model.js";
import { randomFrom } from "../../generator/sample/values.js";
import { sampleValid } from "../../generator/sample/sample.js";
import { cases } from "../support/cases.mjs";
import { documentOf } from "../support/revisions.js";
import { modelFrom, pairs, released } from "./models.js";

const draws = cases(1000, 15);

/** Definitions whose differences are reported for methods or names, not for the definition. */
function isToldElsewhere(schema: Schema, name: string, findings: readonly Finding[]): boolean {
  const { node } = schema.definitions.get(name)!;
  return (
    hasMember(schema, node, "method") ||
    hasMember(schema, node, "result") ||
    /^(Client|Server)(Request|Notification|Result)$|^(Empty|Paginated)?Result$|^JSONRPCMessage$/.test(name) ||
    findings.some(
      ({ rule, subject }) =>
        /^(definition-meaning|unreachable)-changed$/.test(rule) && subjectText(subject) === name,
    )
  );
}

test.each(pairs)("%s → %s: findings cover the differences that samples show", async (from, to) => {
  const models = [await released(from), await released(to)] as const;
  const findings = diffModels(...models);
  const schemas = models.map(({ schema }) => schema) as [Schema, Schema];
  const untold: string[] = [];
  for (const name of schemas[0].definitions.keys()) {
    if (!schemas[1].definitions.has(name) || isToldElsewhere(schemas[0], name, findings)) continue;
    const near = new Set(schemas.flatMap((schema) => [...reachable(schema, [name])]));
    const isReported = findings.some(
      ({ subject, level }) =>
        "definition" in subject &&
        near.has(subject.definition) &&
        (level.client !== "safe" || level.server !== "safe"),
    );
    for (const [one, other] of [schemas, [schemas[1], schemas[0]]] as [Schema, Schema][]) {
      const random = randomFrom(`${name} ${from} ${one === schemas[0]}`);
      for (let draw = 0; draw < (isReported ? 0 : draws); draw++) {
        const value = sampleValid(one, name, random);
        if (value !== undefined && !isValid(other, other.definitions.get(name)!.node, value))
          untold.push(`${name} ${JSON.stringify(value)}`);
      }
    }
  }
  expect(untold).toEqual([]);
});

const judges = new Map<string, { ajv: Ajv2020; model: ReturnType<typeof modelFrom> }>();

function judgeOf(revision: string): { ajv: Ajv2020; model: ReturnType<typeof modelFrom> } {
  let judge = judges.get(revision);
  if (!judge) {
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
    ajv.addSchema(documentOf(revision), "schema");
    judges.set(revision, (judge = { ajv, model: modelFrom(documentOf(revision)) }));
  }
  return judge;
}

/** ajv's verdict on a counter-example; `undefined` if no definition describes it. */
function verdict(revision: string, { counterexample }: Finding, side: 0 | 1): boolean | undefined {
  const { as, value } = counterexample!;
  const { ajv, model } = judgeOf(revision);
  const takes = (name: string, part: JsonValue): boolean =>
    ajv.validate({ $ref: `schema#/$defs/${name}` }, part);
  if ("definition" in as) return takes(as.definition[side], value);
  const sender = as.part === "result" ? opposite(as.from) : as.from;
  const method = model.methods.find(({ name, senders }) => name === as.method && senders.includes(sender));
  if (!method || (method.payload && !as.part.startsWith("embedded"))) return false;
  if (!as.part.endsWith("result")) return takes(method.message, value);
  const names = [
    method.result!.definition!,
    ...method.result!.alternatives.map(({ definition }) => definition),
  ];
  const result = as.part === "result" && isJsonObject(value) ? value["result"]! : value;
  return names.some((name) => takes(name, result));
}

test.each(pairs)("%s → %s: ajv agrees with every counter-example", (from, to) => {
  const findings = diffModels(modelFrom(documentOf(from)), modelFrom(documentOf(to)), {
    readers: "closed",
    severities: {},
  });
  const proven = findings.filter(({ counterexample }) => counterexample);
  expect(proven.length).toBeGreaterThan(0);
  for (const finding of proven) {
    const verdicts = { old: verdict(from, finding, 0), new: verdict(to, finding, 1) };
    expect(verdicts, JSON.stringify(finding)).toEqual(finding.counterexample!.valid);
  }
});

test.each(pairs)(
  "%s → %s: the reverse comparison finds the mirror of each finding, at the same place",
  async (from, to) => {
    const [old, next] = [await released(from), await released(to)];
    const key = (rule: string, { subject }: Finding): string => `${rule} ${subjectText(subject)}`;
    for (const [there, back] of [
      [diffModels(old, next), diffModels(next, old)],
      [diffModels(next, old), diffModels(old, next)],
    ] as const) {
      const found = new Set(back.map((finding) => key(finding.rule, finding)));
      const missing = there.filter((finding) => {
        const mirrors = ruleTable.filter(({ id }) => id === finding.rule).map(({ mirror }) => mirror);
        return !mirrors.some(
          (mirror) => "waived" in mirror || mirror.some((rule) => found.has(key(rule, finding))),
        );
      });
      expect(missing.map((finding) => key(finding.rule, finding))).toEqual([]);
    }
  },
);
