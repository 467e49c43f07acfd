import type { Kind } from "./kind.js";

/**
 * The kinds that a value can be of, as TypeScript narrows them, and, for a kind, the only constants. A value that a
 * type predicate narrowed, or that is narrowed to `never`, is not followed.
 */
export type Known = ReadonlyMap<Kind, "all" | ReadonlySet<string>> | typeof lost;

export const lost = "lost";

/** The facts about references, by their text. A local without a value is followed, without facts. */
export type Flow = ReadonlyMap<string, Known | undefined>;

const text = String.raw`"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'`;
/** A local, or a member of one by a constant name or index. */
const referenceText = new RegExp(String.raw`^([A-Za-z_$][\w$]*)(?:\[(?:${text}|\d+)\])?$`);

/** Whether `written` is a value that narrows: a local that is followed, or a member of one. */
export function isTracked(flow: Flow, written: string): boolean {
  const root = referenceText.exec(written)?.[1];
  return root !== undefined && flow.has(root);
}

export function knownOf(flow: Flow, reference: string): Known | undefined {
  const root = referenceText.exec(reference)![1]!;
  return root !== reference && flow.get(root) === lost ? lost : flow.get(reference);
}

export function isOnly(known: Known | undefined, kind: Kind): boolean {
  return known !== undefined && known !== lost && known.size === 1 && known.has(kind);
}

export function isComparable(known: Known | undefined, literal: string): boolean {
  if (known === undefined) return true;
  if (known === lost) return false;
  const values = known.get(kindOfLiteral(literal));
  return values !== undefined && (values === "all" || values.has(literal));
}

function kindOfLiteral(literal: string): Kind {
  if (literal === "null") return "null";
  if (literal === "true" || literal === "false") return "boolean";
  return /^["']/.test(literal) ? "string" : "number";
}

export function ofKind(flow: Flow, reference: string, kind: Kind): Flow {
  return changedBy(flow, reference, (known) => {
    if (known === undefined) return new Map([[kind, "all" as const]]);
    const values = known === lost ? undefined : known.get(kind);
    return values === undefined ? lost : new Map([[kind, values]]);
  });
}

export function notOfKind(flow: Flow, reference: string, kind: Kind): Flow {
  return changedBy(flow, reference, (known) => {
    if (known === undefined || known === lost) return known;
    const others = new Map([...known].filter(([other]) => other !== kind));
    return others.size === 0 ? lost : others;
  });
}

export function equalTo(flow: Flow, reference: string, literal: string): Flow {
  return changedBy(flow, reference, () => new Map([[kindOfLiteral(literal), new Set([literal])]]));
}

export function notEqualTo(flow: Flow, reference: string, literal: string): Flow {
  const kind = kindOfLiteral(literal);
  return changedBy(flow, reference, (known) => {
    if (known === undefined || known === lost) return known;
    const before = known.get(kind);
    if (before === undefined || (before === "all" && kind !== "boolean" && kind !== "null")) return known;
    const all = kind === "boolean" ? ["true", "false"] : ["null"];
    const left = (before === "all" ? all : [...before]).filter((value) => value !== literal);
    const others = new Map(known);
    if (left.length > 0) others.set(kind, new Set(left));
    else others.delete(kind);
    return others.size === 0 ? lost : others;
  });
}

function changedBy(
  flow: Flow,
  reference: string,
  change: (known: Known | undefined) => Known | undefined,
): Flow {
  const changed = new Map(flow);
  const known = change(knownOf(flow, reference));
  if (known !== undefined || isLocal(reference)) changed.set(reference, known);
  else changed.delete(reference);
  return changed;
}

export function joined(a: Flow | undefined, b: Flow | undefined): Flow | undefined {
  if (!a || !b || a === b) return a ?? b;
  const result = new Map<string, Known | undefined>();
  for (const [reference, known] of a) {
    // A local that is declared on one way only is not read after the ways join.
    const both = isLocal(reference) && !b.has(reference) ? known : joinedKnown(known, b.get(reference));
    if (both !== undefined || isLocal(reference)) result.set(reference, both);
  }
  for (const [reference, known] of b) {
    if (!a.has(reference) && isLocal(reference)) result.set(reference, known);
  }
  return result;
}

/** Whether `later` knows as much as `flow` of the locals that `flow` has. */
export function agrees(flow: Flow, later: Flow): boolean {
  for (const [reference, known] of later) {
    const root = referenceText.exec(reference)![1]!;
    if (flow.has(root) && !isSame(known, flow.get(reference))) return false;
  }
  for (const reference of flow.keys()) if (!later.has(reference)) return false;
  return true;
}

function isSame(a: Known | undefined, b: Known | undefined): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || a === lost || b === lost || a.size !== b.size) return false;
  for (const [kind, values] of a) {
    const others = b.get(kind);
    if (others === values) continue;
    if (others === undefined || others === "all" || values === "all") return false;
    if (others.size !== values.size || [...values].some((value) => !others.has(value))) return false;
  }
  return true;
}

function joinedKnown(a: Known | undefined, b: Known | undefined): Known | undefined {
  if (a === undefined || b === undefined) return undefined;
  if (a === lost || b === lost) return a === b ? a : lost;
  const result = new Map(a);
  for (const [kind, values] of b) {
    const others = result.get(kind);
    if (others === undefined) result.set(kind, values);
    else result.set(kind, values === "all" || others === "all" ? "all" : new Set([...values, ...others]));
  }
  return result;
}

function isLocal(reference: string): boolean {
  return /^[\w$]+$/.test(reference);
}
