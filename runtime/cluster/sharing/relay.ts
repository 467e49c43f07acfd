import type { LostCause } from "@mcpgen/base";
import type { RequestContext } from "@mcpgen/runtime/extending";
import { type Link, malformed } from "./link.js";
import { answers, type Caller, type RelayChannel, type RelayMessage } from "./relay-channel.js";
import { isRelayed } from "./relayed-requests.js";

/** A request of a client of this process, for a call that waits in another one. */
interface Passed {
  readonly context: RequestContext;
  /** Name of the process in which the call waits. */
  readonly holder: string;
  /** Whether that process got the message; `undefined` while it is being sent. */
  isSent: boolean | undefined;
  /** The request gets no answer from there. */
  readonly lost: (cause: LostCause) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Passes requests to the processes in which their calls wait. A request may be passed again after a connection broke: the
 * process that has it already ignores the copy, and one that has answered it repeats the answer.
 */
export class Relay {
  readonly #link: Link;
  readonly #channel: RelayChannel;
  readonly #open = new Map<number, Passed>();
  #last = 0;

  constructor(link: Link, channel: RelayChannel) {
    this.#link = link;
    this.#channel = channel;
  }

  /** Lets the process that the state of a request names answer it, as `relay` of the calls that wait in this process. */
  async pass(context: RequestContext): Promise<LostCause> {
    const state = context.request.params!["requestState"] as string;
    const holder = this.#link.endpoint.server.definition.seal.holderOf(state);
    // What comes from another process goes to no third one.
    if (holder === undefined || isRelayed(context.connection)) return "not-here";
    // Its client went away while the state was opened.
    if (context.over) return "cancelled";
    const id = ++this.#last;
    return new Promise((lost, failed) => {
      this.#open.set(id, { context, holder, isSent: undefined, lost, failed });
      context.onAbort = () => this.#giveUp(id, "cancelled");
      this.#send(id).catch((error: unknown) => this.#take(id)?.failed(error));
    });
  }

  /** Ends the wait for an answer. */
  #take(id: number): Passed | undefined {
    const passed = this.#open.get(id);
    if (passed) passed.context.onAbort = undefined;
    this.#open.delete(id);
    return passed;
  }

  /** Ends the wait, and informs the process that has the request: it may only be busy, and would go on without a client. */
  #giveUp(id: number, cause: LostCause): void {
    const passed = this.#take(id)!;
    passed.lost(cause);
    this.#channel.send(passed.holder, { id, gone: true }).catch(this.#link.endpoint.warn);
  }

  async #send(id: number): Promise<void> {
    const passed = this.#open.get(id)!;
    const { context, holder } = passed;
    passed.isSent = undefined;
    try {
      const message = { id, request: context.request, caller: callerOf(context) };
      passed.isSent = await this.#channel.send(holder, message);
    } finally {
      passed.isSent ??= false;
    }
    // A process that lives is making its connection to the store again: the next beat repeats the request.
    if (!passed.isSent && (await this.#link.isLost(holder))) this.#take(id)?.lost("not-here");
  }

  /** Passes the open requests again, because messages may be lost. @param holder default: of all processes */
  repeat(holder?: string): void {
    for (const [id, passed] of this.#open)
      if (holder === undefined || passed.holder === holder) this.#sendAgain(id);
  }

  #sendAgain(id: number): void {
    this.#send(id).catch(this.#link.endpoint.warn);
  }

  /** Called every second. */
  check(): void {
    const holders = new Set<string>();
    for (const [id, { holder, isSent }] of this.#open)
      if (isSent === false) this.#sendAgain(id);
      else holders.add(holder);
    for (const holder of holders) void this.#check(holder);
  }

  async #check(holder: string): Promise<void> {
    try {
      if (!(await this.#link.isLost(holder))) return;
    } catch (error) {
      return this.#link.endpoint.warn(error);
    }
    for (const [id, passed] of this.#open) if (passed.holder === holder) this.#giveUp(id, "not-here");
  }

  /** Takes what the process that answers a request sends. */
  received({ from, id, text, answer, code, lost }: RelayMessage): void {
    const passed = this.#open.get(id);
    if (passed?.holder !== from) return;
    const { context } = passed;
    const { connection, request } = context;
    if (text !== undefined) connection.send(text, request.id);
    if (lost) this.#take(id)!.lost(lost);
    if (answer === undefined) return;
    if (!answers(answer, request.id))
      return this.#link.endpoint.warn(malformed("an answer of another process"));
    this.#take(id);
    connection.answer(context, answer, code);
  }
}

function callerOf({ connection, auth, http }: RequestContext): Caller {
  const { principal } = connection;
  const { url = "", address, passed } = http ?? {};
  return { principal, auth, url, address, passed };
}
