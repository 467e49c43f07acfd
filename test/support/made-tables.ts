import { clientRevisions, serverRevisions } from "@mcpgen/protocol";
import type {
  IncomingNotification,
  IncomingRequest,
  MethodFacts,
  OutgoingNotification,
  OutgoingRequest,
  Revision,
} from "@mcpgen/protocol/model";
import { completed } from "../../generated/extending/completing.js";

type Rows<Facts> = { readonly [method: string]: Facts };

/** Invented methods, or columns of methods, that no released revision has. */
export interface MadeUp {
  readonly clientRequests?: Rows<OutgoingRequest>;
  readonly serverRequests?: Rows<OutgoingRequest>;
  readonly clientNotifications?: Rows<MethodFacts>;
  readonly serverNotifications?: Rows<MethodFacts>;
}

/** Accepts every message. */
const any = { accepts: () => true };

/** Returns the released revisions with the invented methods and columns added. */
export function madeUp(more: MadeUp): {
  readonly server: readonly Revision<"server">[];
  readonly client: readonly Revision<"client">[];
} {
  const { clientRequests, serverRequests, clientNotifications, serverNotifications } = more;
  return {
    server: serverRevisions.map((revision) => ({
      ...revision,
      completed,
      table: {
        ...revision.table,
        incomingRequests: received<IncomingRequest>(revision.table.incomingRequests, clientRequests),
        incomingNotifications: received<IncomingNotification>(
          revision.table.incomingNotifications,
          clientNotifications,
        ),
        outgoingRequests: sent<OutgoingRequest>(revision.table.outgoingRequests, serverRequests),
        outgoingNotifications: sent<OutgoingNotification>(
          revision.table.outgoingNotifications,
          serverNotifications,
        ),
      },
    })),
    client: clientRevisions.map((revision) => ({
      ...revision,
      completed,
      table: {
        ...revision.table,
        incomingRequests: received<IncomingRequest>(revision.table.incomingRequests, serverRequests),
        incomingNotifications: received<IncomingNotification>(
          revision.table.incomingNotifications,
          serverNotifications,
        ),
        outgoingRequests: sent<OutgoingRequest>(revision.table.outgoingRequests, clientRequests),
        outgoingNotifications: sent<OutgoingNotification>(
          revision.table.outgoingNotifications,
          clientNotifications,
        ),
      },
    })),
  };
}

function received<Facts extends IncomingRequest>(
  known: ReadonlyMap<string, Facts>,
  rows: Rows<MethodFacts> = {},
): ReadonlyMap<string, Facts> {
  const more = Object.entries(rows).map(
    ([method, facts]) => [method, { ...any, ...known.get(method), ...facts } as Facts] as const,
  );
  return new Map([...known, ...more]);
}

/** Adds alternatives to the existing ones of a result. */
function sent<Facts extends OutgoingRequest>(
  known: ReadonlyMap<string, Facts>,
  rows: Rows<Facts> = {},
): ReadonlyMap<string, Facts> {
  const more = Object.entries(rows).map(([method, facts]) => {
    const before = known.get(method);
    const alternatives = [...(before?.alternatives ?? []), ...(facts.alternatives ?? [])];
    return [method, { ...before, ...facts, ...(alternatives.length > 0 && { alternatives }) }] as const;
  });
  return new Map([...known, ...more]);
}
