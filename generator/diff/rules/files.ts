import type { Rule } from "./rule.js";

/** Findings about the files and their notes, not about the protocol: no message changes. */
const ours = { area: "files", writer: "safe", reader: "safe", source: "safe" } as const;
const onlyOld = { waived: "The notes are those of the old file." };

export const fileRules: readonly Rule[] = [
  {
    ...ours,
    id: "published-file-changed",
    reason: "The same revision was published again with other content; the other findings list the changes.",
    advice:
      "Read the other findings, then accept the file with `mcpgen upgrade FILE --name REVISION --replace`.",
    mirror: ["published-file-changed"],
  },
  {
    ...ours,
    id: "errata-stale",
    reason: "The new file no longer has the mistake that the note corrects.",
    advice: "Remove the note, or this target of it.",
    mirror: onlyOld,
  },
  {
    ...ours,
    id: "errata-missing-target",
    reason: "The note corrects a place that is not in the new file.",
    advice: "Remove the note, or point it at the new place of the mistake.",
    mirror: onlyOld,
  },
  {
    ...ours,
    id: "dialect-changed",
    reason: "The schema uses another dialect of JSON Schema; the comparison takes that into account.",
    advice: "Nothing to do on the wire.",
    mirror: ["dialect-changed"],
  },
];
