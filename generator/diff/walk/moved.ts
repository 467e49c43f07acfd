import type { ProtocolModel } from "../../model/model.js";
import { constantMember } from "../../model/object-view.js";
import { isRoleUnion } from "../../model/role-unions.js";
import type { Pair } from "../../compare/align/pair.js";
import type { Aligner } from "../../compare/align/aligner.js";
import { type Parts, held } from "./parts.js";
import { reachedFrom } from "../../compare/reach.js";
import type { Root } from "./root.js";

/** So many definitions are put in order by what they hold; more are taken by name. */
const mostSized = 500;

/**
 * Definitions that messages of both revisions hold, but nowhere in places that correspond: a capability
 * that was declared once and now travels with every request. Here, and only here, the name decides.
 */
export function movedRoots(
  old: ProtocolModel,
  next: ProtocolModel,
  aligner: Aligner,
  [parts, others]: readonly [Parts, Parts],
  pairs: Iterable<Pair>,
): Root[] {
  const [before, after] = [parts.writers, others.writers];
  const met = metDefinitions(pairs);
  const isUnmet = (name: string): boolean => !met.old.has(name) && !met.new.has(name);
  const names = [...before.keys()].filter(
    (name) => after.has(name) && isUnmet(name) && !isMessage(old, name) && !isMessage(next, name),
  );
  const below = new Map<string, ReadonlySet<string>>();
  const sizeOf = (name: string): number =>
    names.length > mostSized ? 0 : held(next.schema, [name], below).size;
  const size = new Map(names.map((name) => [name, sizeOf(name)]));
  const roots: Root[] = [];
  // Definitions that contain others come first, so that the others are met in them.
  for (const name of names.sort((a, b) => size.get(b)! - size.get(a)! || (a < b ? -1 : 1))) {
    if (!isUnmet(name)) continue;
    const both = [...before.get(name)!].filter((role) => after.get(name)!.has(role));
    const writers = both.length > 0 ? both : [...before.get(name)!, ...after.get(name)!];
    const nodes = [old.schema.definitions.get(name)!.node, next.schema.definitions.get(name)!.node] as const;
    const pair = aligner.pair([nodes[0]], [nodes[1]]);
    aligner.run();
    const root: Root = {
      pair,
      context: { part: "definition", definition: [name, name] },
      writers,
      methods: others.methodsOf(name),
    };
    roots.push(root);
    const further = metDefinitions(reachedFrom(root).keys());
    for (const each of further.old) met.old.add(each);
    for (const each of further.new) met.new.add(each);
  }
  return roots;
}

/** Definitions that have been compared with something. */
function metDefinitions(pairs: Iterable<Pair>): { old: Set<string>; new: Set<string> } {
  const met = { old: new Set<string>(), new: new Set<string>() };
  for (const pair of pairs) {
    for (const { old, new: next } of [{ old: pair.old.definition, new: pair.new.definition }, ...pair.arms]) {
      if (old !== undefined) met.old.add(old);
      if (next !== undefined) met.new.add(next);
    }
  }
  return met;
}

function isMessage({ schema }: ProtocolModel, name: string): boolean {
  return (
    isRoleUnion(name) || constantMember(schema, schema.definitions.get(name)!.node, "method") !== undefined
  );
}
