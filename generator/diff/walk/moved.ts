import { type Schema, referencesOf } from "@mcpgen/engine";
import { type ProtocolModel, type Role, opposite } from "../../model/model.js";
import { constantMember } from "../../model/object-view.js";
import { isRoleUnion } from "../../model/role-unions.js";
import type { Aligner } from "../align/aligner.js";
import { resultsOf } from "../witness/judge.js";
import { type Reached, reachedFrom } from "./reach.js";
import type { Root } from "./root.js";

/**
 * Definitions that messages of both revisions hold, but nowhere in places that correspond: a capability
 * that was declared once and now travels with every request. Here, and only here, the name decides.
 */
export function movedRoots(
  old: ProtocolModel,
  next: ProtocolModel,
  aligner: Aligner,
  walked: readonly Reached[],
): Root[] {
  const [parts, others] = [partsOf(old), partsOf(next)];
  const [before, after] = [parts.writers, others.writers];
  const met = metDefinitions(walked);
  const names = [...before.keys()].filter(
    (name) => after.has(name) && !isMessage(old, name) && !isMessage(next, name),
  );
  const below = new Map<string, ReadonlySet<string>>();
  const size = new Map(names.map((name) => [name, held(next.schema, name, below).size]));
  const roots: Root[] = [];
  // Those that hold others come first, so that the others are met in them.
  for (const name of names.sort((a, b) => size.get(b)! - size.get(a)! || (a < b ? -1 : 1))) {
    if (met.old.has(name) || met.new.has(name)) continue;
    const both = [...before.get(name)!].filter((role) => after.get(name)!.has(role));
    const writers = both.length > 0 ? both : [...before.get(name)!, ...after.get(name)!];
    const nodes = [old.schema.definitions.get(name)!.node, next.schema.definitions.get(name)!.node] as const;
    const pair = aligner.pair([nodes[0]], [nodes[1]]);
    aligner.run();
    const root: Root = {
      pair,
      context: { part: "definition", definition: [name, name] },
      writers,
      methods: [...others.methods.get(name)!],
    };
    roots.push(root);
    const further = metDefinitions([reachedFrom(root)]);
    for (const each of further.old) met.old.add(each);
    for (const each of further.new) met.new.add(each);
  }
  return roots;
}

/** Definitions that have been compared with something. */
function metDefinitions(walked: readonly Reached[]): { old: Set<string>; new: Set<string> } {
  const met = { old: new Set<string>(), new: new Set<string>() };
  for (const reached of walked) {
    for (const pair of reached.keys()) {
      for (const { old, new: next } of [
        { old: pair.old.definition, new: pair.new.definition },
        ...pair.arms,
      ]) {
        if (old !== undefined) met.old.add(old);
        if (next !== undefined) met.new.add(next);
      }
    }
  }
  return met;
}

function isMessage({ schema }: ProtocolModel, name: string): boolean {
  return (
    isRoleUnion(name) || constantMember(schema, schema.definitions.get(name)!.node, "method") !== undefined
  );
}

/** What messages and results hold, and who writes it. */
interface Parts {
  readonly writers: ReadonlyMap<string, ReadonlySet<Role>>;
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>;
}

function partsOf(model: ProtocolModel): Parts {
  const writers = new Map<string, Set<Role>>();
  const methods = new Map<string, Set<string>>();
  const below = new Map<string, ReadonlySet<string>>();
  const hold = (roots: readonly string[], method: string, roles: readonly Role[]): void => {
    for (const name of new Set(roots.flatMap((root) => [...held(model.schema, root, below)]))) {
      methods.set(name, (methods.get(name) ?? new Set()).add(method));
      for (const role of roles) writers.set(name, (writers.get(name) ?? new Set()).add(role));
    }
  };
  for (const method of model.methods) {
    hold([method.message], method.name, method.senders);
    hold(resultsOf(method), method.name, method.senders.map(opposite));
  }
  return { writers, methods };
}

/** Names of all definitions reachable from one; each definition's own references are looked up once. */
function held(schema: Schema, root: string, below: Map<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>([root]);
  for (const name of seen) {
    let references = below.get(name);
    const node = schema.definitions.get(name)?.node;
    if (!references) below.set(name, (references = node ? referencesOf(node) : new Set()));
    for (const reference of references) seen.add(reference);
  }
  return seen;
}
