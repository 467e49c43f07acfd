import type { RequestId } from "@mcpgen/runtime";
import { errorText, isProduction, type ServerChannel } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import type { ClusterEndpoint } from "@mcpgen/runtime/extending";
import type { Link } from "./link.js";
import type { Caller, RelayChannel, RelayMessage } from "./relay-channel.js";

type Connection = ReturnType<ClusterEndpoint["relayed"]>;
type Reader = Parameters<ClusterEndpoint["backlog"]["wait"]>[0];

/** Characters of one request's messages that may wait for the store. One more ends the request. */
const mostWaiting = 8 * 1_048_576;

/** Connections of requests that came from another process. */
const relayed = new WeakSet<Connection>();

/** Whether the request of a connection came from another process: it is not passed on. */
export function isRelayed(connection: Connection): boolean {
  return relayed.has(connection);
}

/** The requests of clients of other processes, whose calls wait here. */
export class RelayedRequests {
  readonly link: Link;
  readonly channel: RelayChannel;
  readonly #running = new Map<string, RelayedRequest>();

  constructor(link: Link, channel: RelayChannel) {
    this.link = link;
    this.channel = channel;
  }

  /** @param size characters of the message */
  received(message: RelayMessage, size: number): void {
    const { from, id, request, caller, gone } = message;
    const key = `${from} ${id}`;
    const known = this.#running.get(key);
    if (gone) return known?.gone();
    if (known || !request) return;
    const begun = new RelayedRequest(this, { from, id, size, caller: caller!, request: request.id }, () =>
      this.#running.delete(key),
    );
    this.#running.set(key, begun);
    begun.run(request);
  }

  /** Called every second: the client of a process that is lost is gone. */
  check(): void {
    for (const from of new Set([...this.#running.values()].map((each) => each.from)))
      this.link.isLost(from).then((isLost) => {
        for (const each of this.#running.values()) if (isLost && each.from === from) each.gone();
      }, this.link.endpoint.warn);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((each) => each.end()));
  }
}

/** A request of another process. */
interface Origin {
  /** Name of that process. */
  readonly from: string;
  readonly id: number;
  /** Id of the request. */
  readonly request: RequestId;
  /** Characters of its message. */
  readonly size: number;
  readonly caller: Caller;
}

/** The channel of one request: what is sent goes to the process that has the client. */
class RelayedRequest implements ServerChannel, Reader {
  readonly isBrief = true;
  readonly hidesErrors = isProduction();
  readonly principal: string;
  readonly #requests: RelayedRequests;
  readonly #origin: Origin;
  readonly #forget: () => void;
  #connection: Connection | undefined;
  /** The answer is made, or the client is gone. */
  #isOver = false;
  #isGone = false;
  /** Characters that wait for the store. */
  #waiting = 0;

  constructor(requests: RelayedRequests, origin: Origin, forget: () => void) {
    this.#requests = requests;
    this.#origin = origin;
    this.#forget = forget;
    this.principal = origin.caller.principal;
  }

  get from(): string {
    return this.#origin.from;
  }

  get #endpoint(): ClusterEndpoint {
    return this.#requests.link.endpoint;
  }

  run(request: NonNullable<RelayMessage["request"]>): void {
    const { caller, size } = this.#origin;
    const { quotas, backlog } = this.#endpoint;
    const { principal } = this;
    const isFull = quotas.work.refusal(principal, 0, 1) ?? quotas.bodies.refusal(principal, size, 0);
    if (isFull) {
      backlog.counts.limitHit("limits.work", principal);
      return this.answer(request.id, busyText(request.id), rpc.invalidRequest);
    }
    this.#count(1);
    const { url, address, passed, auth } = caller;
    const http = { url, address, ...(passed && { passed }) };
    this.#connection = this.#endpoint.relayed(this, principal ? { auth, principal } : {}, http);
    relayed.add(this.#connection);
    this.#connection.requested(request);
  }

  /** @param sign -1 ends the counting */
  #count(sign: 1 | -1): void {
    const { work, bodies } = this.#endpoint.quotas;
    work.take(this.principal, 0, sign);
    bodies.take(this.principal, sign * this.#origin.size, 0);
  }

  send(text: string): void {
    if (this.#isOver) return;
    if (this.#waiting > mostWaiting) {
      this.#endpoint.backlog.counts.limitHit("limits.memory", this.principal);
      return this.cut();
    }
    this.#wait(text.length, false);
    this.#publish({ text })
      .catch(this.#endpoint.warn)
      .finally(() => this.#wait(-text.length, true));
  }

  answer(_id: RequestId | undefined, answer: string, code?: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wait(answer.length, false);
    void this.#deliver(code === undefined ? { answer } : { answer, code });
    this.#finish();
  }

  /** Sends the last message until that process has it, or is lost, or the message has waited for too long. */
  async #deliver(message: Partial<RelayMessage>): Promise<void> {
    const { link } = this.#requests;
    if (this.#isGone) return;
    try {
      // Nothing waits now, and the process has what it is to get.
      if (await this.#publish(message)) return this.gone();
    } catch (error) {
      link.endpoint.warn(error);
    }
    link.later(() => void this.#deliver(message));
  }

  #publish(message: Partial<RelayMessage>): Promise<boolean> {
    const { from, id } = this.#origin;
    return this.#requests.channel.send(from, { id, ...message });
  }

  #wait(more: number, took: boolean): void {
    if (this.#isGone) return;
    this.#waiting += more;
    this.#endpoint.backlog.wait(this, this.#waiting, took);
  }

  /** Ends the request, because the store does not take what it sends. */
  cut(): void {
    if (this.#isGone) return;
    this.gone();
    this.#publish({ lost: "cancelled" }).catch(this.#endpoint.warn);
  }

  /** The client has its answer, or it or its process is gone. */
  gone(): void {
    this.#endpoint.backlog.wait(this, 0);
    this.#isOver = this.#isGone = true;
    this.#forget();
    this.#finish();
  }

  #finish(): void {
    const connection = this.#connection;
    if (!connection) return;
    this.#connection = undefined;
    this.#count(-1);
    connection.closed();
  }

  abortedWork(more: number): void {
    this.#endpoint.quotas.work.take(this.principal, 0, more);
  }

  flush(): void {}

  /** The endpoint closes. */
  async end(): Promise<void> {
    await this.#connection?.close();
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    void this.#deliver({ lost: "cancelled" });
    this.#finish();
  }
}

function busyText(id: RequestId): string {
  const data = { limit: "limits.work" };
  return errorText(id, { code: rpc.invalidRequest, message: "the server is busy: try again later", data });
}
