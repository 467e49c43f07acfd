import type { Revision, Role } from "@mcpgen/protocol/model";

/** Returns the revisions with a request marked as `listening`: it is answered only when its stream ends. */
export function listeningTo<R extends Role>(
  method: string,
  revisions: readonly Revision<R>[],
): readonly Revision<R>[] {
  return revisions.map((revision) => ({
    ...revision,
    table: {
      ...revision.table,
      incomingRequests: marked(method, revision.table.incomingRequests),
      outgoingRequests: marked(method, revision.table.outgoingRequests),
    },
  }));
}

function marked<Entry extends object>(
  method: string,
  requests: ReadonlyMap<string, Entry>,
): ReadonlyMap<string, Entry> {
  return new Map(
    [...requests].map(([name, entry]) => [name, name === method ? { ...entry, listening: true } : entry]),
  );
}
