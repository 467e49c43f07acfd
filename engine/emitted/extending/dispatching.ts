import type { ExtensionUse } from "../model.js";

/** A function of an extension for a method. `owns`: whether the extension has it at a revision. */
export interface Owned<Run> {
  readonly method: string;
  readonly run: Run;
  readonly owns: (revision: string) => boolean;
  /** Whether the method belongs to the revision instead of the extension. */
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
 * Returns one function for each method. Where several extensions have the method, at different revisions, it
 * runs the function of the extension that has it at the revision of the message.
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

/** Returns the revision that a handler's context names. */
export function revisionIn(context: unknown): string {
  return (context as { readonly revision: string }).revision;
}
