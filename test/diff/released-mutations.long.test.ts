import { type JsonObject, type JsonValue, isJsonObject, pointer, reachable } from "@mcpgen/engine";
import { expect, test } from "vitest";
import { diffModels } from "../../generator/diff/diff-models.js";
import { type Finding, levelFor, subjectText } from "../../generator/diff/finding.js";
import { locationOf } from "../../generator/compare/location.js";
import type { ProtocolModel } from "../../generator/model/model.js";
import { type Random, randomFrom } from "../../generator/sample/values.js";
import { cases, seed } from "../support/cases.mjs";
import { documentOf, revisions } from "../support/revisions.js";
import { modelFrom } from "./models.js";

/** Whole revisions are compared, which takes a hundred times as long as the small protocols of mutations.test.ts. */
const count = cases(1000, 8);

/** A schema inside a document. */
interface Place {
  readonly path: readonly string[];
  readonly node: JsonObject;
}

/**
 * Changes a schema in place. Returns rules, one of which must report the change; `undefined` if the schema cannot be
 * changed so.
 */
type Change = (node: JsonObject, random: Random) => readonly string[] | undefined;

/** Members of the envelope. Rules about methods report their changes. */
const envelope = new Set(["jsonrpc", "id", "method", "params"]);

const strings = (value: JsonValue | undefined): string[] => (Array.isArray(value) ? (value as string[]) : []);
const keysOf = ({ properties }: JsonObject): string[] =>
  isJsonObject(properties) ? Object.keys(properties).filter((key) => !envelope.has(key)) : [];

const changes: readonly Change[] = [
  (node, random) => {
    if (node["type"] !== "object" || keysOf(node).length === 0) return undefined;
    const key = random.pick(keysOf(node));
    const required = strings(node["required"]);
    const isRequired = required.includes(key);
    node["required"] = isRequired ? required.filter((other) => other !== key) : [...required, key];
    return [isRequired ? "property-became-optional" : "property-became-required"];
  },
  (node, random) => {
    if (keysOf(node).length === 0) return undefined;
    const key = random.pick(keysOf(node));
    const properties = node["properties"] as JsonObject;
    if ((properties[key] as JsonObject)["const"] !== undefined) return undefined;
    delete properties[key];
    node["required"] = strings(node["required"]).filter((other) => other !== key);
    return ["property-removed"];
  },
  (node, random) => {
    if (node["type"] !== "object") return undefined;
    node["properties"] = { ...(node["properties"] as JsonObject | undefined), added: { type: "string" } };
    if (random.chance(0.5)) return ["property-added-optional"];
    node["required"] = [...strings(node["required"]), "added"];
    return ["property-added-required"];
  },
  (node) => {
    if (strings(node["enum"]).length < 2) return undefined;
    node["enum"] = [...strings(node["enum"]), "added"];
    return ["enum-value-added"];
  },
  (node) => {
    if (strings(node["enum"]).length < 2) return undefined;
    node["enum"] = strings(node["enum"]).slice(1);
    return ["enum-value-removed"];
  },
  (node) => {
    if (
      !["string", "integer", "number", "boolean"].includes(String(node["type"])) ||
      node["const"] !== undefined ||
      node["enum"]
    )
      return undefined;
    for (const key of ["minimum", "maximum", "format", "minLength"]) delete node[key];
    node["type"] = node["type"] === "boolean" ? "string" : "boolean";
    return ["type-changed"];
  },
  (node) => {
    if (node["type"] !== "array" || node["minItems"] !== undefined) return undefined;
    node["minItems"] = 2;
    return ["bound-tightened"];
  },
  (node) => {
    if (typeof node["type"] !== "string" || node["enum"] || node["const"] !== undefined) return undefined;
    node["type"] = [node["type"], "null"];
    return ["nullable-added"];
  },
];

function placesIn(value: JsonValue, path: readonly string[] = []): Place[] {
  if (!isJsonObject(value)) return [];
  const below = (keyword: string, content: JsonValue | undefined): Place[] =>
    isJsonObject(content) || Array.isArray(content)
      ? Object.entries(content).flatMap(([key, child]) =>
          placesIn(child as JsonValue, [...path, keyword, key]),
        )
      : [];
  return [
    { path, node: value },
    ...["properties", "$defs", "anyOf", "oneOf", "allOf"].flatMap((keyword) =>
      below(keyword, value[keyword]),
    ),
    ...["items", "additionalProperties"].flatMap((keyword) =>
      placesIn(value[keyword] ?? null, [...path, keyword]),
    ),
  ];
}

/** Definitions that messages contain, without the messages and their envelope. */
function heldBy({ schema, methods }: ProtocolModel): Set<string> {
  const roots = methods.flatMap(({ message, result }) => [
    message,
    result?.definition,
    ...(result?.alternatives ?? []).map(({ definition }) => definition),
  ]);
  const held = reachable(
    schema,
    roots.filter((name) => name !== undefined),
  );
  for (const { message } of methods) held.delete(message);
  return held;
}

/** A document with one change somewhere in the parts that messages contain. */
function mutated(
  document: JsonObject,
  held: ReadonlySet<string>,
  random: Random,
): { document: JsonObject; rules: readonly string[]; at: string } {
  for (;;) {
    const copy = structuredClone(document);
    const places = placesIn(copy).filter(({ path }) => path.length >= 2 && held.has(path[1]!));
    const { path, node } = random.pick(places);
    const rules = random.pick(changes)(node, random);
    if (rules) return { document: copy, rules, at: pointer("", ...path) };
  }
}

test.each(revisions)(
  `${count} single mutations of %s are reported by their rule, at their place, without other findings`,
  (revision) => {
    const document = documentOf(revision);
    const model = modelFrom(document);
    const held = heldBy(model);
    const random = randomFrom(`mutations of ${revision} ${seed}`);
    for (let index = 0; index < count; index++) {
      const { document: changed, rules, at } = mutated(document, held, random);
      const findings = diffModels(model, modelFrom(changed));
      const textOf = (finding: Finding): string => `${finding.rule} ${subjectText(finding.subject)}`;
      const where = JSON.stringify({ index, rules, at, found: findings.map(textOf) });
      const { definition } = locationOf(at);
      // An arm that may be null makes every union it is in nullable: the finding is at that union.
      const isIt = ({ rule, subject }: Finding): boolean =>
        rules.includes(rule) &&
        "definition" in subject &&
        (subject.definition === definition || rule === "nullable-added");
      expect(findings.some(isIt), where).toBe(true);
      // A member added beside a map takes values that the map allowed: the member has that finding, too.
      const isOfAdded = ({ rule, subject }: Finding): boolean =>
        rules[0]!.startsWith("property-added-") &&
        ["type-changed", "type-narrowed", "union-collapsed"].includes(rule) &&
        subjectText(subject).endsWith(".added");
      const isOther = (finding: Finding): boolean => !isIt(finding) && !isOfAdded(finding);
      expect(
        findings.filter((finding) => levelFor(finding, "both") !== "safe" && isOther(finding)).map(textOf),
        where,
      ).toEqual([]);
    }
  },
);
