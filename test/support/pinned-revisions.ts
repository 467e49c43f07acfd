import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type { Revision, Role, Steps } from "@mcpgen/protocol/model";
import { explained } from "@mcpgen/protocol/explained";
import { revisions } from "./revisions.js";

type Tables = { readonly [name in `${Role}Steps`]: Steps };

/** The steps between each revision and its predecessor. */
const steps = new Map<string, Tables>(
  await Promise.all(
    revisions.slice(1).map(async (revision) => {
      const tables = (await import(/* @vite-ignore */ `../../generated/${revision}/steps.js`)) as Tables;
      return [revision, tables] as const;
    }),
  ),
);

export const opposite = (role: Role): Role => (role === "client" ? "server" : "client");

/** The released revisions of a role, as generated with another vocabulary. */
function pinned<R extends Role>(all: readonly Revision<R>[], vocabulary: string): readonly Revision<R>[] {
  return explained(all).map((revision) =>
    revision.id > vocabulary
      ? { ...revision, peerSteps: steps.get(revision.id)![`${opposite(revision.role)}Steps`] }
      : revision,
  );
}

/** The revisions of both roles, as generated with another vocabulary. */
export function pinnedAt(vocabulary: string): {
  readonly server: readonly Revision<"server">[];
  readonly client: readonly Revision<"client">[];
} {
  return {
    server: pinned(serverRevisions, vocabulary),
    client: pinned(clientRevisions, vocabulary),
  };
}
