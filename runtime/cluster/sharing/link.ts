import { randomBytes } from "node:crypto";
import { type Clock, McpError } from "@mcpgen/runtime";
import { stored } from "@mcpgen/base";
import type { ClusterEndpoint, ClusterSessions } from "@mcpgen/runtime/extending";
import {
  type NodeMessage,
  type SessionMessage,
  type SharedState,
  listenerKey,
  nodeChannel,
  sessionsChannel,
  sharedStateOf,
  stateKey,
  wantedKey,
} from "./messages.js";
import { NodeIds } from "./node-ids.js";
import type { ClusterOptions, ClusterStore } from "./store.js";

/** Milliseconds without a heartbeat after which a node is silent. */
const leaseMs = 3000;
/** Milliseconds for which a silent node counts as busy, if it is connected to the store. */
const busyMs = 10_000;
/** Milliseconds after which the recorded start of a node's silence is dropped. */
const forgottenMs = 60_000;
export const keptMs = 86_400_000;
/** Maximum number of answers, and of their characters, that are kept for resending. */
const mostAnswers = 256;
const mostCharacters = 1_048_576;

/** A node's access to the shared store: values, messages to other nodes, heartbeats. */
export class Link {
  readonly name: string;
  readonly store: ClusterStore;
  readonly ids: NodeIds;
  readonly endpoint: ClusterEndpoint;
  /** Absent if the endpoint has none. */
  readonly sessions: ClusterSessions | undefined;
  readonly clock: Clock;
  /** Milliseconds for which the store keeps the end and the state of a session: as long as the session may be opened. */
  readonly ttlMs: number;
  /**
   * The last answers of clients that this process has sent to other nodes. An engine may accept a message and lose it if
   * the receiver's connection breaks; then the answers are sent again. A second copy has no effect, because its request is
   * already answered.
   */
  readonly #answers: { readonly node: string; readonly text: string }[] = [];
  #characters = 0;
  /** Work for the next beat, because the store was unavailable. */
  #later: (() => void)[] = [];
  /** Until this time missing heartbeats do not count, because the store was unavailable and missed them. */
  #trustedFrom = -Infinity;
  /** Start of silence, by node whose streams are followed here. */
  readonly #silent = new Map<string, number>();

  constructor(
    { store, keys }: ClusterOptions,
    endpoint: ClusterEndpoint,
    sessions: ClusterSessions | undefined,
  ) {
    this.name = randomBytes(6).toString("base64url");
    this.store = store;
    this.endpoint = endpoint;
    this.sessions = sessions;
    this.clock = endpoint.server.definition.clock;
    this.ttlMs = Math.max(keptMs, sessions?.lifeMs ?? 0);
    this.ids = new NodeIds(this.name, keys);
  }

  /**
   * Sends a message to one node. Resolves with `false` if the node is not connected.
   *
   * @throws {McpError} `store-failed`
   */
  send(node: string, message: NodeMessage): Promise<boolean> {
    return this.#sendText(node, JSON.stringify(message));
  }

  /**
   * Sends the answer of a client to one node, and keeps it for resending. Resolves as `send`.
   *
   * @throws {McpError} `store-failed`
   */
  async sendAnswer(node: string, message: NodeMessage): Promise<boolean> {
    const text = JSON.stringify(message);
    const isSent = await this.#sendText(node, text);
    if (isSent) this.#keep(node, text);
    return isSent;
  }

  #keep(node: string, text: string): void {
    this.#answers.push({ node, text });
    this.#characters += text.length;
    while (this.#answers.length > mostAnswers || this.#characters > mostCharacters)
      this.#characters -= this.#answers.shift()!.text.length;
  }

