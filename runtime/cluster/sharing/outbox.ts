import type { RequestId } from "@mcpgen/runtime";
import type { Link } from "./link.js";

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

/** A session whose client may listen here. */
interface Listening {
  /** Names the session to other nodes. */
  readonly digest: string;
  /** Sends a message on the stream at which the client listens here. Returns `false` if there is none. */
  hear(text: string): boolean;
}

/**
 * Messages of one session that belong to no request, on their way to the node at which the client listens. They keep their
 * order. Requests for which no node listens wait until one does; notifications are dropped, as with one node.
 */
export class Outbox {
  readonly #link: Link;
  readonly #session: Listening;
  #waiting: Waiting[] = [];
  /** Requests for which no node listens. */
  #held: string[] = [];
  #isSending = false;
  /** Number of times that the client has begun to listen. */
  #looks = 0;

  constructor(link: Link, session: Listening) {
    this.#link = link;
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
      this.#link.endpoint.warn(error);
      this.#link.later(() => void this.#send());
    } finally {
      this.#isSending = false;
    }
  }

  /** Sends, keeps or drops a message. Returns `false` if a node listens since it was looked for. @throws {McpError} `store-failed` */
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

  /** A request that is cancelled no longer waits. */
  #withdraw({ method, params }: Sent): void {
    if (method !== "notifications/cancelled") return;
    this.#held = this.#held.filter((each) => (JSON.parse(each) as Sent).id !== params?.requestId);
  }
}
