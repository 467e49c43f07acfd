import type { Matcher, Schema, SchemaNode } from "../ir/ir.js";
import { SchemaError } from "../ir/schema-error.js";
import { matcherOf } from "./pattern.js";

/** A pattern of `patternProperties`, compiled, and the subschema it leads to. */
interface MemberPattern {
  readonly pattern: Matcher;
  readonly child: SchemaNode;
}

/**
 * The matcher of a node's `pattern`, which it must have.
 *
 * @throws SchemaError where none was made when the schema was read, and none is safe
 */
export function patternOf(node: SchemaNode, schema: Schema): Matcher {
  return matcherIn(schema, node.pattern!, node);
}

/**
 * The patterns by which a node describes members.
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

/** What is wrong with a pattern that nothing safe can be made of, or that was not judged for want of work. */
export function unsafePattern(pattern: string, isJudged = true): string {
  const shown = JSON.stringify(pattern).slice(0, 60);
  if (!isJudged)
    return `judging the patterns of the document takes too much work to come to ${shown}: expected one without lookaround or backreferences, or simpler patterns beside it`;
  return `matching the pattern ${shown} could take time without bound: expected one without lookaround or backreferences beside repeats, and with small counts`;
}
