import type { ProtocolModel, Role } from "../../model/model.js";
import type { Badge } from "../reading.js";

/** When the parts of a revision were introduced, and which a later revision has removed. */
export interface Lineage {
  /** The first revision with the method; undefined if the oldest one has it. */
  method(name: string, sender: Role): Span;
  definition(name: string): Span;
}

export interface Span {
  readonly since: string | undefined;
  readonly goneIn: string | undefined;
}

/**
 * Determines the history of the parts of `model` by name.
 *
 * @param all all known revisions, oldest first
 */
export function lineageOf(model: ProtocolModel, all: readonly ProtocolModel[]): Lineage {
  const index = all.findIndex(({ revision }) => revision === model.revision);
  const older = index < 0 ? all : all.slice(0, index);
  const later = index < 0 ? [] : all.slice(index + 1);
  const spanOf = (has: (one: ProtocolModel) => boolean): Span => {
    // A part that was missing in between counts as introduced after the gap.
    const gap = older.findLastIndex((one) => !has(one));
    const first = gap < 0 ? undefined : (older[gap + 1] ?? model);
    return { since: first?.revision, goneIn: later.find((one) => !has(one))?.revision };
  };
  return {
    method: (name, sender) =>
      spanOf(({ methods }) => methods.some((each) => each.name === name && each.senders.includes(sender))),
    definition: (name) => spanOf(({ schema }) => schema.definitions.has(name)),
  };
}

/** Badges for when a part was introduced, deprecated and removed. */
export function historyBadges(
  span: Span | undefined,
  deprecated: { readonly since?: string | undefined } | undefined,
): Badge[] {
  const since = deprecated?.since;
  return [
    ...(span?.since === undefined ? [] : [{ text: `since ${span.since}` }]),
    ...(deprecated
      ? [
          {
            text: since === undefined ? "deprecated" : `deprecated since ${since}`,
            kind: "deprecated" as const,
          },
        ]
      : []),
    ...(span?.goneIn === undefined ? [] : [{ text: `not in ${span.goneIn}`, kind: "deprecated" as const }]),
  ];
}
