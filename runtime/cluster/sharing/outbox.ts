import type { RequestId } from "@mcpgen/runtime";
import type { Link } from "./link.js";

/** Maximum number of waiting messages. */
const mostWaiting = 256;

interface Sent {
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: { readonly requestId?: RequestId };
}

interface Waiting {
  readonly text: string;
  /** A node that has returned the message, because the client no longer listens there. */
  readonly refusedBy?: string;
}

/** A session whose client may listen here. */
interface Listening {
  /** Digest of the session id; other nodes know the session by it. */
  readonly digest: string;
  /** Sends a message on the stream on which the client listens here. Returns `false` if there is no such stream. */
  hear(text: string): boolean;
}

/**
 * Queues the messages of one session that do not belong to a request, and sends them in order to the node at which the
 * client listens. If the client does not listen, requests wait until it does; notifications are dropped, as with a single
 * node.
 */
export class Outbox {
  readonly #link: Link;
  readonly #session: Listening;
  #waiting: Waiting[] = [];
  /** Requests that wait until the client listens. */
  #held: string[] = [];
  #isSending = false;
  /** Number of times that the client has begun to listen. */
  #looks = 0;

  constructor(link: Link, session: Listening) {
    this.#link = link;
    this.#session = session;
  }

  /** Queues a message. Returns `false` if too many messages wait. */
  push(text: string, refusedBy?: string): boolean {
    if (this.#waiting.length + this.#held.length >= mostWaiting) return false;
    this.#waiting.push(refusedBy === undefined ? { text } : { text, refusedBy });
    void this.#send();
    return true;
  }

  /** Called when the client listens at a node, possibly a new one. */
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
      this.#link.endpoint.warn(error);
      this.#link.later(() => void this.#send());
    } finally {
      this.#isSending = false;
    }
  }

  /**
   * Sends, holds or drops a message. Returns `false` to try again, if the client began to listen meanwhile. @throws
   * {McpError} `store-failed`
   */
  async #settle({ text, refusedBy }: Waiting): Promise<boolean> {
    const link = this.#link;
    const { digest } = this.#session;
    const looks = this.#looks;
    const to = await link.listenerOf(digest);
    if (to === link.name && this.#session.hear(text)) return true;
    const isOther = to !== undefined && to !== link.name && to !== refusedBy;
    if (isOther && (await link.send(to, { session: digest, text, from: link.name }))) return true;
    const message = JSON.parse(text) as Sent;
    if (message.id === undefined) {
      this.#withdraw(message);
      return true;
    }
    await link.want(digest);
    if ((await link.listenerOf(digest)) !== to || looks !== this.#looks) return false;
    this.#held.push(text);
    return true;
  }

  /** Drops a waiting request that is cancelled. */
  #withdraw({ method, params }: Sent): void {
    if (method !== "notifications/cancelled") return;
    this.#held = this.#held.filter((each) => (JSON.parse(each) as Sent).id !== params?.requestId);
  }
}
