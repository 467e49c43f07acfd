import { McpError } from "@mcpgen/runtime";
import {
  type ClusterEndpoint,
  type ClusterNode,
  type ClusterSession,
  type HttpSession,
  randomText,
  stored,
  unref,
} from "@mcpgen/runtime/extending";
import type { EventStore } from "@mcpgen/runtime/fetch";
import type { ClusterOptions } from "./cluster.js";
import type { Follower } from "./follower.js";
import {
  type NodeMessage,
  type SessionMessage,
  type SharedState,
  endedKey,
  eventsChannel,
  listenerKey,
  nodeChannel,
  nodeMessageOf,
  sessionMessageOf,
  sessionsChannel,
  sharedStateOf,
  stateKey,
  wantedKey,
} from "./messages.js";
import { NodeIds, digestOf } from "./node-ids.js";
import { SentAnswers } from "./sent-answers.js";
import { SharedSession } from "./shared-session.js";
import type { ClusterStore } from "./store.js";

/** Milliseconds between heartbeats, and between looks at the nodes whose streams are followed. */
const beatMs = 1000;
/** Milliseconds without a heartbeat after which a node is silent. */
const leaseMs = 3000;
/** Milliseconds for which a silent node may be busy, if it is connected to the store. */
const busyMs = 10_000;
/** Milliseconds after which it is forgotten since when a node is silent. */
const forgottenMs = 60_000;
const defaultTtlMs = 86_400_000;

/** One endpoint of a cluster. */
export class Node implements ClusterNode {
  readonly name: string;
  readonly store: ClusterStore;
  readonly ids: NodeIds;
  readonly events: EventStore;
  readonly endpoint: ClusterEndpoint;
  /** Streams of other nodes that clients of this one read. */
  readonly followers = new Set<Follower>();
  /** Milliseconds for which the end of a session, and what has changed about it, are kept: as long as it may be opened. */
  readonly #ttlMs: number;
  /** The sessions that other nodes may name, by digest. */
  readonly #sessions = new Map<string, SharedSession>();
  readonly #answers = new SentAnswers();
  /** What the next beat does: the store was away. */
  #later: (() => void)[] = [];
  /** Ends the subscriptions. */
  readonly #leave: (() => Promise<void>)[] = [];
  #timer: unknown;
  /** When the signs of life of other nodes count again: the store was away, and had none of them. */
  #trustedFrom = -Infinity;
  /** Since when nodes are silent whose streams are followed here. */
  readonly #silent = new Map<string, number>();
  #isJoining = false;
  #isClosed = false;

  constructor({ store, keys, node, ttlMs = defaultTtlMs }: ClusterOptions, endpoint: ClusterEndpoint) {
    this.name = `${node ? `${node}-` : ""}${randomText(6)}`;
    this.store = store;
    this.endpoint = endpoint;
    this.#ttlMs = Math.max(ttlMs, endpoint.lifeMs ?? 0);
    this.ids = new NodeIds(this.name, keys);
    this.events = {
      append: (session, stream, data) => {
        const digest = digestOf(session);
        return store.log.append(digest, stream, data, ttlMs, eventsChannel(digest));
      },
      after: (session, event) => store.log.after(digestOf(session), event),
      drop: (session) => store.log.drop(digestOf(session)),
    };
    this.#beat();
  }

  attach(session: HttpSession): ClusterSession {
    return new SharedSession(this, session);
  }

  /** Other nodes may name the session from now on. */
  register(digest: string, session: SharedSession): void {
    this.#sessions.set(digest, session);
  }

