import { type Schema, referencesOf } from "@mcpgen/engine";
import { type Method, type ProtocolModel, type Role, answersOf, opposite } from "../../model/model.js";
import type { NoteProblem } from "../../notes/apply.js";
import type { Fact } from "../../compare/align/pair.js";
import { locationOf } from "../../compare/location.js";

/** The definitions that messages and results contain, and the roles that write them. */
export interface Parts {
  /** The definitions that any message or result contains. */
  readonly held: ReadonlySet<string>;
  /** The writing roles by definition; definitions outside of messages have no entry. */
  readonly writers: ReadonlyMap<string, ReadonlySet<Role>>;
  /** The methods whose messages or results contain a definition. */
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
  // Computed on request, because storing the parts of every message would take too much memory.
  const methodsOf = (definition: string): string[] => {
    const methods = model.methods.filter((method) =>
      held(model.schema, [method.message, ...answersOf(method)], below).has(definition),
    );
    return [...new Set(methods.map(({ name }) => name))];
  };
  return { held: heldBy(model, () => true, below), writers, methodsOf };
}

/** The definitions that messages and results of the given methods contain. */
export function heldBy(
  { schema, methods }: ProtocolModel,
  isMeant: (method: Method) => boolean,
  below = new Map<string, ReadonlySet<string>>(),
): ReadonlySet<string> {
  const roots = methods.filter(isMeant).flatMap((method) => [method.message, ...answersOf(method)]);
  return held(schema, roots, below);
}

function writtenBy(role: Role, method: Method): string[] {
  return [
    ...(method.senders.includes(role) ? [method.message] : []),
    ...(method.senders.includes(opposite(role)) ? answersOf(method) : []),
  ];
}

/** Names of all definitions reachable from the given ones. References of each definition are cached. */
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

/** Facts about two files apart from their schemas. */
export interface Origins {
  /** The JSON Schema dialect in which the old file was written originally. */
  readonly old: string;
  /** The dialect of the new file. */
  readonly new: string;
  /** Set if both files are publications of the same revision. */
  readonly published?: Published;
}

/** Two publications of one revision. */
export interface Published {
  readonly revision: string;
  /** SHA-256 of the file as first published, and as published now. */
  readonly old: string;
  readonly new: string;
  /** Notes of the revision whose target is missing in the new file, or which change nothing there. */
  readonly dropped: readonly NoteProblem[];
}

/** Facts about changes of the files and their notes. */
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

/**
 * Reports only corrections that no longer apply. Other notes state facts outside of the schema, which people
 * confirm or drop.
 */
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
