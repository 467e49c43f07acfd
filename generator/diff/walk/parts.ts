import { type Schema, referencesOf } from "@mcpgen/engine";
import { type ProtocolModel, type Role, opposite } from "../../model/model.js";
import { resultsOf } from "../witness/judge.js";

/** What messages and results hold, and who writes it. */
export interface Parts {
  readonly writers: ReadonlyMap<string, ReadonlySet<Role>>;
  readonly methods: ReadonlyMap<string, ReadonlySet<string>>;
}

export function partsOf(model: ProtocolModel): Parts {
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
export function held(schema: Schema, root: string, below: Map<string, ReadonlySet<string>>): Set<string> {
  const seen = new Set<string>([root]);
  for (const name of seen) {
    let references = below.get(name);
    const node = schema.definitions.get(name)?.node;
    if (!references) below.set(name, (references = node ? referencesOf(node) : new Set()));
    for (const reference of references) seen.add(reference);
  }
  return seen;
}
