import type { ErrorCode, ProtocolModel } from "../../model/model.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Fact } from "../../compare/align/pair.js";
import type { MethodComparison } from "./direction.js";
import type { Context } from "./context.js";

/** Aligns errors by name, then by code: either side may write one. */
export function compareErrors(
  old: ProtocolModel,
  next: ProtocolModel,
  aligner: Aligner,
  { facts, roots }: MethodComparison,
): void {
  const writers = ["client", "server"] as const;
  const [before, after] = [byName(old), byName(next)];
  const gone = old.errors.filter((error) => !after.has(error.name) && !isKept(error, next, before));
  const come = next.errors.filter((error) => !before.has(error.name) && !isKept(error, old, after));
  const found = (fact: Fact, context: Context): void =>
    void facts.push({ fact, context, writers, methods: [] });

  for (const error of old.errors) {
    const other = after.get(error.name);
    if (other && other.code !== error.code)
      found(errorFact("error-code-changed", error, other, old, next), contextOf(error, other));
  }
  for (const error of gone)
    found(errorFact("error-removed", error, undefined, old, next), contextOf(error, error));
  for (const error of come)
    found(errorFact("error-added", undefined, error, old, next), contextOf(error, error));

  const numbered = byCode(next);
  for (const [code, error] of byCode(old)) {
    const other = numbered.get(code);
    if (!error.definition || !other?.definition) continue;
    const nodes = [
      old.schema.definitions.get(error.definition)!.node,
      next.schema.definitions.get(other.definition)!.node,
    ] as const;
    const pair = aligner.pair([nodes[0]], [nodes[1]]);
    roots.push({ pair, context: contextOf(error, other), writers, methods: [] });
  }
}

/** Whether the other side has the number under another name, which had no other number: the message is the same. */
function isKept(
  { code }: ErrorCode,
  { errors }: ProtocolModel,
  counterparts: ReadonlyMap<string, ErrorCode>,
): boolean {
  return errors.some((other) => other.code === code && (counterparts.get(other.name)?.code ?? code) === code);
}

function byName({ errors }: ProtocolModel): ReadonlyMap<string, ErrorCode> {
  return new Map(errors.map((error) => [error.name, error]));
}

/** The first of the names that share a code. */
function byCode({ errors }: ProtocolModel): ReadonlyMap<number, ErrorCode> {
  return new Map([...errors].reverse().map((error) => [error.code, error]));
}

function contextOf(a: ErrorCode, b: ErrorCode): Context {
  return { part: "definition", definition: [a.definition ?? "", b.definition ?? ""] };
}

function errorFact(
  rule: string,
  before: ErrorCode | undefined,
  after: ErrorCode | undefined,
  old: ProtocolModel,
  next: ProtocolModel,
): Fact {
  const name = (before ?? after)!.name;
  const place = (model: ProtocolModel, error: ErrorCode | undefined): string | null =>
    model.schema.definitions.get(error?.definition ?? "")?.node.pointer ?? null;
  const [from, to] = [before?.definition, after?.definition];
  return {
    rule,
    subject: { definition: name, path: "code" },
    old: before ? String(before.code) : null,
    new: after ? String(after.code) : null,
    at: { old: place(old, before), new: place(next, after) },
    ...(rule === "error-code-changed" &&
      from !== undefined &&
      to !== undefined && {
        narrowed: ({ old: make }) => [make.minimal([old.schema.definitions.get(from)!.node])],
        widened: ({ new: make }) => [make.minimal([next.schema.definitions.get(to)!.node])],
      }),
  };
}
