import { parseTree } from "jsonc-parser";
import {
  type JsonObject,
  atPointer,
  canonicaliseWithOrigins,
  isJsonObject,
  pointerTokens,
} from "@mcpgen/engine";
import { relevantTo } from "../../diff/contract/for-contract.js";
import { diffModels } from "../../diff/diff-models.js";
import { type Finding as Difference, type Policy, subjectText } from "../../diff/finding.js";
import type { Approved } from "../../diff/policy/approvals.js";
import {
  type FailOn,
  type Report,
  type ReportOptions,
  type ReportedFinding,
  reportOf,
} from "../../diff/report/report.js";
import type { Published } from "../../diff/walk/parts.js";
import type { ContractSource } from "../contract-source.js";
import type { Source } from "./source.js";
import type { Finding } from "../../diagnostics/coded-error.js";
import type { JsonFile } from "../../files/json-file.js";

/** How findings are evaluated, and for which role. */
export interface Evaluation {
  readonly policy: Policy & { readonly failOn: FailOn };
  readonly role: Report["role"];
  readonly baseline: ReportOptions["baseline"];
  readonly approvalsOf: (differences: readonly Difference[]) => Approved;
  /** Set if both sources belong to one revision. */
  readonly published?: Published | undefined;
  /** Restricts the report to differences that affect the server of this contract. */
  readonly contract?: ContractSource | undefined;
}

/** The report of a comparison, and which approvals applied. */
export interface Evaluated {
  readonly report: Report;
  readonly approved: Approved;
}

/** Evaluates differences between protocols or contracts. */
export function evaluate(
  differences: readonly Difference[],
  { policy, role, baseline, approvalsOf }: Evaluation,
  options: Pick<ReportOptions, "from" | "to" | "placesOf" | "notes" | "isPartial">,
): Evaluated {
  const approved = approvalsOf(differences);
  const { readers, failOn } = policy;
  return {
    report: reportOf(differences, { ...options, role, readers, failOn, approved, baseline }),
    approved,
  };
}

/** Compares two sources and evaluates the findings, with their lines in both files. */
export function compareSources(old: Source, next: Source, evaluation: Evaluation): Evaluated {
  const { policy, published, contract } = evaluation;
  const models = [old.loaded.model, next.loaded.model] as const;
  const all = diffModels(...models, policy, {
    old: old.dialect,
    new: next.dialect,
    ...(published && { published }),
  });
  const differences = contract ? relevantTo(all, models, contract.contract) : all;
  return evaluate(differences, evaluation, {
    from: old.name,
    to: next.name,
    placesOf: placesIn(old, next, differences),
    notes: [
      ...(contract
        ? [`Only what a server of ${contract.name} can meet: ${differences.length} of ${all.length}.`]
        : []),
      ...notesOn(old, next),
    ],
  });
}

/** The file of one side, and its path in messages. */
type Shown = Pick<Source, "file" | "shown">;

/** Returns a function that finds the lines of a difference in both files. */
export function placesIn(
  old: Shown,
  next: Shown,
  differences: readonly Difference[],
): (finding: Difference) => ReportedFinding["at"] {
  if (differences.length === 0) return () => ({ old: null, new: null });
  const [oldLine, newLine] = [lineFinder(old.file), lineFinder(next.file)];
  return ({ pointers }) => ({
    old: pointers.old === null ? null : { file: old.shown, line: oldLine(pointers.old) },
    new: pointers.new === null ? null : { file: next.shown, line: newLine(pointers.new) },
  });
}

/**
 * Annotations for a difference: at the code that uses the changed part, else at its line in the schema.
 * Compatible changes get none.
 *
 * @param side the side whose schema has the line, if both have one
 */
export function annotated(
  { worst, at, rule, subject, why, advice, fails, approval, uses = [] }: ReportedFinding,
  side: "old" | "new",
): Finding[] {
  if ((worst === "safe" && !fails) || approval) return [];
  const places = uses.length > 0 ? uses : [at[side] ?? at.old ?? at.new];
  return places.map((place) => ({
    code: worst === "breaking" ? "MG3201" : "MG3202",
    severity: fails ? "error" : "warning",
    message: `${rule}: ${subjectText(subject)}: ${why}`,
    next: advice,
    ...(place && { place }),
  }));
}

/** Notes on what the comparison assumed or omitted. */
function notesOn(old: Source, next: Source): string[] {
  const notes: string[] = [];
  for (const { name, withoutNotes, loaded } of [old, next]) {
    if (!withoutNotes) continue;
    const assumed = loaded.assumptions.length;
    notes.push(
      `${name} is read without notes; ${assumed} ${assumed === 1 ? "thing was" : "things were"} assumed from the schema alone.`,
    );
  }
  if (![old, next].every(hasProse)) notes.push("Descriptions were not compared: not both schemas have them.");
  return [...notes, "Not visible in a schema: HTTP headers, transports, authorization."];
}

function hasProse({ loaded }: Source): boolean {
  return [...loaded.model.schema.definitions.values()].some(({ node }) => node.description !== undefined);
}

/** Returns a function that maps a JSON Pointer into the canonical schema to a line of the original file. */
export function lineFinder({ text, value }: JsonFile): (pointer: string) => number {
  const { canonical, origins } = canonicaliseWithOrigins(value);
  const root = parseTree(text);
  const starts = lineStarts(text);
  const members = new Map<Tree, ReadonlyMap<string, Tree>>();
  const known = new Map<string, number>();
  const find = (pointer: string): number => {
    if (!root) return 1;
    const tokens = pointerTokens(originOf(canonical, origins, pointer));
    for (let length = tokens.length; length >= 0; length--) {
      const node = nodeAt(root, tokens.slice(0, length), members);
      if (node) return lineAt(starts, node.offset);
    }
    return 1;
  };
  return (pointer) => {
    const line = known.get(pointer) ?? find(pointer);
    known.set(pointer, line);
    return line;
  };
}

/**
 * The pointer into the original file for the schema object at a canonical pointer, or for the nearest object
 * around it.
 */
function originOf(canonical: JsonObject, origins: ReadonlyMap<JsonObject, string>, pointer: string): string {
  for (let at = pointer; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const object = atPointer(canonical, at);
    const origin = isJsonObject(object) ? origins.get(object) : undefined;
    if (origin !== undefined) return origin;
  }
  return "";
}

type Tree = NonNullable<ReturnType<typeof parseTree>>;

/** @param known members of nodes by token, kept because searching among many siblings is slow */
function nodeAt(
  root: Tree,
  tokens: readonly string[],
  known: Map<Tree, ReadonlyMap<string, Tree>>,
): Tree | undefined {
  let node: Tree | undefined = root;
  for (const token of tokens) {
    if (!node) return undefined;
    let members = known.get(node);
    if (!members) known.set(node, (members = membersOf(node)));
    node = members.get(token);
  }
  return node;
}

/** The members of an object or array by token. For a duplicate key, the first value. */
function membersOf({ type, children = [] }: Tree): Map<string, Tree> {
  const members = new Map<string, Tree>();
  for (const [index, child] of children.entries()) {
    const [key, value] = child.children ?? [];
    const token = type === "array" ? String(index) : String(key?.value);
    const found = type === "array" ? child : value;
    if (found && !members.has(token)) members.set(token, found);
  }
  return members;
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

/** The line that contains an offset, counted from 1. */
function lineAt(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= offset) low = middle;
    else high = middle;
  }
  return low + 1;
}
