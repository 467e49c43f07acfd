import { mostReserved, type Params, weightOf } from "@mcpgen/base";
import { declares } from "../../protocol/revision-view.js";
import type { ServerConnection } from "../../server/connection.js";
import type { KeptRoots, Session } from "../../server/server-definition.js";

/** The request for the roots of a client. */
export const listRoots = "roots/list";

/** The notification after which the roots are asked for again (2025-11-25, roots). */
export const rootsChanged = "notifications/roots/list_changed";

/**
 * Answers a request for the roots of the client. A session keeps them until the client reports a change. They are not
 * kept if the client does not declare such reports, the roots take too much memory, or other processes share the
 * session.
 *
 * @param ask asks the client
 */
export async function rootsOf(
  connection: ServerConnection,
  session: Session,
  ask: () => Promise<Params>,
): Promise<Params> {
  if (session.roots?.result) return JSON.parse(session.roots.result) as Params;
  const asking: KeptRoots = (session.roots = {});
  const result = await ask();
  // Not kept if a change was reported meanwhile, or if the session is shared, because a report may reach another
  // process.
  const isKept = session.roots === asking && !connection.save;
  if (isKept && declares(session.clientCapabilities, ["roots", "listChanged"])) {
    const weight = weightOf(result, mostReserved);
    try {
      connection.reserve(weight);
      session.weight += weight;
      session.roots = { result: JSON.stringify(result), weight };
    } catch {}
  }
  return result;
}

/** The client has reported a change. */
export function forgetRoots(connection: ServerConnection, session: Session): void {
  const { weight = 0 } = session.roots ?? {};
  connection.release(weight);
  session.weight -= weight;
  session.roots = undefined;
}
