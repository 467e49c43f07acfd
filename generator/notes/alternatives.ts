import type { PairedAlternative, PairingNote } from "./note.js";

/** The alternatives that a note names, each with its mark and capability; `undefined` if it names none. */
export function alternativesOf({
  alternatives,
  alternativeMark,
  alternativeCapability,
}: PairingNote): readonly PairedAlternative[] | undefined {
  return alternatives?.map((each) => ({
    ...(alternativeMark && { mark: alternativeMark }),
    ...(alternativeCapability !== undefined && { capability: alternativeCapability }),
    ...(typeof each === "string" ? { definition: each } : each),
  }));
}

/** The definitions that a note names: the plain result first. */
export function answersNamed(note: PairingNote): string[] {
  return [note.result, ...(alternativesOf(note) ?? []).map(({ definition }) => definition)];
}

/** The note with its definitions under other names. */
export function withNames(note: PairingNote, nameOf: (definition: string) => string): PairingNote {
  const { alternatives, result } = note;
  return {
    ...note,
    result: nameOf(result),
    ...(alternatives && {
      alternatives: alternatives.map((each) =>
        typeof each === "string" ? nameOf(each) : { ...each, definition: nameOf(each.definition) },
      ),
    }),
  };
}
