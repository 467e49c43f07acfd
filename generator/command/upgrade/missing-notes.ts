import { type JsonObject, type JsonValue, isJsonObject, readSchema } from "@mcpgen/engine";
import { renameCandidates } from "../../emit/steps/rename-candidates.js";
import { assumeNotes } from "../../model/assume.js";
import type { ProtocolModel } from "../../model/model.js";
import { parseNotes } from "../../notes/parse.js";
import { counted } from "../../print/counted.js";
import type { Source } from "../diff/source.js";
import type { Decision } from "./decisions.js";
import type { StagedUpgrade } from "./stage.js";

/**
 * Suggests notes: the assumptions for this schema without notes, except those that its notes already decide or
 * that also apply to the revision before it.
 */
export function missingNotes(
  { notes, revision }: StagedUpgrade,
  base: Source | undefined,
  file: string,
): Decision[] {
  if (!notes) return [];
  const present = parseNotes(notes);
  const decided = base ? candidates(base.file.value) : undefined;
  const wanted = candidates(revision.schema.value);
  return (["extends", "open"] as const).flatMap((kind): Decision[] => {
    const known = new Set(present.flatMap((note) => (note.kind === kind ? note.targets : [])));
    const items = [...wanted[kind]].filter((target) => !known.has(target) && !decided?.[kind].has(target));
    if (items.length === 0) return [];
    return [{ kind: "missing-notes", ...texts[kind](items), file, items }];
  });
}

/** Places, by the kind of note that they may want. */
interface Candidates {
  readonly extends: ReadonlySet<string>;
  readonly open: ReadonlySet<string>;
}

function candidates(document: JsonValue): Candidates {
  if (!isJsonObject(document)) return { extends: new Set(), open: new Set() };
  const { notes } = assumeNotes(document);
  const of = (kind: string): string[] => notes.flatMap((note) => (note.kind === kind ? note.targets : []));
  return { extends: new Set(of("extends")), open: new Set([...of("open"), ...unions(document)]) };
}

/** Unions of definitions, with or without a discriminator. */
function unions(document: JsonObject): string[] {
  const { definitions } = readSchema(document);
  return [...definitions.values()].flatMap(({ node }) => {
    const arms = node.anyOf ?? node.oneOf ?? [];
    return arms.length > 1 && arms.every(({ ref }) => ref !== undefined) ? [node.pointer] : [];
  });
}

const texts = {
  open: (items: readonly string[]) => ({
    title: `${counted(items.length, "new union or string set is", "new unions or string sets are")} closed: no note says that later revisions may add to ${items.length === 1 ? "it" : "them"}`,
    advice: "Where the specification leaves one open, add it to the note of kind open.",
  }),
  extends: (items: readonly string[]) => ({
    title: `${counted(items.length, "new definition repeats", "new definitions repeat")} an open base without its index signature`,
    advice: "Where one extends its base, add a note of kind extends.",
    risk: "Its types refuse members that the base takes, and handlers may have to write what the protocol machinery fills in",
  }),
};

/** Suggests notes for members that may have been renamed; no schema can confirm such a candidate. */
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
        'If it is the same member under another name, add the note with its "reason" and "link": then steps rename the member, and no value is lost.',
      file,
      items: candidates.map(({ target, from }) =>
        JSON.stringify({ ...kind, target, previous: previous!.revision, from }),
      ),
    },
  ];
}
