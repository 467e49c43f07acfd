import type { SchemaNode } from "./ir.js";

/** A pattern of `patternProperties`, compiled, and the subschema it leads to. */
export interface MemberPattern {
  readonly pattern: RegExp;
  readonly child: SchemaNode;
}

// Compiled once a node, and forgotten with it.
const ofStrings = new WeakMap<SchemaNode, RegExp>();
const ofMembers = new WeakMap<SchemaNode, readonly MemberPattern[]>();

/** The regular expression of a node's `pattern`, which it must have. */
export function patternOf(node: SchemaNode): RegExp {
  let pattern = ofStrings.get(node);
  if (!pattern) ofStrings.set(node, (pattern = new RegExp(node.pattern!, "u")));
  return pattern;
}

/** The patterns by which a node describes members. */
export function memberPatternsOf(node: SchemaNode): readonly MemberPattern[] {
  if (!node.patternProperties) return [];
  let patterns = ofMembers.get(node);
  if (!patterns) {
    patterns = [...node.patternProperties].map(([text, child]) => ({
      pattern: new RegExp(text, "u"),
      child,
    }));
    ofMembers.set(node, patterns);
  }
  return patterns;
}
