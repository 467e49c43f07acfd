import type { Row } from "./rule.js";

const none = "Nothing to do on the wire.";

/** Rules for changes of names and prose, which change no message. */
export const definitionRules: readonly Row<"area" | "writer" | "reader">[] = [
  {
    id: "definition-renamed",
    source: "breaking",
    reason: "The shape has another name; code that uses the old name does not compile.",
    advice: "Use the new name.",
    mirror: ["definition-renamed"],
  },
  {
    id: "definition-added",
    source: "safe",
    reason: "There is another type.",
    advice: none,
    mirror: ["definition-removed"],
  },
  {
    id: "definition-removed",
    source: "breaking",
    reason: "Code that uses the type does not compile.",
    advice: "Stop using the type.",
    mirror: ["definition-added"],
  },
  {
    id: "definition-extracted",
    source: "safe",
    reason: "An inline schema became a named definition.",
    advice: none,
    mirror: ["definition-inlined"],
  },
  {
    id: "definition-inlined",
    source: "breaking",
    reason: "A named definition became an inline schema; code that uses the type does not compile.",
    advice: "Use an indexed access type of the type that contains it.",
    mirror: ["definition-extracted"],
  },
  {
    id: "definition-meaning-changed",
    source: "breaking",
    reason: "The name now refers to another shape.",
    advice: "Use the new name of the old shape.",
    mirror: ["definition-meaning-changed"],
  },
  {
    id: "unreachable-changed",
    source: "breaking",
    reason: "The type changed, but no message refers to it.",
    advice: none,
    mirror: ["unreachable-changed"],
  },
  {
    id: "deprecated-added",
    source: "safe",
    reason: "It is deprecated and may be removed.",
    advice: "Plan for its replacement.",
    mirror: ["deprecated-removed"],
  },
  {
    id: "deprecated-removed",
    source: "safe",
    reason: "It is no longer deprecated.",
    advice: none,
    mirror: ["deprecated-added"],
  },
  {
    id: "docs-normative",
    source: "safe",
    reason: "The description gained or lost a MUST, SHOULD or MAY.",
    advice: "Read both descriptions.",
    mirror: ["docs-normative"],
  },
  {
    id: "description-changed",
    source: "safe",
    reason: "Only the words changed.",
    advice: none,
    mirror: ["description-changed"],
    hidden: true,
  },
];

const onlyOld = { waived: "The notes are those of the old file." };

/** Rules for files and notes, which change no message. */
export const fileRules: readonly Row<"area" | "writer" | "reader" | "source">[] = [
  {
    id: "published-file-changed",
    reason: "The same revision was published again with other content; the other findings list the changes.",
    advice:
      "Read the other findings, then accept the file with `mcpgen upgrade FILE --name REVISION --replace`.",
    mirror: ["published-file-changed"],
  },
  {
    id: "errata-stale",
    reason: "The new file no longer has the mistake that the note corrects.",
    advice: "Remove the note, or this target of it.",
    mirror: onlyOld,
  },
  {
    id: "errata-missing-target",
    reason: "The note corrects a place that is not in the new file.",
    advice: "Remove the note, or point it at the new place of the mistake.",
    mirror: onlyOld,
  },
  {
    id: "dialect-changed",
    reason: "The schema uses another dialect of JSON Schema; the comparison takes that into account.",
    advice: "Nothing to do on the wire.",
    mirror: ["dialect-changed"],
  },
];
