import { unref } from "@mcpgen/base";
import type {
  ClusterEndpoint,
  ClusterNode,
  ClusterSession,
  ClusterSessions,
  EventStore,
  HttpSession,
} from "@mcpgen/runtime/extending";
import type { Follower } from "./follower.js";
import { Link, keptMs, malformed } from "./link.js";
import {
  type NodeMessage,
  type SessionMessage,
  endedKey,
  eventsChannel,
  nodeChannel,
  nodeMessageOf,
  relayChannel,
  sessionMessageOf,
  sessionsChannel,
} from "./messages.js";
import { digestOf } from "./node-ids.js";
import { Relay } from "./relay.js";
import { RelayChannel, type RelayMessage } from "./relay-channel.js";
import { RelayedRequests } from "./relayed-requests.js";
import { SharedSession } from "./shared-session.js";
import type { ClusterOptions } from "./store.js";

/** Milliseconds between heartbeats, and between checks of nodes whose streams are followed. */
const beatMs = 1000;

/** One endpoint of a cluster. */
export class Node implements ClusterNode {
  readonly name: string;
  readonly events: EventStore;
  /** Streams of other nodes that clients of this node read. */
  readonly followers = new Set<Follower>();
  /** Sessions by digest, for messages of other nodes. */
  readonly sessions = new Map<string, SharedSession>();
  readonly #link: Link;
  readonly #endpoint: ClusterEndpoint;
  readonly #relayChannel: RelayChannel;
  readonly #relay: Relay;
  readonly #relayed: RelayedRequests;
  /** Takes the place of this node in the calls that wait in this process. */
  readonly #unpark: () => void;
  /** Functions that end the subscriptions. */
  readonly #leave: (() => Promise<void>)[] = [];
  #timer: unknown;
  #isJoining = false;
  #isClosed = false;

  constructor(options: ClusterOptions, endpoint: ClusterEndpoint, sessions?: ClusterSessions) {
    const link = new Link(options, endpoint, sessions);
    const { log } = link.store;
    this.#link = link;
    this.#endpoint = endpoint;
    this.name = link.name;
    this.#relayChannel = new RelayChannel(link, options.keys);
    this.#relay = new Relay(link, this.#relayChannel);
    this.#relayed = new RelayedRequests(link, this.#relayChannel);
    this.#unpark = this.#park();
    this.events = {
      append: (session, stream, data) => {
        const digest = digestOf(session);
        return log.append(digest, stream, data, keptMs, eventsChannel(digest));
      },
      after: (session, event) => log.after(digestOf(session), event),
      drop: (session) => log.drop(digestOf(session)),
    };
    this.#beat();
  }

  attach(session: HttpSession): ClusterSession {
    return new SharedSession(this.#link, this, session);
  }

  async isOpen(id: string): Promise<boolean> {
    try {
      const key = endedKey(digestOf(id));
      return (await this.#link.call((store) => store.get(key))) === undefined;
    } catch (error) {
      // Requests continue while the store is unavailable.
      this.#endpoint.warn(error);
      return true;
    }
  }

  async end(id: string): Promise<void> {
    const digest = digestOf(id);
    await this.#link.put(endedKey(digest), "1");
    await this.#link.sendAll(digest, { ended: true });
  }

  /** The states of calls that wait in this process name this node from now on. Returns a function that ends this. */
  #park(): () => void {
    const { parking, seal } = this.#endpoint.server.definition;
    const { instance } = seal;
    const relay = parking?.relay;
    seal.instance = this.name;
    if (parking) parking.relay = (request) => this.#relay.pass(request);
    return () => {
      // Another endpoint of the server may have joined later.
      if (seal.instance !== this.name) return;
      seal.instance = instance;
      if (parking) parking.relay = relay;
    };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#unpark();
    this.#link.clock.clear(this.#timer);
    for (const follower of this.followers) follower.end();
    await this.#relayed.close();
    await this.#relayChannel.sent();
    await Promise.all(this.#leave.map((leave) => leave().catch(this.#endpoint.warn)));
  }

  readonly #beat = (): void => {
    this.#link.beat();
    if (this.#leave.length < 3) void this.#join();
    for (const follower of this.followers) follower.check();
    this.#relay.check();
    this.#relayed.check();
    this.#timer = unref(this.#link.clock.schedule(this.#beat, beatMs));
  };

  /** Subscribes to the node's channels that are not subscribed yet. */
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
        // Other nodes may have sent `missed` while this node was disconnected.
        () => {
          this.#link.repeatAnswers();
          this.#relay.repeat();
        },
      ],
      [
        relayChannel(this.name),
        this.#listener(
          (text) => this.#relayChannel.messageOf(text),
          (message, size) => this.#relays(message, size),
        ),
        // Answers may be lost.
        () => this.#relay.repeat(),
      ],
    ] as const;
    try {
      for (const [channel, listener, lost] of channels.slice(this.#leave.length)) {
        const leave = await this.#link.call((store) => store.subscribe(channel, listener, lost));
        this.#leave.push(leave);
        if (this.#isClosed) await leave();
      }
    } catch (error) {
      this.#endpoint.warn(error);
    } finally {
      this.#isJoining = false;
    }
  }

  /** Makes a listener of a channel. It never throws: it reports malformed messages and errors. */
  #listener<Message>(
    messageOf: (text: string) => Message | undefined,
    use: (message: Message, size: number) => void,
  ): (text: string) => void {
    return (text) => {
      try {
        const message = messageOf(text);
        if (message) use(message, text.length);
        else this.#endpoint.warn(malformed("a message on a channel"));
      } catch (error) {
        this.#endpoint.warn(error);
      }
    };
  }

  /**
   * Called when the connection to the store is back. Answers to this node and the records of listening
   * clients may be lost.
   */
  #reconnected(): void {
    this.#link.sendAll(undefined, { missed: true }).catch((error: unknown) => {
      this.#endpoint.warn(error);
      this.#link.later(() => this.#reconnected());
    });
    for (const session of this.sessions.values()) if (session.session.listens) session.listens();
  }

  #received({ session, message, follows, over, text, returned, from, taken }: NodeMessage): void {
    const found = this.sessions.get(session);
    if (message) found?.receive(message);
    if (text !== undefined && !found?.hear(text))
      this.#link.send(from!, { session, returned: text, from: this.name }).catch(this.#endpoint.warn);
    if (returned !== undefined) found?.outbox.push(returned, from);
    if (taken !== undefined) found?.session.named(taken)?.close(false);
    if (follows && !found?.isFollowed(follows.stream))
      this.#link.send(follows.from, { session, over: follows.stream }).catch(this.#endpoint.warn);
    for (const follower of this.followers) if (over && follower.continues(session, over)) follower.over();
  }

  /** @param size characters of the message */
  #relays(message: RelayMessage, size: number): void {
    if (message.request || message.gone) this.#relayed.received(message, size);
    else this.#relay.received(message);
  }

  #changed({ session, node, message, state, ended, listens, missed }: SessionMessage): void {
    if (node === this.name) return;
    if (missed) {
      this.#link.repeatAnswers(node);
      this.#relay.repeat(node);
    }
    const found = session === undefined ? undefined : this.sessions.get(session);
    if (listens) found?.outbox.listens();
    if (message) found?.notified(message);
    if (state) found?.apply(state);
    if (ended) found?.end();
  }
}
