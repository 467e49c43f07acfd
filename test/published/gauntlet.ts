import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Contract } from "../../generator/contract/contract.js";
import { diffContracts } from "../../generator/diff/contract/diff-contracts.js";
import { type Finding, subjectText } from "../../generator/diff/finding.js";
import { type Random, randomFrom } from "../../generator/sample/values.js";
import { mutate, withLimitedArms } from "../support/schema-changes/operators.js";
import { type Verdict, verdictOf } from "./verdict.js";
import { changedValues, validValues } from "./values.js";

/** A schema of a tool, as the definition of a document that the operators change. */
interface Target {
  readonly tool: number;
  readonly part: "inputSchema" | "outputSchema";
}

const own = "tool";

/** The document of a schema: itself beside its definitions. */
function documentOf({ $defs, definitions, ...schema }: JsonObject): JsonObject {
  const moved = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(moved);
    if (!isJsonObject(value)) return value;
    const inner = Object.entries(value).map(([key, member]) => [key, moved(member)] as const);
    const { $ref } = value;
    const reference = typeof $ref === "string" ? { $ref: $ref.replace(/^#\/definitions\//, "#/$defs/") } : {};
    return { ...Object.fromEntries(inner), ...reference };
  };
  const named = { ...(isJsonObject(definitions) ? definitions : {}), ...(isJsonObject($defs) ? $defs : {}) };
  return { $defs: moved({ ...named, [own]: schema }) };
}

function schemaOf(document: JsonObject): JsonObject {
  const { [own]: schema, ...rest } = document["$defs"] as { readonly [name: string]: JsonObject };
  return { ...schema, ...(Object.keys(rest).length > 0 ? { $defs: rest } : {}) };
}

/** Whether all references of a document point to its definitions. */
function isWhole(schema: JsonObject): boolean {
  const text = JSON.stringify(schema);
  return !/"\$ref":"(?!#\/\$defs\/[^/"]+")/.test(text) && !/"(?:\$id|\$anchor|\$dynamicRef)":/.test(text);
}

function withSchema(contract: Contract, { tool, part }: Target, schema: JsonObject): Contract {
  const tools = contract.tools!.map((each, at) => (at === tool ? { ...each, [part]: schema } : each));
  return { ...contract, tools };
}

/**
 * Values that can show the difference: valid values of either schema, and values that differ from these in one place.
 */
function draws(schemas: readonly JsonObject[], seed: string): JsonValue[] {
  return schemas.flatMap((schema) =>
    validValues(schema, 8, seed).flatMap((value) => [value, ...changedValues(schema, value, seed)]),
  );
}

interface Trial {
  readonly shown: readonly string[];
  readonly faults: readonly string[];
}

/** Compares a contract with one whose schema at a place is changed. */
function trial(contract: Contract, target: Target, seed: string): Trial | undefined {
  const random = randomFrom(seed);
  const document = documentOf(contract.tools![target.tool]![target.part] as JsonObject);
  const before = random.chance(0.5) ? withLimitedArms(document, random) : document;
  const { document: after, changes } = mutate(before, random.chance(0.5) ? 1 : 2, random);
  const schemas = [schemaOf(before), schemaOf(after)] as const;
  if (!schemas.every((schema) => schema["type"] === "object" && isWhole(schema))) return undefined;
  const judges = schemas.map((schema) => verdictOf(schema)) as [Verdict, Verdict];
  const [old, next] = schemas.map((schema) => withSchema(contract, target, schema)) as [Contract, Contract];
  const findings = diffContracts(old, next);
  const [writer, reader] =
    target.part === "inputSchema" ? (["client", "server"] as const) : (["server", "client"] as const);
  const shown = new Map<string, { readonly value: JsonValue; readonly isFound: boolean }>();
  const declares = schemas.map((schema) => JSON.stringify(schema).includes('"added"'));
  for (const value of draws(schemas, seed)) {
    const [takes, takesNow] = [judges[0](value), judges[1](value)];
    if (takes === takesNow) continue;
    // Writers do not use the name of a new member before it is declared.
    if (!declares[takes ? 0 : 1] && JSON.stringify(value).includes('"added":')) continue;
    const isFound = findings.some(({ level }) =>
      takes ? level[writer] === "breaking" : level[reader] !== "safe",
    );
    shown.set(takes ? "narrowed" : "widened", { value, isFound });
  }
  const faults = [
    ...[...shown].flatMap(([kind, { value, isFound }]) =>
      isFound ? [] : [`missed (${kind}): ${JSON.stringify(value)}`],
    ),
    ...findings.flatMap((finding) => (isProven(finding, judges) ? [] : [`unproven: ${textOf(finding)}`])),
  ];
  if (faults.length === 0) return { shown: [...shown.keys()], faults };
  const { name } = contract.tools![target.tool]!;
  const head = `${contract.name} ${name} ${target.part}, seed ${JSON.stringify(seed)}`;
  return {
    shown: [...shown.keys()],
    faults: [[head, ...changes, ...findings.map((each) => `found: ${textOf(each)}`), ...faults].join("\n")],
  };
}

function textOf({ rule, subject, level, counterexample }: Finding): string {
  const value = counterexample ? ` ${JSON.stringify(counterexample.value)}` : "";
  return `${rule} ${subjectText(subject)} client:${level.client} server:${level.server}${value}`;
}

/** Whether ajv confirms the counter-example of a breaking finding. */
function isProven({ level, counterexample }: Finding, judges: readonly [Verdict, Verdict]): boolean {
  if (level.client !== "breaking" && level.server !== "breaking") return true;
  if (!counterexample) return false;
  const { value, valid } = counterexample;
  return judges[0](value) === valid.old && judges[1](value) === valid.new && valid.old !== valid.new;
}

/** The outcome of a run of the gauntlet. */
export interface Outcome {
  readonly trials: number;
  /** Changes that a drawn value shows. */
  readonly shown: number;
  /** Changes that were missed, or reported as breaking without proof, and crashes. */
  readonly faults: readonly string[];
}

/** Changes schemas of a contract's tools, and compares the findings of `diff` with ajv's verdicts. */
export function gauntlet(contract: Contract, count: number, seed: string): Outcome {
  const targets = contract.tools!.flatMap((tool, at) =>
    (["inputSchema", "outputSchema"] as const)
      .filter(
        (part) => isJsonObject(tool[part] as JsonValue | undefined) && isWhole(tool[part] as JsonObject),
      )
      .map((part) => ({ tool: at, part })),
  );
  const random: Random = randomFrom(`${contract.name} ${seed}`);
  let [trials, shown] = [0, 0];
  const faults: string[] = [];
  for (let index = 0; targets.length > 0 && index < count; index++) {
    const target = random.pick(targets);
    const own = `${contract.name} ${seed} ${index}`;
    try {
      const found = trial(contract, target, own);
      if (!found) continue;
      trials++;
      if (found.shown.length > 0) shown++;
      faults.push(...found.faults);
    } catch (error) {
      faults.push(`${contract.name} ${contract.tools![target.tool]!.name}, seed ${own}: ${String(error)}`);
    }
  }
  return { trials, shown, faults };
}
