// Unions: finds the arm that fits best, and the issues of the value with that arm.
import {
  type Issue,
  type Search,
  at,
  expectation,
  isPart,
  mostTrials,
  near,
  report,
} from "./report.js";
import {
  type Opening,
  type Part,
  type Shape,
  constantsOf,
  hasType,
  isObject,
  member,
  requiredOf,
  typesOf,
} from "./shape.js";
import { alternatives, choiceText, scalarText } from "./text.js";

/**
 * A union that a member discriminates: only the arm that the member selects is
 * described.
 */
export function describeTagged(
  search: Search,
  value: unknown,
  shape: Shape,
  tag: string,
): void {
  const { arms = {}, absent, otherwise } = shape;
  if (!isObject(value)) return report(search, value, "object");
  if (otherwise !== undefined && isPart(search, value, otherwise)) return;
  const found = member(value, tag);
  const chosen =
    typeof found === "string" && Object.hasOwn(arms, found)
      ? arms[found]
      : undefined;
  const arm = chosen ?? (found === undefined ? absent : undefined) ?? otherwise;
  if (arm !== undefined) return search.describe(search, value, arm);
  const tags = Object.keys(arms);
  at(search, tag, () =>
    report(search, found, choiceText(tags), near(found, tags)),
  );
}

/** Whether the open reading accepts `value`, though `shape` does not list it. */
export function isUnlisted(value: unknown, shape: Shape): boolean {
  const { open } = shape;
  if (open === undefined) return false;
  const given: Opening = open === true ? openingOf(shape) : open;
  if (given.tag !== undefined) {
    const found = isObject(value) ? member(value, given.tag) : undefined;
    return typeof found === "string" && !given.known?.includes(found);
  }
  if (!isObject(value)) return hasType(value, given.types);
  const constants = Object.entries(given.constants ?? {});
  return (
    hasType(value, given.types) &&
    constants.every(([key, constant]) => member(value, key) === constant)
  );
}

function openingOf(shape: Shape): Opening {
  const { tag, arms = {} } = shape;
  if (tag !== undefined) return { tag, known: Object.keys(arms) };
  return { types: typesOf(shape) ?? [] };
}

/**
 * A union without a discriminating member: if no arm accepts the value, reports
 * the issues with the arm that fits best.
 */
export function describeArms(
  search: Search,
  value: unknown,
  arms: readonly Part[],
): void {
  const fitting = arms.filter((arm) => hasType(value, typesOf(arm)));
  const [first, ...others] = fitting;
  if (first === undefined)
    return report(search, value, expectation({ anyOf: arms }));
  if (others.length === 0) return search.describe(search, value, first);
  if (fitting.some((arm) => isPart(search, value, arm))) return;
  const constants = constantsOf({ anyOf: fitting });
  if (constants) {
    report(search, value, choiceText(constants), near(value, constants));
  } else if (search.trials >= mostTrials) {
    report(search, value, expectation({ anyOf: arms }));
  } else {
    describeBest(search, value, fitting);
  }
}

interface Trial {
  readonly issues: readonly Issue[];
  readonly missing: readonly string[];
  readonly score: readonly number[];
}

function describeBest(
  search: Search,
  value: unknown,
  arms: readonly Part[],
): void {
  const [best, ...others] = arms
    .map((arm) => tryArm(search, value, arm))
    .sort(byScore);
  if (!best) return;
  // If each arm lacks one member only, each of these members would be enough.
  const lacking = [best, ...others].filter(
    ({ issues, missing }) => issues.length === 1 && missing.length === 1,
  );
  const keys = new Set(lacking.flatMap(({ missing }) => missing));
  if (best.missing.length > 0 && keys.size > 1) {
    const texts = [...keys].sort().map(scalarText);
    report(search, value, `the key ${alternatives(texts)}`, {
      got: "none of them",
    });
    return;
  }
  const room = search.limit - search.issues.length;
  search.issues.push(...best.issues.slice(0, room));
}

function tryArm(search: Search, value: unknown, arm: Part): Trial {
  const issues: Issue[] = [];
  search.describe(
    { ...search, issues, limit: 8, trials: search.trials + 1 },
    value,
    arm,
  );
  const required = isObject(value) ? requiredOf(arm) : [];
  const missing = required.filter(
    (key) => isObject(value) && member(value, key) === undefined,
  );
  const depth = Math.min(
    ...issues.map(({ pointer }) => pointer.split("/").length),
  );
  return {
    issues,
    missing,
    score: [required.length - 2 * missing.length, -issues.length, depth],
  };
}

/** The most members present, then the fewest issues, then the deepest issue. */
function byScore(a: Trial, b: Trial): number {
  const differences = a.score.map(
    (score, index) => (b.score[index] ?? 0) - score,
  );
  return differences.find((difference) => difference !== 0) ?? 0;
}
