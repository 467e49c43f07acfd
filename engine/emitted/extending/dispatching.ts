import type { ExtensionUse } from "../model.js";

/** A function of an extension for a method, and the revisions at which it is the extension's own. */
export interface Owned<Run> {
  readonly method: string;
  readonly run: Run;
  readonly owns: (revision: string) => boolean;
  /** Whether it is for a method of the revision, not of the extension. */
  readonly isForRevision: boolean;
}

export function owned<Run>(
  { extension: { bases } }: ExtensionUse,
  table: "also" | "incomingRequests" | "incomingNotifications",
  runs: readonly (readonly [method: string, run: Run])[],
): readonly Owned<Run>[] {
  return runs.map(([method, run]) => ({
    method,
    run,
    owns: (revision) => table !== "also" && (bases.get(revision)?.[table].has(method) ?? false),
    isForRevision: table === "also",
  }));
}

/**
 * One function for each method. Two extensions may have a method at different revisions: then the function of
 * the one that has it at the revision of the message runs.
 */
export function dispatched<Run extends (params: never, context: never) => unknown>(
  all: readonly Owned<Run>[],
  revisionOf: (context: unknown) => string,
): ReadonlyMap<string, Run> {
  const byMethod = new Map<string, Owned<Run>[]>();
  for (const one of all) byMethod.set(one.method, [...(byMethod.get(one.method) ?? []), one]);
  return new Map(
    [...byMethod].map(([method, each]) => {
      const last = each.at(-1)!;
      if (each.length === 1) return [method, last.run];
      const run = (params: never, context: never): unknown => {
        const revision = revisionOf(context);
        const owner =
          each.find(({ owns }) => owns(revision)) ?? each.find(({ isForRevision }) => isForRevision) ?? last;
        return owner.run(params, context);
      };
      return [method, run as Run];
    }),
  );
}

/** The revision that the context of a handler names. */
export function revisionIn(context: unknown): string {
  return (context as { readonly revision: string }).revision;
}
