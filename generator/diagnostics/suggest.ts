import { editDistance } from "@mcpgen/engine";

/**
 * The candidate most like `name`, other than `name` itself; `undefined` if none is near. At most a third of the letters
 * (and at least two) may differ, but not all of either name. Case is not counted.
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === name) continue; // known, and refused all the same: no suggestion
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < Math.min(bestDistance, name.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
