import { hash } from "node:crypto";
import { AuthenticationCodes } from "../codes/authentication-codes.js";

/** An id: node, number and authentication code. */
const routed = /^([\w-]{1,64})\.([0-9a-z]{1,11})\.([\w-]{12})$/;

/**
 * Ids of requests to clients: `<node>.<number>.<code>`. The id names the node that waits for the answer. The code binds the
 * id to its session, so that clients cannot forge ids.
 */
export class NodeIds {
  readonly #node: string;
  readonly #codes: AuthenticationCodes;

  /** @param keys the first one makes codes; codes by any of them are valid */
  constructor(node: string, keys: readonly string[]) {
    this.#node = node;
    this.#codes = new AuthenticationCodes(keys, "mcp request id");
  }

  make(session: string, number: number): string {
    const text = `${this.#node}.${number.toString(36)}`;
    return `${text}.${this.#codes.codeOf(`${text}\n${session}`)}`;
  }

  /** Returns the node of an id that a process of this cluster made for the session; `undefined` for any other id. */
  nodeOf(session: string, id: unknown): string | undefined {
    const parts = typeof id === "string" ? routed.exec(id) : null;
    if (!parts) return undefined;
    const [, node, number, given] = parts as unknown as readonly [string, string, string, string];
    const isOurs = this.#codes.secretOf(`${node}.${number}\n${session}`, given) >= 0;
    return isOurs ? node : undefined;
  }
}

/** Length of a digest in bytes. */
const digestBytes = 16;

/**
 * Returns the digest by which the store knows a session, so that a copy of the store cannot open sessions. `toString` with a
 * range makes a new string: a slice would keep the longer string in memory for each session.
 */
export function digestOf(session: string): string {
  return hash("sha256", session, "buffer").toString("base64url", 0, digestBytes);
}
