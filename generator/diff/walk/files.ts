import type { NoteProblem } from "../../notes/apply.js";
import type { Fact } from "../../compare/align/pair.js";
import { locationOf } from "../../compare/location.js";

/** The facts about two files beside their schemas. */
export interface Origins {
  /** The dialect the old file was written in when it came. */
  readonly old: string;
  /** The same of the new file. */
  readonly new: string;
  /** The revision, if both files are of one. */
  readonly published?: Published;
}

/** One revision, published twice. */
export interface Published {
  readonly revision: string;
  /** sha256 of the file as it was published first, and as it is now. */
  readonly old: string;
  readonly new: string;
  /** Notes of the revision that lead nowhere in the new file, or change nothing there. */
  readonly dropped: readonly NoteProblem[];
}

/** The changes of the files and of the notes on them. */
export function compareFiles({ old, new: next, published }: Origins): Fact[] {
  const facts: Fact[] = [];
  if (old !== next) facts.push(fileFact("dialect-changed", "$schema", old, next));
  if (!published || published.old === published.new) return facts;
  const [before, after] = [published.old, published.new].map((sum) => `sha256 ${sum.slice(0, 12)}`);
  facts.push(fileFact("published-file-changed", published.revision, before!, after!));
  return [...facts, ...published.dropped.flatMap(staleErrata)];
}

function fileFact(rule: string, definition: string, old: string, next: string): Fact {
  return { rule, subject: { definition, path: "" }, old, new: next, at: { old: "", new: "" } };
}

/** Reports corrections only: other notes state what no schema can, and people confirm or drop them. */
function staleErrata({ code, note, target, message }: NoteProblem): Fact[] {
  if (note.kind !== "errata" || code === "MG1201") return [];
  const rule = code === "MG1202" ? "errata-missing-target" : "errata-stale";
  return [
    {
      rule,
      subject: locationOf(target),
      old: "corrected by a note",
      new: message,
      at: { old: target, new: null },
    },
  ];
}
