import { loadRevisionIds } from "../../capture/runtime.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";

/**
 * The revisions that a project is to speak, each once, the oldest first.
 *
 * @throws CodedError MG2010 for one that is not there, MG2013 where the runtime is not installed
 */
export async function knownRevisions(wanted: readonly string[], directory: string): Promise<string[]> {
  const ids = await loadRevisionIds(directory);
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown === undefined) return ids.filter((id) => wanted.includes(id));
  const suggestion = closest(unknown, ids);
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(unknown)}`, {
    next: suggestion === undefined ? `The revisions are ${ids.join(", ")}.` : `Did you mean ${suggestion}?`,
  });
}
