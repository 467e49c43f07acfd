import { editDistance } from "@mcpgen/engine";

/** Advice for an unknown revision: the one that differs in one character, or else all, because dates look alike. */
export function revisionAdvice(wanted: string, revisions: Iterable<string>): string {
  const all = [...revisions];
  const meant = all.find((each) => editDistance(wanted, each, 2) === 1);
  return meant === undefined ? `The revisions are ${all.join(", ")}.` : `Did you mean ${meant}?`;
}

/** Advice for an unknown name: the most similar candidate, as `shown`, or `otherwise` if none is similar. */
export function nameAdvice(
  name: string,
  candidates: Iterable<string>,
  otherwise: string,
  shown: (candidate: string) => string = (candidate) => candidate,
): string {
  const meant = closest(name, candidates);
  return meant === undefined ? otherwise : `Did you mean ${shown(meant)}?`;
}

/**
 * The candidate most similar to `name`, other than `name` itself; `undefined` if none is similar. At most a
 * third of the letters (and at least two) may differ, but not all letters of either name. Ignores case.
 */
export function closest(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (candidate === name) continue; // The name is known but was rejected, so suggesting it would not help.
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), bestDistance);
    if (distance < Math.min(bestDistance, name.length, candidate.length)) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}
