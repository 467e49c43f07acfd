import type { CanonicalExtension } from "../canonical/canonical-extension.js";
import type { OwnModel } from "./own-model.js";

/** An assumption that was made while adding an extension. */
export interface AddAssumption {
  readonly kind: string;
  readonly subject: string;
  readonly text: string;
}

/** All assumptions in a fixed order. Senders and results are not assumed but asked for. */
export function assumptionsOf(
  {
    dropped,
    folds,
    differing,
    ambiguous,
    baseReferences,
    hoisted,
    style,
    reopened,
    closed,
  }: CanonicalExtension,
  own: OwnModel,
): AddAssumption[] {
  const stricter = [...dropped.filter(({ equal }) => !equal).map(({ definition }) => definition)];
  const copies = folds.filter(({ equal }) => !equal);
  const about = (kind: string, subject: string, text: string): AddAssumption => ({ kind, subject, text });
  return [
    ...stricter.map((name) =>
      about(
        "base",
        name,
        `It is the base's ${name}, though the file has it stricter: closed, with a pattern or a range.`,
      ),
    ),
    ...copies.map(({ at, definition, of }) =>
      about(
        "copy",
        at,
        `It is a copy of ${of === "base" ? "the base's " : ""}${definition}, made stricter or wider by the program that printed it.`,
      ),
    ),
    ...differing.map((name) =>
      about("base", name, `It is the extension's own: not all bases have it as it is here.`),
    ),
    ...ambiguous.map(({ at, definitions }) =>
      about("copy", at, `It stays as it is: it could be a copy of ${definitions.join(" or of ")}.`),
    ),
    ...(baseReferences > 0
      ? [
          about(
            "base",
            "references",
            `${baseReferences} references to the published schema of a revision name the base's definitions.`,
          ),
        ]
      : []),
    ...hoisted.map(({ name, from }) =>
      about("name", from, `Its name is now ${name}: it stood inside another definition.`),
    ),
    ...(style.empty > 0
      ? [
          about(
            "style",
            "numbers and names",
            `${style.empty} ranges of JavaScript's integers and names that are any string were left out.`,
          ),
        ]
      : []),
    ...(reopened.length > 0
      ? [
          about(
            "open",
            "objects",
            `${reopened.length} closed objects take members that they do not name: the file closes every object that is not open, as programs do. The note of kind open lists them.`,
          ),
        ]
      : []),
    ...closed.map((at) => about("open", at, "It stays closed: the file leaves other objects open.")),
    ...own.assumptions.filter(({ kind }) => kind !== "sender" && kind !== "pairing"),
  ];
}
