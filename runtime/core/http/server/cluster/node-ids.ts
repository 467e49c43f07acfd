import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Characters of the authentication code in an id: 72 bits. */
const macLength = 12;

/** The parts of an id before its authentication code. */
const routed = /^([\w-]{1,64})\.([0-9a-z]{1,11})\.([\w-]{12})$/;

/**
 * Ids of requests to clients: `<node>.<number>.<code>`. Each process can tell from an id which one waits for the answer. The
 * code binds the id to its session, so that clients cannot make ids.
 */
export class NodeIds {
  readonly #node: string;
  readonly #keys: readonly string[];

  /** @param keys the first one makes the codes; each is accepted */
  constructor(node: string, keys: readonly string[]) {
    this.#node = node;
    this.#keys = keys;
  }

  make(session: string, number: number): string {
    const text = `${this.#node}.${number.toString(36)}`;
    return `${text}.${codeOf(this.#keys[0]!, session, text)}`;
  }

  /** The node of an id that a process of this cluster made for the session; `undefined` for any other id. */
  nodeOf(session: string, id: unknown): string | undefined {
    const parts = typeof id === "string" ? routed.exec(id) : null;
    if (!parts) return undefined;
    const [, node, number, given] = parts as unknown as readonly [string, string, string, string];
    const matches = this.#keys.some((key) => isEqual(codeOf(key, session, `${node}.${number}`), given));
    return matches ? node : undefined;
  }
}

function codeOf(key: string, session: string, text: string): string {
  return createHmac("sha256", key).update(`${text}\n${session}`).digest("base64url").slice(0, macLength);
}

function isEqual(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Names a session in the store: a copy of the store opens no session. */
export function digestOf(session: string): string {
  return createHash("sha256").update(session).digest("base64url").slice(0, 22);
}
