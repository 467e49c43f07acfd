import type { RequestId } from "@mcpgen/base";
import { type ConnectionOptions, ServerConnection } from "../../server/connection.js";
import type { ServerDefinition } from "../../server/server-definition.js";
import { randomText } from "../../http/server/event-streams.js";
import type { HttpSession } from "./session.js";

/**
 * The connection of a session that other processes may continue, or that tokens with different rights use. Its
 * functions are methods, which saves memory: a process holds many sessions.
 */
export class StoredConnection extends ServerConnection {
  readonly #session: HttpSession;

  constructor(definition: ServerDefinition, session: HttpSession, options: ConnectionOptions) {
    super(definition, session, options, "legacy");
    this.#session = session;
  }

  override requestId(number: number): RequestId {
    const { peer, node } = this.#session;
    // The random part prevents answers by clients that did not get the question: an answer with another token of the
    // user would act with the rights of the call.
    return peer?.requestId(number) ?? `${node ?? ""}.${number}.${randomText(9)}`;
  }

  override hears(): boolean {
    return this.#session.peer?.hears() ?? true;
  }

  override isSealed(): boolean {
    return this.#session.isSealed;
  }

  override async save(): Promise<void> {
    // A session that is not open yet has no id that clients know; it is stored when it opens.
    if (this.#session.node !== undefined && this.#session.isOpen) await this.#session.store();
  }
}
