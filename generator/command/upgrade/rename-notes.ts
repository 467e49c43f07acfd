import { renameCandidates } from "../../emit/steps/rename-candidates.js";
import type { ProtocolModel } from "../../model/model.js";
import { counted } from "../../print/counted.js";
import type { Decision } from "./decisions.js";

/** The notes that say that a new member is one that is gone: candidates, which no schema can confirm. */
export function renameNotes(
  previous: ProtocolModel | undefined,
  model: ProtocolModel,
  file: string,
): Decision[] {
  const candidates = previous ? renameCandidates(previous, model) : [];
  if (candidates.length === 0) return [];
  const kind = { kind: "renamed" };
  return [
    {
      kind: "missing-notes",
      title: `${counted(candidates.length, "new member has", "new members have")} the form of one that is gone from the same object`,
      advice:
        'Where it is the same member under another name, add the note, with its "reason" and "link": then steps rename the member, and nothing is lost.',
      file,
      items: candidates.map(({ target, from }) =>
        JSON.stringify({ ...kind, target, previous: previous!.revision, from }),
      ),
    },
  ];
}