  unregister(digest: string, session: SharedSession): void {
    if (this.#sessions.get(digest) === session) this.#sessions.delete(digest);
  }

  /**
   * Sends a message to one node. Resolves with `false` if the node is not there.
   *
   * @throws {McpError} `store-failed`
   */
  send(node: string, message: NodeMessage): Promise<boolean> {
    return this.#sendText(node, JSON.stringify(message));
  }

  /**
   * The same for the answer of a client, which is sent again where it may have been lost.
   *
   * @throws {McpError} `store-failed`
   */
  async sendAnswer(node: string, message: NodeMessage): Promise<boolean> {
    const text = JSON.stringify(message);
    const isSent = await this.#sendText(node, text);
    if (isSent) this.#answers.add(node, text);
    return isSent;
  }

  /** Sends a message to all nodes. @throws {McpError} `store-failed` */
  async sendAll(
    session: string | undefined,
    message: Omit<SessionMessage, "session" | "node">,
  ): Promise<void> {
    const { name } = this;
    await this.#publish(
      sessionsChannel,
      JSON.stringify({ session, node: name, ...message } satisfies SessionMessage),
    );
  }

  async #sendText(node: string, text: string): Promise<boolean> {
    return (await this.#publish(nodeChannel(node), text)) > 0;
  }

