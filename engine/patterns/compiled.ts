import type { Matcher, Schema, SchemaNode } from "../ir/ir.js";
import { SchemaError } from "../ir/schema-error.js";
import { type Refusal, matcherOf, refusalOf } from "./pattern.js";

/** A compiled pattern of `patternProperties`, and its subschema. */
interface MemberPattern {
  readonly pattern: Matcher;
  readonly child: SchemaNode;
}

/**
 * Returns the matcher of a node's `pattern`. The node must have one.
 *
 * @throws SchemaError if reading the schema made no matcher, and no safe matcher exists
 */
export function patternOf(node: SchemaNode, schema: Schema): Matcher {
  return matcherIn(schema, node.pattern!, node);
}

/**
 * Returns the matchers and subschemas of a node's `patternProperties`.
 *
 * @throws as `patternOf`
 */
export function memberPatternsOf(node: SchemaNode, schema: Schema): readonly MemberPattern[] {
  return [...(node.patternProperties ?? [])].map(([text, child]) => ({
    pattern: matcherIn(schema, text, node),
    child,
  }));
}

function matcherIn(schema: Schema, pattern: string, { pointer }: SchemaNode): Matcher {
  const matcher = schema.patterns?.get(pattern) ?? matcherOf(pattern);
  if (matcher) return matcher;
  throw new SchemaError("unsafe-pattern", pointer, unsafePattern(pattern));
}

const reasons: { readonly [reason in Refusal]: string } = {
  backreference:
    "could take time without bound: a backreference repeats a group that takes too many texts: expected a bounded group that is repeated in one place, or no backreference",
  size: "needs an automaton of more than 20,000 states, or of more than 30 lookarounds: expected smaller counts, or less lookaround",
  syntax: "cannot be judged: expected no syntax newer than ECMA-262 2024, and at most 200 nested groups",
};

/**
 * Words the error for a pattern without a safe matcher.
 *
 * @param isJudged `false` if the budget was spent before the pattern was analysed
 */
export function unsafePattern(pattern: string, isJudged = true): string {
  const shown = JSON.stringify(pattern).slice(0, 60);
  if (!isJudged)
    return `judging the patterns of the document takes too much work to come to ${shown}: expected one without backreferences, or simpler patterns beside it`;
  return `matching the pattern ${shown} ${reasons[refusalOf(pattern)]}`;
}
