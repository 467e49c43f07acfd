// The state of a search for issues, and how an issue is reported.
import type { Issue } from "../emitted/issue.js";
import type { DefinitionMemo } from "../ir/definition-memo.js";
import type { Matcher, Schema, SchemaNode } from "../ir/ir.js";
import { pointer } from "../ir/json.js";
import type { Facts } from "./facts.js";
import {
  type Key,
  alternatives,
  choiceText,
  nearest,
  placeText,
  scalarText,
  sentence,
  summaryOf,
  valueText,
} from "./text.js";
import type { Part, Unions } from "./tagged.js";

export type { Issue } from "../emitted/issue.js";

/** Maximum depth of nested definitions to search. Deeper definitions only get a verdict. */
export const deepestSearch = 64;

/** Maximum depth of nested subschemas to search definitions in, so that no schema exhausts the stack. */
export const deepestNode = 600;

/** Maximum depth of nested unions that are tried arm by arm. */
export const mostTrials = 3;

/** The facts about the schema that a search uses; they are the same for all values. */
export interface Subject {
  readonly schema: Schema;
  readonly facts: DefinitionMemo<Facts>;
  readonly unions: Unions;
  /** Whether a definition accepts a value, in the exact or the open reading. */
  readonly judge: (definition: string, value: unknown, open: boolean) => boolean;
  readonly matcher: (pattern: string) => Matcher;
  /** Returns the check of an asserted format. */
  readonly format: (name: string) => ((text: string) => boolean) | undefined;
}

/** The state of a search. */
export interface Search {
  readonly subject: Subject;
  /** Compares a part of the value with a part of the schema. */
  readonly compare: (search: Search, value: unknown, part: Part) => void;
  readonly issues: Issue[];
  readonly limit: number;
  readonly path: Key[];
  /** Number of definitions around the current place. */
  readonly level: number;
  /** Number of subschemas around the current place. */
  readonly depth: { nodes: number };
  /** Number of unions around the current place whose arms are being tried. */
  readonly trials: number;
  /** The open reading: open unions and sets accept values that later revisions may add. */
  readonly open: boolean;
  /** Only the verdict counts: issues have no text. */
  readonly silent: boolean;
}

/** Whether a part of the schema accepts a value. */
export function holds(search: Search, value: unknown, part: Part): boolean {
  const issues: Issue[] = [];
  const silent = { issues, limit: 1, path: [], level: deepestSearch, silent: true };
  search.compare({ ...search, ...silent }, value, part);
  return issues.length === 0;
}

/** Whether a definition accepts a value, in the reading of the search. */
export function isAccepted({ subject, open }: Search, value: unknown, definition: string): boolean {
  return subject.judge(definition, value, open);
}

/** Whether the search has found as many issues as requested. */
export function isFull({ issues, limit }: Search): boolean {
  return issues.length >= limit;
}

/** Calls `run` for a member or item: `key` is part of the path during the call. */
export function inside(search: Search, key: Key, run: () => void): void {
  search.path.push(key);
  run();
  search.path.pop();
}

interface Advice {
  readonly got?: string;
  readonly suggestion?: string | undefined;
  /** The misspelt name, if it is a key instead of the value. */
  readonly by?: string;
}

const silentIssue: Issue = { pointer: "", expected: "", got: "", message: "" };

export function report(search: Search, value: unknown, expected: string, advice: Advice = {}): void {
  if (isFull(search)) return;
  if (search.silent) return void search.issues.push(silentIssue);
  const { suggestion, got = valueText(value) } = advice;
  search.issues.push({
    pointer: pointer("", ...search.path),
    expected,
    got,
    ...(suggestion !== undefined && { suggestion }),
    message: sentence(placeText(search.path), expected, got, question(advice)),
  });
}

function question({ suggestion, by }: Advice): string {
  if (suggestion === undefined) return "";
  const instead = by === undefined ? "" : ` by ${scalarText(by)}`;
  return `; did you mean ${scalarText(suggestion)}${instead}?`;
}

/** Describes in a few words what a node expects. */
export function expectation({ subject }: Search, node: SchemaNode): string {
  const { values, types } = subject.facts.of(node);
  if (values) return choiceText(values);
  return types ? alternatives(types) : (node.ref ?? "value");
}

/** Suggests the nearest of several names for a value. */
export function near(value: unknown, names: readonly unknown[]): Advice {
  if (typeof value !== "string") return {};
  return { suggestion: nearest(value, names) };
}

/** Summarises `issues` in at most three lines and 400 characters. */
export function summary(issues: readonly Issue[]): string {
  return summaryOf(issues.map(({ message }) => message));
}
