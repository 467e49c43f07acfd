import { hash } from "node:crypto";
import { AuthenticationCodes } from "../codes/authentication-codes.js";

/** The parts of an id before its authentication code. */
const routed = /^([\w-]{1,64})\.([0-9a-z]{1,11})\.([\w-]{12})$/;

/**
 * Ids of requests to clients: `<node>.<number>.<code>`. Each process can tell from an id which one waits for the answer. The
 * code binds the id to its session, so that clients cannot make ids.
 */
export class NodeIds {
  readonly #node: string;
  readonly #codes: AuthenticationCodes;

  /** @param keys the first one makes the codes; each is accepted */
  constructor(node: string, keys: readonly string[]) {
    this.#node = node;
    this.#codes = new AuthenticationCodes(keys, "mcp request id");
  }

  make(session: string, number: number): string {
    const text = `${this.#node}.${number.toString(36)}`;
    return `${text}.${this.#codes.codeOf(`${text}\n${session}`)}`;
  }

  /** The node of an id that a process of this cluster made for the session; `undefined` for any other id. */
  nodeOf(session: string, id: unknown): string | undefined {
    const parts = typeof id === "string" ? routed.exec(id) : null;
    if (!parts) return undefined;
    const [, node, number, given] = parts as unknown as readonly [string, string, string, string];
    const isOurs = this.#codes.secretOf(`${node}.${number}\n${session}`, given) >= 0;
    return isOurs ? node : undefined;
  }
}

/** Bytes of a digest. */
const digestBytes = 16;

/** Names a session in the store: a copy of the store opens no session. Each session keeps the text, so it is no part of a longer one. */
export function digestOf(session: string): string {
  return hash("sha256", session, "buffer").toString("base64url", 0, digestBytes);
}
