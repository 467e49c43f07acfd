import type { NoteProblem } from "../notes/apply.js";
import type { TransportNote } from "../notes/note.js";
import { type Era, type TransportFact, transportFacts } from "./model.js";

/** The facts about HTTP that notes state; a note of no fact, or without an effect, is a problem. */
export function findTransport(
  era: Era,
  notes: readonly TransportNote[],
  problems: NoteProblem[],
): TransportFact[] {
  const stated = new Set<string>();
  for (const note of notes)
    for (const target of note.targets) {
      const problem = problemOf(era, target, stated);
      if (problem) problems.push({ ...problem, note, target });
      else stated.add(target);
    }
  return transportFacts.filter((fact) => stated.has(fact));
}

function problemOf(
  era: Era,
  target: string,
  stated: ReadonlySet<string>,
): Pick<NoteProblem, "code" | "message"> | undefined {
  if (!(transportFacts as readonly string[]).includes(target))
    return { code: "MG1202", message: `expected one of ${transportFacts.join(", ")}` };
  if (era === "modern")
    return { code: "MG1203", message: "requests of this revision state it, and belong to no session" };
  return stated.has(target) ? { code: "MG1203", message: "another note says so" } : undefined;
}
