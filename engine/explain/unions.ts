// Finds the arm of a union that fits a value best, and the issues of the value in that arm.
import { isObject } from "../emitted/shared-checks.js";
import type { SchemaNode } from "../ir/ir.js";
import { type Facts, hasType, memberOf } from "./facts.js";
import { type Issue, type Search, holds, inside, isFull, mostTrials, near, report } from "./search.js";
import { type Part, type Tagged, isTagged, isUntagged } from "./tagged.js";
import { alternatives, choiceText, scalarText } from "./text.js";

/** Number of issues after which the trial of an arm ends. */
const enoughOfTrial = 8;

/** Compares a value with the arm that its tag selects. */
export function compareTagged(search: Search, value: unknown, union: Tagged): void {
  const { tag, arms, absent, otherwise } = union;
  if (!isObject(value)) return report(search, value, "object");
  if (otherwise !== undefined && holds(search, value, otherwise)) return;
  const found = memberOf(value, tag);
  const chosen = typeof found === "string" ? arms.get(found) : undefined;
  const arm = chosen ?? (found === undefined ? absent : undefined) ?? otherwise;
  if (arm !== undefined) return search.compare(search, value, arm);
  const tags = [...arms.keys()];
  inside(search, tag, () => report(search, found, choiceText(tags), near(found, tags)));
}

/** `oneOf`: exactly one arm must accept the value. */
export function compareOneOf(search: Search, value: unknown, arms: readonly SchemaNode[]): void {
  const fitting = arms.filter((arm) => holds(search, value, arm)).length;
  if (fitting === 1) return;
  if (fitting > 1 || search.silent) return report(search, value, "only one of the alternatives");
  compareArms(search, value, arms);
}

/** Compares a value with a union without a tag. If no arm accepts it, reports the issues of the best arm. */
export function compareArms(search: Search, value: unknown, arms: readonly Part[]): void {
  const fitting = arms.filter((arm) => hasType(value, factsOfPart(search, arm).types));
  const [first, ...others] = fitting;
  if (first === undefined) return report(search, value, expectationOfArms(search, arms));
  if (others.length === 0) return search.compare(search, value, first);
  if (fitting.some((arm) => holds(search, value, arm))) return;
  const { values } = factsOfArms(search, fitting);
  if (values) report(search, value, choiceText(values), near(value, values));
  else if (search.silent || search.trials >= mostTrials)
    report(search, value, expectationOfArms(search, arms));
  else compareBest(search, value, fitting);
}

const objectFacts: Facts = { types: ["object"], required: [] };

function factsOfPart(search: Search, part: Part): Facts {
  if (isTagged(part)) return objectFacts;
  return isUntagged(part) ? factsOfArms(search, part.untagged) : search.subject.facts.of(part);
}

/** The values and types that the arms allow together. */
function factsOfArms(search: Search, arms: readonly Part[]): Facts {
  const all = arms.map((arm) => factsOfPart(search, arm));
  const values = all.every((facts) => facts.values !== undefined)
    ? new Set(all.flatMap((facts) => facts.values!))
    : undefined;
  const types = all.every((facts) => facts.types !== undefined)
    ? new Set(all.flatMap((facts) => facts.types!))
    : undefined;
  return { ...(values && { values: [...values] }), ...(types && { types: [...types] }), required: [] };
}

function expectationOfArms(search: Search, arms: readonly Part[]): string {
  const { values, types } = factsOfArms(search, arms);
  if (values) return choiceText(values);
  return types ? alternatives(types) : "value";
}

interface Trial {
  readonly issues: readonly Issue[];
  readonly missing: readonly string[];
  readonly score: readonly number[];
}

function compareBest(search: Search, value: unknown, arms: readonly Part[]): void {
  const trials = arms.map((arm) => tryArm(search, value, arm)).sort(byScore);
  const [best] = trials;
  if (!best) return;
  // If several arms lack exactly one member, any of these members would suffice.
  const lacking = trials.filter(({ issues, missing }) => issues.length === 1 && missing.length === 1);
  const keys = new Set(lacking.flatMap(({ missing }) => missing));
  if (best.missing.length > 0 && keys.size > 1) {
    const texts = [...keys].sort().map(scalarText);
    return report(search, value, `the key ${alternatives(texts)}`, { got: "none of them" });
  }
  for (const issue of best.issues) if (!isFull(search)) search.issues.push(issue);
}

function tryArm(search: Search, value: unknown, arm: Part): Trial {
  const issues: Issue[] = [];
  search.compare({ ...search, issues, limit: enoughOfTrial, trials: search.trials + 1 }, value, arm);
  const required = isObject(value) ? factsOfPart(search, arm).required : [];
  const missing = required.filter((key) => isObject(value) && memberOf(value, key) === undefined);
  const depth = Math.min(...issues.map(({ pointer }) => pointer.split("/").length));
  return { issues, missing, score: [required.length - 2 * missing.length, -issues.length, depth] };
}

/** Orders trials: most required members present, then fewest issues, then deepest issue. */
function byScore(a: Trial, b: Trial): number {
  const differences = a.score.map((score, index) => (b.score[index] ?? 0) - score);
  return differences.find((difference) => difference !== 0) ?? 0;
}
