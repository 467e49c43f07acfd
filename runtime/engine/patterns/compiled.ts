import type { SchemaNode } from "../ir.js";
import { SchemaError } from "../schema-error.js";
import { type Matcher, matcherOf } from "./pattern.js";

/** A pattern of `patternProperties`, compiled, and the subschema it leads to. */
export interface MemberPattern {
  readonly pattern: Matcher;
  readonly child: SchemaNode;
}

// Compiled once a node, and forgotten with it.
const ofStrings = new WeakMap<SchemaNode, Matcher>();
const ofMembers = new WeakMap<SchemaNode, readonly MemberPattern[]>();

/** The matcher of a node's `pattern`, which it must have. */
export function patternOf(node: SchemaNode): Matcher {
  let pattern = ofStrings.get(node);
  if (!pattern) ofStrings.set(node, (pattern = compiled(node.pattern!, node)));
  return pattern;
}

/** The patterns by which a node describes members. */
export function memberPatternsOf(node: SchemaNode): readonly MemberPattern[] {
  if (!node.patternProperties) return [];
  let patterns = ofMembers.get(node);
  if (!patterns) {
    patterns = [...node.patternProperties].map(([text, child]) => ({ pattern: compiled(text, node), child }));
    ofMembers.set(node, patterns);
  }
  return patterns;
}

function compiled(pattern: string, { pointer }: SchemaNode): Matcher {
  const matcher = matcherOf(pattern);
  if (matcher) return matcher;
  throw new SchemaError("unsafe-pattern", pointer, unsafePattern(pattern));
}

/** What is wrong with a pattern that nothing safe can be made of. */
export function unsafePattern(pattern: string): string {
  return `matching the pattern ${JSON.stringify(pattern).slice(0, 60)} could take time without bound: expected one without lookaround or backreferences beside repeats, and with small counts`;
}
