import {
  type JsonObject,
  PatternBudget,
  atPointer,
  canonicalDialect,
  canonicalText,
  jsonEqual,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import type { Contract, ContractDocument } from "../contract/contract.js";
import { editContract } from "../contract/edit/edit-contract.js";
import { type Edit, edited, placeOf, together } from "../contract/edit/edit.js";
import { compareSchemas } from "../diff/contract/compare-schemas.js";
import { defaultPolicy } from "../diff/finding.js";
import { type LintProblem, lintContract } from "./lint-contract.js";
import { isOtherDialect, readable } from "./reading.js";
import type { Mend, Profile } from "./rule.js";

/** A contract after what could be mended, and the problems that are gone. */
export interface Mended {
  readonly document: ContractDocument;
  /** Places are those before. */
  readonly mended: readonly MendedProblem[];
}

/** A problem for which a mend is known. */
type MendedProblem = LintProblem & { readonly mend: Mend };

/** A mend may bring another problem to light, a few levels deep. */
const mostRounds = 20;

/**
 * Makes the mends of a contract's problems that are certain, in its text.
 *
 * A mend is made if the schema accepts the same values without it and with it, as `diff` compares schemas, and if the text
 * has a place for it. A finding that is a warning only because the profiles that take it for an error are not selected
 * stays as it is.
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
  return problem.mend !== undefined && problem.level === problem.rule.level;
}

/** The problems whose mends leave each schema as it is for values. */
function certainOf(problems: readonly MendedProblem[], contract: Contract): MendedProblem[] {
  const bySchema = new Map<string, MendedProblem[]>();
  for (const problem of problems) {
    const at = pointer("", ...pointerTokens(placeOf(problem.mend.edits[0]!)).slice(0, 3));
    bySchema.set(at, [...(bySchema.get(at) ?? []), problem]);
  }
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
  // What is invalid in 2020-12 has the meaning of the older words.
  const isValid = readable(schema).parts.length === 0;
  const before = isValid ? schema : (edited(schema, editsOf(respelling)) as JsonObject);
  return (
    haveSameValues(before, after) &&
    // Hosts read a schema that declares no dialect as one of 2020-12, whatever words are in it.
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

/** Differences that no value shows. */
const withoutValues = new Set([
  "schema-rewritten",
  "default-removed",
  "unreachable-changed",
  "definition-removed",
]);

/** Whether two schemas accept the same values, as far as `diff` can say. Parts that cannot be read must be the same. */
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
