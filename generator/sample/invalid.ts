import type { Schema } from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import { type Mutant, type PendingMutant, pendingMutants } from "./mutants.js";
import { randomFrom, shuffled } from "./random.js";
import { minimalValid, sampleValid } from "./sample.js";

/**
 * Up to `count` instances of a definition that a single change has made invalid, of as many different kinds
 * of change as there are. Drawn from the definition's own stream: the same for the same definition.
 */
export function minimallyInvalid(schema: Schema, name: string, count: number): Mutant[] {
  const random = randomFrom(`${name}: invalid`);
  const { node } = schema.definitions.get(name)!;
  const found: Mutant[] = [];
  for (const draw of [minimalValid, sampleValid]) {
    const base = draw(schema, name, random);
    if (base === undefined) continue;
    const candidates = shuffled(pendingMutants(schema, name, base, random), random);
    for (const candidate of kindsInTurn(candidates)) {
      if (found.length >= count) return found;
      const mutant = candidate.make();
      if (!isValid(schema, node, mutant.value)) found.push(mutant);
    }
  }
  return found;
}

/** One candidate of each kind, then a second of each, and so on. */
function kindsInTurn(candidates: readonly PendingMutant[]): PendingMutant[] {
  const seen = new Map<string, number>();
  const turns: PendingMutant[][] = [];
  for (const candidate of candidates) {
    const turn = seen.get(candidate.kind) ?? 0;
    seen.set(candidate.kind, turn + 1);
    (turns[turn] ??= []).push(candidate);
  }
  return turns.flat();
}