  #publish(channel: string, text: string): Promise<number> {
    return stored(() => this.store.publish(channel, text), "cluster store");
  }

  /** What other nodes have stored about a session. @throws {McpError} `store-failed`: also for what no node stored */
  async stateOf(digest: string): Promise<SharedState> {
    return stateIn(await stored(() => this.store.get(stateKey(digest)), "cluster store"));
  }

  /** Stores what has changed about a session, then reports it to all nodes. @throws {McpError} `store-failed` */
  async share(digest: string, state: SharedState): Promise<void> {
    const put = (): Promise<void> => this.store.put(stateKey(digest), JSON.stringify(state), this.#ttlMs);
    await stored(put, "cluster store");
    await this.sendAll(digest, { state });
  }

  /** The node at which the client of a session listens. @throws {McpError} `store-failed` */
  listenerOf(digest: string): Promise<string | undefined> {
    return stored(() => this.store.get(listenerKey(digest)), "cluster store");
  }

  /** Says that messages wait until the client listens. @throws {McpError} `store-failed` */
  want(digest: string): Promise<void> {
    return stored(() => this.store.put(wantedKey(digest), "1", this.#ttlMs), "cluster store");
  }

  /** Says that the client listens here, and reports it to the nodes whose messages wait for that. */
  async listens(digest: string): Promise<void> {
    try {
      // In this order: a node that waits looks for the other one after it has said so.
      await stored(() => this.store.put(listenerKey(digest), this.name, this.#ttlMs), "cluster store");
      const isWanted = await stored(() => this.store.take(wantedKey(digest)), "cluster store");
      if (isWanted !== undefined) await this.sendAll(digest, { listens: true });
    } catch (error) {
      this.endpoint.warn(error);
      this.later(() => this.#sessions.get(digest)?.listens());
    }
  }

  /** Does what failed again with the next beat. */
  later(work: () => void): void {
    this.#later.push(work);
  }

  /**
   * Whether a node is gone: it sends no heartbeat, and is not connected to the store. A handler may keep it busy; it counts as lost
   * when it is silent for long. Not known while the store was just away.
   *
   * @throws {McpError} `store-failed`
   */
  async isLost(node: string): Promise<boolean> {
    const isAlive = await stored(() => this.store.alive(node), "cluster store");
    const now = this.endpoint.clock.now();
    if (isAlive || now < this.#trustedFrom) {
      this.#silent.delete(node);
      return false;
    }
    const from = this.#silent.get(node) ?? now;
    this.#silent.set(node, from);
    return now - from >= busyMs || !(await this.send(node, { session: "" }));
  }

  async isOpen(id: string): Promise<boolean> {
    try {
      const key = endedKey(digestOf(id));
      return (await stored(() => this.store.get(key), "cluster store")) === undefined;
    } catch (error) {
      // Calls go on while the store is away.
      this.endpoint.warn(error);
      return true;
    }
  }

  async end(id: string): Promise<void> {
    const digest = digestOf(id);
    await stored(() => this.store.put(endedKey(digest), "1", this.#ttlMs), "cluster store");
    await this.sendAll(digest, { ended: true });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.endpoint.clock.clear(this.#timer);
    for (const follower of this.followers) follower.end();
    await Promise.all(this.#leave.map((leave) => leave().catch(this.endpoint.warn)));
  }

  readonly #beat = (): void => {
    const { clock, warn } = this.endpoint;
    stored(() => this.store.heartbeat(this.name, leaseMs), "cluster store").catch((error: unknown) => {
      this.#trustedFrom = clock.now() + leaseMs;
      warn(error);
    });
    if (this.#leave.length < 2) void this.#join();
    for (const follower of this.followers) follower.check();
    for (const [node, from] of this.#silent) if (clock.now() - from > forgottenMs) this.#silent.delete(node);
    for (const work of this.#later.splice(0)) work();
    this.#timer = unref(clock.schedule(this.#beat, beatMs));
  };

  /** Subscribes to what is left of the channels of a node. */
  async #join(): Promise<void> {
    if (this.#isJoining) return;
    this.#isJoining = true;
    const channels = [
      [
        nodeChannel(this.name),
        this.#listener(nodeMessageOf, (message) => this.#received(message)),
        () => this.#reconnected(),
      ],
      [
        sessionsChannel,
        this.#listener(sessionMessageOf, (message) => this.#changed(message)),
        // Another node may have said meanwhile that it missed answers.
        () => this.#repeatAnswers(),
      ],
    ] as const;
    try {
      for (const [channel, listener, lost] of channels.slice(this.#leave.length)) {
        const leave = await stored(() => this.store.subscribe(channel, listener, lost), "cluster store");
        this.#leave.push(leave);
        if (this.#isClosed) await leave();
      }
    } catch (error) {
      this.endpoint.warn(error);
    } finally {
      this.#isJoining = false;
    }
  }

  /** A listener of a channel. It never throws: what no node sent, and what fails, is reported. */
  #listener<Message>(
    messageOf: (text: string) => Message | undefined,
    use: (message: Message) => void,
  ): (text: string) => void {
    return (text) => {
      try {
        const message = messageOf(text);
        if (message) use(message);
        else this.endpoint.warn(malformed("a message on a channel"));
      } catch (error) {
        this.endpoint.warn(error);
      }
    };
  }

  /** The store was away. It may have lost answers to this node, and may have forgotten who listens here. */
  #reconnected(): void {
    this.sendAll(undefined, { missed: true }).catch((error: unknown) => {
      this.endpoint.warn(error);
      this.later(() => this.#reconnected());
    });
    for (const session of this.#sessions.values()) if (session.session.listens) session.listens();
  }

  /** @param node the one that may have lost them; default: any */
  #repeatAnswers(node?: string): void {
    for (const { node: to, text } of this.#answers.to(node))
      this.#sendText(to, text).catch(this.endpoint.warn);
  }

  #received({ session, message, follows, over, text, returned, from, taken }: NodeMessage): void {
    const found = this.#sessions.get(session);
    if (message) found?.receive(message);
    if (text !== undefined && !found?.hear(text))
      this.send(from!, { session, returned: text, from: this.name }).catch(this.endpoint.warn);
    if (returned !== undefined) found?.outbox.push(returned, from);
    if (taken !== undefined) found?.session.named(taken)?.close(false);
    if (follows && !found?.isFollowed(follows.stream))
      this.send(follows.from, { session, over: follows.stream }).catch(this.endpoint.warn);
    for (const follower of this.followers) if (over && follower.continues(session, over)) follower.over();
  }

  #changed({ session, node, message, state, ended, listens, missed }: SessionMessage): void {
    if (node === this.name) return;
    if (missed) this.#repeatAnswers(node);
    const found = session === undefined ? undefined : this.#sessions.get(session);
    if (listens) found?.outbox.listens();
    if (message) found?.notified(message);
    if (state) found?.apply(state);
    if (ended) found?.end();
  }
}

/** @throws {McpError} `store-failed`: another program wrote the text */
function stateIn(text: string | undefined): SharedState {
  const state = text === undefined ? {} : sharedStateOf(text);
  if (state) return state;
  throw malformed("the state of a session");
}

/** The error of what another program wrote or published. */
function malformed(what: string): McpError {
  return new McpError(
    "store-failed",
    `cluster store: ${what} is malformed. Let no other program write there.`,
  );
}