  /** Resends the answers that may be lost. @param node the node that may have lost them; default: all nodes */
  repeatAnswers(node?: string): void {
    for (const { node: to, text } of this.#answers)
      if (node === undefined || to === node) this.#sendText(to, text).catch(this.endpoint.warn);
  }

  /** Sends a message to all nodes. @throws {McpError} `store-failed` */
  async sendAll(
    session: string | undefined,
    message: Omit<SessionMessage, "session" | "node">,
  ): Promise<void> {
    const { name } = this;
    await this.publish(
      sessionsChannel,
      JSON.stringify({ session, node: name, ...message } satisfies SessionMessage),
    );
  }

  async #sendText(node: string, text: string): Promise<boolean> {
    return (await this.publish(nodeChannel(node), text)) > 0;
  }

  /** Sends a text to the subscribers of a channel. Resolves with their number. @throws {McpError} `store-failed` */
  publish(channel: string, text: string): Promise<number> {
    return this.call((store) => store.publish(channel, text));
  }

  /** Calls the store. @throws {McpError} `store-failed` */
  call<T>(work: (store: ClusterStore) => Promise<T>): Promise<T> {
    return stored(() => work(this.store), "cluster store");
  }

  /** Stores a text for `ttlMs`. @throws {McpError} `store-failed` */
  put(key: string, text: string): Promise<void> {
    return this.call((store) => store.put(key, text, this.ttlMs));
  }

  /** Reads the stored state of a session. @throws {McpError} `store-failed`: also if the state is malformed */
  async stateOf(digest: string): Promise<SharedState> {
    const text = await this.call((store) => store.get(stateKey(digest)));
    const state = text === undefined ? {} : sharedStateOf(text);
    if (state) return state;
    throw malformed("the state of a session");
  }

  /** Stores the changed state of a session, then sends it to all nodes. @throws {McpError} `store-failed` */
  async share(digest: string, state: SharedState): Promise<void> {
    await this.put(stateKey(digest), JSON.stringify(state));
    await this.sendAll(digest, { state });
  }

  /** Reads the node at which the client of a session listens. @throws {McpError} `store-failed` */
  listenerOf(digest: string): Promise<string | undefined> {
    return this.call((store) => store.get(listenerKey(digest)));
  }

  /** Records that messages wait until the client listens. @throws {McpError} `store-failed` */
  want(digest: string): Promise<void> {
    return this.put(wantedKey(digest), "1");
  }

  /**
   * Records that the client listens here, and reports it to nodes with waiting messages. @throws {McpError} `store-failed`
   */
  async listens(digest: string): Promise<void> {
    // The order matters: a waiting node first records that it waits, then looks for the listener.
    await this.put(listenerKey(digest), this.name);
    const isWanted = await this.call((store) => store.take(wantedKey(digest)));
    if (isWanted !== undefined) await this.sendAll(digest, { listens: true });
  }

  /** Repeats failed work with the next beat. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  /** Sends a heartbeat, and does the work that waits for the store. */
  beat(): void {
    const { clock } = this;
    const { warn } = this.endpoint;
    this.call((store) => store.heartbeat(this.name, leaseMs)).catch((error: unknown) => {
      this.#trustedFrom = clock.now() + leaseMs;
      warn(error);
    });
    for (const [node, from] of this.#silent) if (clock.now() - from > forgottenMs) this.#silent.delete(node);
    for (const work of this.#later.splice(0)) work();
  }

  /**
   * Whether a node is lost: it sends no heartbeats, and either is not connected to the store or has been silent for
   * `busyMs`. A shorter silence may mean that a handler keeps it busy. No node counts as lost just after the store was
   * unavailable.
   *
   * @throws {McpError} `store-failed`
   */
  async isLost(node: string): Promise<boolean> {
    const isAlive = await this.call((store) => store.alive(node));
    const now = this.clock.now();
    if (isAlive || now < this.#trustedFrom) {
      this.#silent.delete(node);
      return false;
    }
    const from = this.#silent.get(node) ?? now;
    this.#silent.set(node, from);
    return now - from >= busyMs || !(await this.send(node, { session: "" }));
  }
}

/** The error for a value or message that another program must have written. */
export function malformed(what: string): McpError {
  return new McpError(
    "store-failed",
    `cluster store: ${what} is malformed. Let no other program write there.`,
  );
}
