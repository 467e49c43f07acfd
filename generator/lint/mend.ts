import {
  type JsonObject,
  PatternBudget,
  atPointer,
  canonicalDialect,
  canonicalText,
  jsonEqual,
  pointer,
  pointerTokens,
  groupBy,
} from "@mcpgen/engine";
import type { Contract, ContractDocument } from "../contract/contract.js";
import { editContract } from "../contract/edit/edit-contract.js";
import { type Edit, edited, placeOf, together } from "../contract/edit/edit.js";
import { compareSchemas } from "../diff/contract/compare-schemas.js";
import { defaultPolicy } from "../diff/finding.js";
import { type LintProblem, lintContract } from "./lint-contract.js";
import { isOtherDialect, readable } from "./reading.js";
import type { Mend, Profile } from "./rule.js";

/** The corrected contract, and the corrected problems. */
export interface Mended {
  readonly document: ContractDocument;
  /** Pointers refer to the contract before the corrections. */
  readonly mended: readonly MendedProblem[];
}

/** A problem with a known correction. */
type MendedProblem = LintProblem & { readonly mend: Mend };

/** Maximum number of rounds: a correction may reveal another problem, a few levels deep. */
const mostRounds = 20;

/**
 * Applies the certain corrections of a contract's problems to its text.
 *
 * A correction is applied if the schema accepts the same values with and without it, as `diff` compares
 * schemas, and if the text has a place for it. A finding that is a warning only because no selected profile
 * treats it as an error is not corrected.
 */
export async function mendContract(
  document: ContractDocument,
  profiles: readonly Profile[],
): Promise<Mended> {
  const mended: MendedProblem[] = [];
  let current = document;
  for (let round = 0; round < mostRounds; round++) {
    const problems = lintContract(current.contract, profiles).filter(isMendable);
    const certain = certainOf(problems, current.contract);
    const groups = certain.map(({ mend }) => mend.edits);
    const { document: next, made } = await editContract(current, groups);
    if (made.length === 0) break;
    mended.push(...made.map((index) => certain[index]!));
    current = next;
  }
  return { document: current, mended };
}

function isMendable(problem: LintProblem): problem is MendedProblem {
  return problem.mend !== undefined && (problem.level === "error" || problem.rule.level === "warning");
}

/** The problems whose corrections do not change which values a schema accepts. */
function certainOf(problems: readonly MendedProblem[], contract: Contract): MendedProblem[] {
  const bySchema = groupBy(problems, ({ mend }) =>
    pointer("", ...pointerTokens(placeOf(mend.edits[0]!)).slice(0, 3)),
  );
  return [...bySchema].flatMap(([at, of]) => {
    const schema = atPointer(contract as unknown as JsonObject, at) as JsonObject;
    return certainMends(of, schema, at);
  });
}

function certainMends(problems: readonly MendedProblem[], schema: JsonObject, at: string): MendedProblem[] {
  if (isCertain(problems, schema, at)) return [...problems];
  const certain: MendedProblem[] = [];
  for (const problem of problems) if (isCertain([...certain, problem], schema, at)) certain.push(problem);
  return certain;
}

function isCertain(problems: readonly MendedProblem[], schema: JsonObject, at: string): boolean {
  const editsOf = (of: readonly MendedProblem[]): Edit[] =>
    together(of.flatMap(({ mend }) => mend.edits)).map((edit) => relative(edit, at));
  const respelling = problems.filter(({ mend }) => mend.respells);
  const after = edited(schema, editsOf(problems)) as JsonObject;
  const isOlder = isOtherDialect(after["$schema"]);
  if (isOlder && respelling.length > 0) return false;
  // A schema invalid in 2020-12 is read with the meaning of older drafts.
  const isValid = readable(schema).parts.length === 0;
  const before = isValid ? schema : (edited(schema, editsOf(respelling)) as JsonObject);
  return (
    haveSameValues(before, after) &&
    // Hosts read a schema without `$schema` as 2020-12, whichever keywords it has.
    (isOlder || haveSameValues(before, { ...after, $schema: canonicalDialect }))
  );
}

function relative(edit: Edit, at: string): Edit {
  const inside = (place: string): string => place.slice(at.length);
  if ("remove" in edit) return { remove: inside(edit.remove) };
  if ("rename" in edit) return { ...edit, rename: inside(edit.rename) };
  return "replace" in edit
    ? { ...edit, replace: inside(edit.replace) }
    : { ...edit, after: inside(edit.after) };
}

/** Rules for differences that no value shows. */
const withoutValues = new Set([
  "schema-rewritten",
  "default-removed",
  "unreachable-changed",
  "definition-removed",
]);

/**
 * Whether two schemas accept the same values, as far as `diff` can decide. Unreadable parts must be
 * identical.
 */
function haveSameValues(before: JsonObject, after: JsonObject): boolean {
  if (jsonEqual(before, after)) return true;
  const [old, next] = [readable(before), readable(after)];
  const faults = ({ parts }: typeof old): string => canonicalText(parts.map(({ error }) => error.message));
  if (!old.schema || !next.schema || faults(old) !== faults(next)) return false;
  const part = { name: "schema", at: { old: "", new: "" }, method: null };
  const texts = { old: old.document, new: next.document };
  const pair = { part, noun: "value", pointer: "", writer: "client", ...texts } as const;
  const budgets = { old: new PatternBudget(), new: new PatternBudget() };
  return compareSchemas(pair, { policy: defaultPolicy, budgets }).every(({ rule }) =>
    withoutValues.has(rule),
  );
}
