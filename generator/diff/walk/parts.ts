import { type Schema, referencesOf } from "@mcpgen/engine";
import { type Method, type ProtocolModel, type Role, opposite } from "../../model/model.js";
import { resultsOf } from "../../model/pairing.js";
import type { NoteProblem } from "../../notes/apply.js";
import type { Fact } from "../../compare/align/pair.js";
import { locationOf } from "../../compare/location.js";

/** The definitions that messages and results contain, and the roles that write them. */
export interface Parts {
  /** The definitions that any message or result holds. */
  readonly held: ReadonlySet<string>;
  /** By definition; definitions that no message contains have no entry. */
  readonly writers: ReadonlyMap<string, ReadonlySet<Role>>;
  /** The methods whose messages or results hold a definition. */
  readonly methodsOf: (definition: string) => string[];
}

export function partsOf(model: ProtocolModel): Parts {
  const writers = new Map<string, Set<Role>>();
  const below = new Map<string, ReadonlySet<string>>();
  for (const role of ["client", "server"] as const) {
    const roots = model.methods.flatMap((method) => writtenBy(role, method));
    for (const name of held(model.schema, roots, below))
      writers.set(name, (writers.get(name) ?? new Set()).add(role));
  }
  // Computed on request: the parts of every message would take too much memory.
  const methodsOf = (definition: string): string[] => {
    const methods = model.methods.filter((method) =>
      held(model.schema, [method.message, ...resultsOf(method)], below).has(definition),
    );
    return [...new Set(methods.map(({ name }) => name))];
  };
  return { held: heldBy(model, () => true, below), writers, methodsOf };
}

/** The definitions that messages and results of some methods hold. */
export function heldBy(
  { schema, methods }: ProtocolModel,
  isMeant: (method: Method) => boolean,
  below = new Map<string, ReadonlySet<string>>(),
): ReadonlySet<string> {
  const roots = methods.filter(isMeant).flatMap((method) => [method.message, ...resultsOf(method)]);
  return held(schema, roots, below);
}

function writtenBy(role: Role, method: Method): string[] {
  return [
    ...(method.senders.includes(role) ? [method.message] : []),
    ...(method.senders.includes(opposite(role)) ? resultsOf(method) : []),
  ];
}

/** Names of all definitions reachable from some; each definition's own references are looked up once. */
export function held(
  schema: Schema,
  roots: Iterable<string>,
  below: Map<string, ReadonlySet<string>>,
): Set<string> {
  const seen = new Set<string>(roots);
  for (const name of seen) {
    let references = below.get(name);
    const node = schema.definitions.get(name)?.node;
    if (!references) below.set(name, (references = node ? referencesOf(node) : new Set()));
    for (const reference of references) seen.add(reference);
  }
  return seen;
}

/** The facts about two files beside their schemas. */
export interface Origins {
  /** The dialect the old file was written in when it came. */
  readonly old: string;
  /** The same of the new file. */
  readonly new: string;
  /** The revision, if both files are of one. */
  readonly published?: Published;
}

/** One revision, published twice. */
export interface Published {
  readonly revision: string;
  /** sha256 of the file as it was published first, and as it is now. */
  readonly old: string;
  readonly new: string;
  /** Notes of the revision that lead nowhere in the new file, or change nothing there. */
  readonly dropped: readonly NoteProblem[];
}

/** The changes of the files and of the notes on them. */
export function compareFiles({ old, new: next, published }: Origins): Fact[] {
  const facts: Fact[] = [];
  if (old !== next) facts.push(fileFact("dialect-changed", "$schema", old, next));
  if (!published || published.old === published.new) return facts;
  const [before, after] = [published.old, published.new].map((sum) => `sha256 ${sum.slice(0, 12)}`);
  facts.push(fileFact("published-file-changed", published.revision, before!, after!));
  return [...facts, ...published.dropped.flatMap(staleErrata)];
}

function fileFact(rule: string, definition: string, old: string, next: string): Fact {
  return { rule, subject: { definition, path: "" }, old, new: next, at: { old: "", new: "" } };
}

/** Reports corrections only: other notes state what no schema can, and people confirm or drop them. */
function staleErrata({ code, note, target, message }: NoteProblem): Fact[] {
  if (note.kind !== "errata" || code === "MG1201") return [];
  const rule = code === "MG1202" ? "errata-missing-target" : "errata-stale";
  return [
    {
      rule,
      subject: locationOf(target),
      old: "corrected by a note",
      new: message,
      at: { old: target, new: null },
    },
  ];
}
