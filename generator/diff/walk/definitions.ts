import { naturalCompare, pointer } from "@mcpgen/engine";
import { hasMember } from "../../model/object-view.js";
import type { Aligner } from "../../compare/align/aligner.js";
import type { Fact, Pair } from "../../compare/align/pair.js";
import { formSignature } from "../../compare/align/signature.js";
import type { FormReader } from "../../compare/shape/form-reader.js";
import type { Parts } from "./parts.js";

/** The changes of names: they do not change messages, but code that names a type depends on them. */
export function compareDefinitions(
  aligner: Aligner,
  met: Iterable<Pair>,
  parts: readonly [Parts, Parts],
): Fact[] {
  const [old, next] = [aligner.old.schema, aligner.new.schema];
  const partners = partnersOf(met);
  const gone = [...old.definitions.keys()].filter((name) => !next.definitions.has(name));
  const come = new Set([...next.definitions.keys()].filter((name) => !old.definitions.has(name)));
  const renamed = renames(gone, come, partners, aligner);
  const facts = [...renamed].map(([from, to]) =>
    fact("definition-renamed", [from, to].sort(naturalCompare)[0]!, from, to),
  );
  for (const name of gone) {
    if (renamed.has(name)) continue;
    facts.push(
      fact(partners.inlined.has(name) ? "definition-inlined" : "definition-removed", name, name, null),
    );
  }
  const taken = new Set(renamed.values());
  for (const name of come) {
    if (taken.has(name)) continue;
    facts.push(
      fact(partners.extracted.has(name) ? "definition-extracted" : "definition-added", name, null, name),
    );
  }
  for (const name of old.definitions.keys()) {
    if (!next.definitions.has(name)) continue;
    const rule = changeOf(name, aligner, partners, parts);
    if (rule !== undefined) facts.push(fact(rule, name, name, name));
  }
  return facts;
}

/** Which definitions have been compared with which, and which with no definition. */
interface Partners {
  readonly ofOld: ReadonlyMap<string, ReadonlySet<string>>;
  readonly ofNew: ReadonlyMap<string, ReadonlySet<string>>;
  readonly inlined: ReadonlySet<string>;
  readonly extracted: ReadonlySet<string>;
}

function partnersOf(met: Iterable<Pair>): Partners {
  const ofOld = new Map<string, Set<string>>();
  const ofNew = new Map<string, Set<string>>();
  const inlined = new Set<string>();
  const extracted = new Set<string>();
  const add = (map: Map<string, Set<string>>, key: string, value: string): void =>
    void map.set(key, (map.get(key) ?? new Set()).add(value));
  const places = [...met].flatMap(({ old, new: next, arms }) => [
    [old.definition, next.definition],
    ...arms.map((arm) => [arm.old, arm.new]),
  ]);
  for (const [a, b] of places) {
    if (a !== undefined && b !== undefined) {
      add(ofOld, a, b);
      add(ofNew, b, a);
    } else if (a !== undefined) inlined.add(a);
    else if (b !== undefined) extracted.add(b);
  }
  return { ofOld, ofNew, inlined, extracted };
}

/** By what the walk compared, else by shape alone. */
function renames(
  gone: readonly string[],
  come: ReadonlySet<string>,
  { ofOld }: Partners,
  aligner: Aligner,
): Map<string, string> {
  const renamed = new Map<string, string>();
  const taken = new Set<string>();
  const take = (from: string, to: string | undefined): void => {
    if (to === undefined) return;
    renamed.set(from, to);
    taken.add(to);
  };
  for (const name of gone) {
    take(
      name,
      [...(ofOld.get(name) ?? [])].sort(naturalCompare).find((other) => come.has(other) && !taken.has(other)),
    );
  }
  const left = gone.filter((name) => !renamed.has(name));
  if (left.length === 0) return renamed;
  const others = [...come]
    .filter((name) => !taken.has(name))
    .map((name) => [name, shapeOf(aligner.new, name)] as const);
  for (const name of left) {
    const shape = shapeOf(aligner.old, name);
    take(name, others.find(([other, otherShape]) => !taken.has(other) && otherShape === shape)?.[0]);
  }
  return renamed;
}

function shapeOf(reader: FormReader, name: string): string {
  const form = reader.of([reader.schema.definitions.get(name)!.node]);
  const shape = formSignature(reader, form);
  // Plain scalars and empty objects of different meaning have equal forms: only their names distinguish them.
  return form.members.some(({ properties }) => properties.size > 0) ? shape : `${name}: ${shape}`;
}

/** Unions that only list the messages of one role. */
const lists = /^(Client|Server)(Request|Notification|Result)$/;

/** The change of a definition that both revisions have. */
function changeOf(
  name: string,
  aligner: Aligner,
  { ofOld, ofNew }: Partners,
  parts: readonly [Parts, Parts],
): string | undefined {
  const [partners, others] = [ofOld.get(name), ofNew.get(name)];
  if (partners?.has(name)) return undefined;
  if (partners && others) return "definition-meaning-changed";
  // Messages themselves are not compared by name: their params and results are.
  if (lists.test(name) || parts.every(({ held }) => held.has(name))) return undefined;
  const texts = [aligner.old, aligner.new].map((reader) =>
    formSignature(reader, reader.of([reader.schema.definitions.get(name)!.node])),
  );
  if (texts[0] === texts[1]) return undefined;
  if (partners || others) return "definition-meaning-changed";
  const isAnswer = [aligner.old, aligner.new].every(({ schema }) =>
    hasMember(schema, schema.definitions.get(name)!.node, "result"),
  );
  return isAnswer ? undefined : "unreachable-changed";
}

function fact(rule: string, subject: string, old: string | null, next: string | null): Fact {
  const at = (name: string | null): string | null => (name === null ? null : pointer("/$defs", name));
  return {
    rule,
    subject: { definition: subject, path: "" },
    old,
    new: next,
    at: { old: at(old), new: at(next) },
  };
}
