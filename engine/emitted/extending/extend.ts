import type {
  Around,
  ExtendOptions,
  Extended,
  ExtensionTable,
  Failure,
  Role,
  ExtensionUse,
} from "../model.js";
import { requireUnclaimed } from "./claims.js";
import { declaring } from "./declaring.js";
import { mergeTables } from "./merging.js";
import { dispatched, owned, revisionIn } from "./dispatching.js";
import { guardMiddleware, guarded } from "./guarding.js";
import { hinted, servedMethods } from "./serving.js";
import { requireUsable } from "./usable.js";

/** An extension of one program, with its table for one revision. */
export interface Part<R extends Role = Role> {
  readonly use: ExtensionUse<R>;
  readonly table: ExtensionTable<R>;
}

/** Merges the tables of extensions into those of revisions: see `Extend`. */
export function extend<R extends Role>(
  options: ExtendOptions<R>,
  failure: Failure,
  program?: object,
): Extended<R> {
  const { extensions: used = [], revisions, capabilities = {} } = options;
  const invalid = (message: string): Error => new failure("invalid-definition", message);
  requireUsable(used, revisions, capabilities, invalid);
  const parts = new Map(revisions.map(({ id }) => [id, partsOf(used, id)] as const));
  const revisionOf = options.revisionOf ?? revisionIn;
  const handlers = dispatched(
    used.flatMap((use) => [
      ...owned(use, "also", Object.entries(use.also ?? {})),
      ...owned(use, "incomingRequests", hinted(use)),
    ]),
    revisionOf,
  );
  const around = allAround(used, parts, failure);
  const extended: Extended<R> = {
    revisions: revisions.map((revision) => {
      const added = parts.get(revision.id)!;
      if (added.length === 0) return revision;
      requireUnclaimed(revision, added, invalid);
      return mergeTables(revision, added, failure);
    }),
    handlers,
    middleware: [...around].flatMap(([method, all]) => all.map((run) => only(method, run))),
    methods: (own) => servedMethods(own, handlers, around),
    listeners: dispatched(
      used.flatMap((use) => owned(use, "incomingNotifications", Object.entries(use.listeners))),
      revisionOf,
    ),
    declared: declaring(parts, used, revisions, invalid),
  };
  if (program) {
    guardMiddleware(program, parts, failure);
    for (const use of used) use.attach?.(program, options);
  }
  return extended;
}

function partsOf<R extends Role>(used: readonly ExtensionUse<R>[], revision: string): readonly Part<R>[] {
  return used.flatMap((use) => {
    const table = use.extension.bases.get(revision);
    return table ? [{ use, table }] : [];
  });
}

function allAround(
  used: readonly ExtensionUse[],
  parts: ReadonlyMap<string, readonly Part[]>,
  failure: Failure,
): ReadonlyMap<string, readonly Around<never>[]> {
  const all = new Map<string, Around<never>[]>();
  for (const { around } of used) {
    for (const [method, run] of Object.entries(around)) {
      const checked = guarded(method, run, parts, failure);
      all.set(method, [...(all.get(method) ?? []), checked]);
    }
  }
  return all;
}

/** Restricts middleware to one method. */
function only(method: string, around: Around<never>): Around<never> {
  return (request, next) => (request.method === method ? around(request, next) : next());
}
