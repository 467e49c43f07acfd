// Explains why a schema refuses a value. Loaded only after a refusal: small and clear rather than fast.
import { isObject } from "../emitted/shared-checks.js";
import type { Matcher, Schema, SchemaNode } from "../ir/ir.js";
import { Tags } from "../ir/tag.js";
import { equals, factsIn, hasType, isUnlisted, listedBy } from "./facts.js";
import { compareArray, compareObject, compareRest } from "./members.js";
import { compareNumber, compareString } from "./scalars.js";
import {
  type Issue,
  type Search,
  type Subject,
  deepestNode,
  deepestSearch,
  expectation,
  holds,
  isAccepted,
  isFull,
  near,
  report,
} from "./search.js";
import { type Part, Unions, isTagged, isUntagged } from "./tagged.js";
import { compareArms, compareOneOf, compareTagged } from "./unions.js";

/** The search ends after this many issues. */
const enoughIssues = 16;

export interface ExplainOptions {
  /** Whether a definition accepts a value, in the exact or the open reading. The explainer trusts this verdict. */
  readonly judge: (definition: string, value: unknown, open: boolean) => boolean;
  /** Returns the matcher of a pattern; by default the schema's own, or else a `RegExp`. */
  readonly matcher?: (pattern: string) => Matcher;
  /** Checks of the asserted formats, by name; by default, formats are annotations. */
  readonly formats?: ReadonlyMap<string, (text: string) => boolean>;
}

/** Explains the values that one schema refuses. */
export class Explainer {
  readonly #subject: Subject;

  constructor(schema: Schema, { judge, matcher, formats }: ExplainOptions) {
    this.#subject = {
      schema,
      facts: factsIn(schema),
      unions: new Unions(new Tags(schema)),
      judge,
      matcher: matcher ?? ((pattern) => schema.patterns?.get(pattern) ?? new RegExp(pattern, "u")),
      format: (name) => formats?.get(name),
    };
  }

  /**
   * Returns the issues of a value by a node of the schema; an empty list if the node accepts the value. Searches at
   * most 64 nested definitions, or 600 nested subschemas.
   *
   * @param limit the number of issues at which the search ends
   */
  issues(node: SchemaNode, value: unknown, reading?: "open", limit = enoughIssues): Issue[] {
    const issues: Issue[] = [];
    compareNode(
      {
        ...{ subject: this.#subject, compare: comparePart, issues, limit, path: [] },
        ...{ level: 0, depth: { nodes: 0 }, trials: 0, open: reading === "open", silent: false },
      },
      value,
      node,
    );
    return issues;
  }
}

function comparePart(search: Search, value: unknown, part: Part): void {
  if (isTagged(part)) compareTagged(search, value, part);
  else if (isUntagged(part)) compareArms(search, value, part.untagged);
  else compareNode(search, value, part);
}

function compareNode(search: Search, value: unknown, node: SchemaNode): void {
  if (isFull(search)) return;
  if (node.never) return report(search, value, "nothing");
  search.depth.nodes++;
  compareKeywords(search, value, node);
  search.depth.nodes--;
}

function compareKeywords(search: Search, value: unknown, node: SchemaNode): void {
  if (search.open && isUnlisted(value, node)) return compareUnlisted(search, value, node);
  if (!compareOwn(search, value, node)) return;
  compareCombined(search, value, node);
  compareRest(search, value, node);
}

/** Compares a value that only the open reading accepts with the keywords that do not list values or arms. */
function compareUnlisted(search: Search, value: unknown, node: SchemaNode): void {
  const { anyOf, oneOf, ...others } = node;
  const isUnion = (anyOf ?? oneOf) !== undefined;
  if (isUnion) compareOwn(search, value, others);
  // In any other open node, the tag alone decides.
  if (isUnion || node.const || node.enum) compareCombined(search, value, others);
}

/** Compares with all keywords that do not combine subschemas. Returns false for a wrong type or an unlisted value. */
function compareOwn(search: Search, value: unknown, node: SchemaNode): boolean {
  const listed = listedBy(node);
  const isAllowed = listed ? listed.some((each) => equals(each, value)) : hasType(value, node.types);
  if (!isAllowed) {
    report(search, value, expectation(search, node), near(value, listed && listed.length > 1 ? listed : []));
    return false;
  }
  if (typeof value === "number") compareNumber(search, value, node);
  else if (typeof value === "string") compareString(search, value, node);
  else if (Array.isArray(value)) compareArray(search, value, node);
  else if (isObject(value)) compareObject(search, value, node);
  return true;
}

function compareCombined(search: Search, value: unknown, node: SchemaNode): void {
  const union = node.anyOf && search.subject.unions.of(node.anyOf);
  if (union && isTagged(union)) compareTagged(search, value, union);
  if (node.ref !== undefined) compareDefinition(search, value, node.ref);
  for (const part of node.allOf ?? []) compareNode(search, value, part);
  if (union && !isTagged(union)) comparePart(search, value, union);
  if (node.oneOf) compareOneOf(search, value, node.oneOf);
  if (node.not && holds(search, value, node.not))
    report(search, value, `anything but ${expectation(search, node.not)}`);
  if (!node.if) return;
  const branch = holds(search, value, node.if) ? node.then : node.else;
  if (branch) compareNode(search, value, branch);
}

function compareDefinition(search: Search, value: unknown, name: string): void {
  if (isAccepted(search, value, name)) return;
  const before = search.issues.length;
  const { node } = search.subject.schema.definitions.get(name)!;
  if (search.level < deepestSearch && search.depth.nodes < deepestNode && !search.silent)
    compareNode({ ...search, level: search.level + 1 }, value, node);
  if (search.issues.length === before) report(search, value, name);
}
