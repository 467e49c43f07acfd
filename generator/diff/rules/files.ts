import type { Rule } from "./rule.js";

/** What is told of the files and the notes on them, not of the protocol: nothing of it is seen on the wire. */
const ours = { area: "files", writer: "safe", reader: "safe", source: "safe" } as const;
const onlyOld = { waived: "The notes are those of the old file." };

export const fileRules: readonly Rule[] = [
  {
    ...ours,
    id: "published-file-changed",
    reason:
      "The same revision was published again with other content; the other findings are what it changed.",
    advice:
      "Read the other findings, then take the file over with `mcpgen upgrade FILE --name REVISION --replace`.",
    mirror: ["published-file-changed"],
  },
  {
    ...ours,
    id: "errata-stale",
    reason: "The note corrects what the new file says correctly: upstream mended it.",
    advice: "Remove the note, or this target of it.",
    mirror: onlyOld,
  },
  {
    ...ours,
    id: "errata-missing-target",
    reason: "The note corrects a place that the new file does not have.",
    advice: "Remove the note, or point it at the place where the mistake is now.",
    mirror: onlyOld,
  },
  {
    ...ours,
    id: "dialect-changed",
    reason: "The schema is written in another dialect; both are read keyword by keyword and compared alike.",
    advice: "Nothing to do on the wire.",
    mirror: ["dialect-changed"],
  },
];
