import { CodedError } from "../diagnostics/coded-error.js";
import type { LoadedRevision } from "../revision/revision-source.js";

/**
 * Requests without the header of the revision belong to one revision.
 *
 * @throws CodedError MG1203 at the note of the later revision, if two revisions claim them
 */
export function refuseSecondAssumed(revisions: Iterable<LoadedRevision>): void {
  const [first, second] = [...revisions].filter(({ model }) => model.transport.includes("assumed"));
  if (!first || !second) return;
  const note = second.notes.find(({ kind, targets }) => kind === "transport" && targets.includes("assumed"));
  const message = `note of kind transport on assumed: the notes of ${first.model.revision} say it, too, and requests without the header belong to one revision`;
  throw new CodedError("MG1203", message, {
    place: { ...(second.notesFile !== undefined && { file: second.notesFile }), pointer: note!.pointer },
    next: "Keep the note of one revision.",
  });
}
