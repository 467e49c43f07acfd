import type { RequestId } from "../../jsonrpc/message.js";
import { type ConnectionOptions, ServerConnection } from "../../server/connection.js";
import type { ServerDefinition } from "../../server/server-definition.js";
import type { HttpSession } from "./session.js";

/** The connection of a session that other processes may continue. Its functions are methods: a process holds many sessions. */
export class StoredConnection extends ServerConnection {
  readonly #session: HttpSession;

  constructor(definition: ServerDefinition, session: HttpSession, options: ConnectionOptions) {
    super(definition, session, options, "legacy");
    this.#session = session;
  }

  override requestId(number: number): RequestId {
    const { peer, node } = this.#session;
    return peer?.requestId(number) ?? `${node!}.${number}`;
  }

  override save(): Promise<void> {
    return this.#session.store();
  }
}
