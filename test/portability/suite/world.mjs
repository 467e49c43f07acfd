import { createHttpHandler } from "@mcpgen/runtime/http";
import { heard } from "../../support/heard.mjs";
import { fixture } from "./fixture.mjs";
import { Party } from "./party.mjs";

const url = "http://localhost/mcp";

/** The surroundings of a case: servers and their clients. */
export class World {
  /** Warnings that the server reported. */
  warnings = [];
  #target;
  #parties = [];
  #handlers = [];

  /** @param target an existing server, reached from outside: `{ url, send(Request) }` */
  constructor(target = undefined) {
    this.#target = target;
  }

  /** The server of a case that does not choose one. */
  get target() {
    return (this.#target ??= this.serve({}, { keepAliveMs: 200 }));
  }

  /** A server of the case's own, in this very program. */
  serve(options = {}, http = {}) {
    const server = fixture({
      ...options,
      onEvent: heard({ warning: (message) => this.warnings.push(message), event: options.onEvent }),
    });
    const handler = createHttpHandler(server, http);
    this.#handlers.push(handler);
    return { url, send: handler.fetch, server, handler };
  }

  /** A handwritten client after its handshake. */
  async party(revision, capabilities = {}, target = this.target) {
    return this.raw(revision, capabilities, target).open();
  }

  raw(revision, capabilities = {}, target = this.target) {
    const party = new Party(target, revision, capabilities);
    this.#parties.push(party);
    return party;
  }

  async close() {
    for (const party of this.#parties) party.leave();
    await Promise.all(this.#handlers.map((handler) => handler.close()));
  }
}

let gates = 0;

/** A name that no other gate in any process has. */
export function gateName() {
  return `${Date.now().toString(36)}-${Math.random().toString(36).slice(2)}-${gates++}`;
}
