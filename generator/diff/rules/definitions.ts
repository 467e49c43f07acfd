import type { Rule } from "./rule.js";

/** Names and prose: nothing of this is seen on the wire. */
const seen = { area: "definitions", writer: "safe", reader: "safe" } as const;
const none = "Nothing to do on the wire.";

export const definitionRules: readonly Rule[] = [
  {
    ...seen,
    id: "definition-renamed",
    source: "breaking",
    reason: "The shape is the same under another name; code that names the type does not compile.",
    advice: "Use the new name.",
    mirror: ["definition-renamed"],
  },
  {
    ...seen,
    id: "definition-added",
    source: "safe",
    reason: "A type more to name.",
    advice: none,
    mirror: ["definition-removed"],
  },
  {
    ...seen,
    id: "definition-removed",
    source: "breaking",
    reason: "Code that names the type does not compile.",
    advice: "Stop naming the type.",
    mirror: ["definition-added"],
  },
  {
    ...seen,
    id: "definition-extracted",
    source: "safe",
    reason: "What was written in place has a name now.",
    advice: none,
    mirror: ["definition-inlined"],
  },
  {
    ...seen,
    id: "definition-inlined",
    source: "breaking",
    reason: "What had a name is written in place now; code that names the type does not compile.",
    advice: "Reach the type through the one that holds it.",
    mirror: ["definition-extracted"],
  },
  {
    ...seen,
    id: "definition-meaning-changed",
    source: "breaking",
    reason: "The name stands for another shape now.",
    advice: "Use the name that the old shape has now.",
    mirror: ["definition-meaning-changed"],
  },
  {
    ...seen,
    id: "unreachable-changed",
    source: "breaking",
    reason: "The type changed, but no message refers to it.",
    advice: none,
    mirror: ["unreachable-changed"],
  },
  {
    ...seen,
    id: "deprecated-added",
    source: "safe",
    reason: "It is on its way out.",
    advice: "Plan for what takes its place.",
    mirror: ["deprecated-removed"],
  },
  {
    ...seen,
    id: "deprecated-removed",
    source: "safe",
    reason: "It is there to stay after all.",
    advice: none,
    mirror: ["deprecated-added"],
  },
  {
    ...seen,
    id: "docs-normative",
    source: "safe",
    reason: "The description says MUST, SHOULD or MAY where it did not, or the other way round.",
    advice: "Read both descriptions.",
    mirror: ["docs-normative"],
  },
  {
    ...seen,
    id: "description-changed",
    source: "safe",
    reason: "Only the words changed.",
    advice: none,
    mirror: ["description-changed"],
    hidden: true,
  },
];
