import { ServerConnection } from "../../../server/connection.js";
import type { HttpSession } from "../session.js";

/** A connection whose session other nodes serve, too. */
interface SharedConnection extends ServerConnection {
  listening?: HttpSession;
  /** A change is being reported to its session, which all nodes get. */
  isChange?: boolean;
}

/** Each node gets each change: only the one at which the client listens notifies it. */
export function notifyWhereHeard(session: HttpSession): void {
  const connection: SharedConnection = session.connection;
  connection.listening = session;
  // The same functions for all connections: there may be many.
  connection.changed = changed;
  connection.notifyReady = notifyReady;
}

function changed(this: SharedConnection, ...given: Parameters<ServerConnection["changed"]>): void {
  this.isChange = true;
  try {
    ServerConnection.prototype.changed.apply(this, given);
  } finally {
    this.isChange = false;
  }
}

function notifyReady(this: SharedConnection, ...given: Parameters<ServerConnection["notifyReady"]>): void {
  if (!this.isChange || this.listening!.listens) ServerConnection.prototype.notifyReady.apply(this, given);
}
