import type { RequestId } from "@mcpgen/runtime";
import type { Node } from "./node.js";
import type { SharedSession } from "./shared-session.js";

/** Messages that wait, at most. */
const mostWaiting = 256;

interface Sent {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly requestId?: RequestId };
}

interface Waiting {
  readonly text: string;
  /** A node that has refused the message: the client no longer listens there. */
  readonly refusedBy?: string;
}

/**
 * Messages of one session that belong to no request, on their way to the node at which the client listens. They keep their
 * order. Requests for which no node listens wait until one does; notifications are dropped, as with one node.
 */
export class Outbox {
  readonly #node: Node;
  readonly #session: SharedSession;
  #waiting: Waiting[] = [];
  /** Requests for which no node listens. */
  #held: string[] = [];
  #isSending = false;
  /** How often the client has begun to listen. */
  #looks = 0;

  constructor(node: Node, session: SharedSession) {
    this.#node = node;
    this.#session = session;
  }

  /** Takes a message. Returns `false` if too many wait. */
  push(text: string, refusedBy?: string): boolean {
    if (this.#waiting.length + this.#held.length >= mostWaiting) return false;
    this.#waiting.push(refusedBy === undefined ? { text } : { text, refusedBy });
    void this.#send();
    return true;
  }

  /** The client listens at a node, maybe another one than before. */
  listens(): void {
    this.#looks++;
    this.#waiting.unshift(...this.#held.splice(0).map((text) => ({ text })));
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      for (let next; (next = this.#waiting[0]);)
        if (await this.#settle(next)) this.#waiting.splice(this.#waiting.indexOf(next), 1);
    } catch (error) {
      this.#node.endpoint.warn(error);
      this.#node.later(() => void this.#send());
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends, keeps or drops a message. Returns `false` if a node listens since it was looked for. @throws {McpError} `store-failed` */
  async #settle({ text, refusedBy }: Waiting): Promise<boolean> {
    const node = this.#node;
    const { digest } = this.#session;
    const looks = this.#looks;
    const to = await node.listenerOf(digest);
    if (to === node.name && this.#session.hear(text)) return true;
    const isOther = to !== undefined && to !== node.name && to !== refusedBy;
    if (isOther && (await node.send(to, { session: digest, text, from: node.name }))) return true;
    const message = JSON.parse(text) as Sent;
    if (message.id === undefined) {
      this.#withdraw(message);
      return true;
    }
    await node.want(digest);
    if ((await node.listenerOf(digest)) !== to || looks !== this.#looks) return false;
    this.#held.push(text);
    return true;
  }

  /** A request that is cancelled no longer waits. */
  #withdraw({ method, params }: Sent): void {
    if (method !== "notifications/cancelled") return;
    this.#held = this.#held.filter((each) => (JSON.parse(each) as Sent).id !== params?.requestId);
  }
}
