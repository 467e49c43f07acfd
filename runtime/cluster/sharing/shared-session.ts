import { McpError, type Params, type RequestId } from "@mcpgen/runtime";
import { classify, isRequestId, mostReserved, weightOf } from "@mcpgen/base";
import type {
  ClusterRefusal,
  ClusterSession,
  Exchange,
  HttpSession,
  MissedEvents,
} from "@mcpgen/runtime/extending";
import * as rpc from "@mcpgen/base/rpc-codes";
import { Follower } from "./follower.js";
import type { Link } from "./link.js";
import { type SharedState, lostError, partsOfStream, streamNameOf } from "./messages.js";
import { digestOf } from "./node-ids.js";
import { Outbox } from "./outbox.js";

/** A message of a client that may be for another node. */
interface Received {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: Params;
}

/** The sessions and followers of a node. */
interface Known {
  /** Sessions by digest, for messages of other nodes. */
  readonly sessions: Map<string, SharedSession>;
  /** Streams of other nodes that clients of this node read. */
  readonly followers: Set<Follower>;
}

/** A session at one node of the cluster. */
export class SharedSession implements ClusterSession {
  readonly session: HttpSession;
  readonly followers: Set<Follower>;
  readonly #link: Link;
  readonly #sessions: Map<string, SharedSession>;
  #digest: string | undefined;
  #outbox: Outbox | undefined;

  constructor(link: Link, { sessions, followers }: Known, session: HttpSession) {
    this.#link = link;
    this.#sessions = sessions;
    this.followers = followers;
    this.session = session;
  }

  /** Digest of the session id; other nodes know the session by it. The id is final after the handshake. */
  get digest(): string {
    return (this.#digest ??= digestOf(this.session.id));
  }

  requestId(number: number): RequestId {
    return this.#link.ids.make(this.session.id, number);
  }

  streamName(name: string, ids: readonly RequestId[] | undefined): string {
    return streamNameOf(this.#link.name, name, ids);
  }

  get outbox(): Outbox {
    return (this.#outbox ??= new Outbox(this.#link, this));
  }

  opened(): void {
    this.#sessions.set(this.digest, this);
  }

  hears(): boolean {
    return this.#digest === undefined || this.session.listens;
  }

  pass(text: string): boolean {
    return this.#digest !== undefined && this.outbox.push(text);
  }

  listens(): void {
    const digest = this.#digest;
    if (digest === undefined) return;
    void this.#link
      .listens(digest)
      .catch((error: unknown) => {
        this.#link.endpoint.warn(error);
        this.#link.later(() => this.#sessions.get(digest)?.listens());
      })
      .then(() => this.#outbox?.listens());
  }

  /** Sends a message on the stream on which the client listens here. Returns `false` if there is no such stream. */
  hear(text: string): boolean {
    return this.session.hear(text);
  }

  async read(): Promise<void> {
    try {
      this.apply(await this.#link.stateOf(this.digest));
    } catch (error) {
      this.#link.endpoint.warn(error);
    }
  }

  forward(messages: readonly unknown[], reply: (refusal?: ClusterRefusal) => void): boolean {
    const sent: Promise<void>[] = [];
    for (const message of messages) {
      const kind = classify(message);
      const received = message as Received;
      if (kind === "response" && isRequestId(received.id)) {
        const node = this.#link.ids.nodeOf(this.session.id, received.id);
        if (node === undefined) {
          reply({ status: 400, error: unknownId() });
          return true;
        }
        if (node !== this.#link.name) sent.push(this.#pass(node, received));
      } else if (kind === "notification") {
        const passed = this.#passNotification(received);
        if (passed) sent.push(passed);
      }
    }
    if (sent.length === 0) return false;
    Promise.all(sent).then(
      () => reply(),
      (error: McpError) => reply({ status: 503, error }),
    );
    return true;
  }

  /** @throws {McpError} `internal-error`: the node is lost; `store-failed` */
  async #pass(node: string, message: object): Promise<void> {
    if (await this.#link.sendAnswer(node, { session: this.digest, message })) return;
    throw lostError("node-lost", "the process that waits for the answer is gone");
  }

  #passNotification(message: Received): Promise<void> | undefined {
    const { method, params } = message;
    if (method === "notifications/progress") {
      const node = this.#link.ids.nodeOf(this.session.id, params?.["progressToken"]);
      if (node === undefined || node === this.#link.name) return undefined;
      // Ignore whether the node is connected: progress of an ended request has no effect.
      return this.#link.send(node, { session: this.digest, message }).then(() => undefined);
    }
    return this.#concernsOthers(message) ? this.#link.sendAll(this.digest, { message }) : undefined;
  }

  /** Whether a notification is about a request that runs at another node, or a handshake that another node made. */
  #concernsOthers({ method, params }: Received): boolean {
    if (method === "notifications/initialized") return this.session.connection.session?.ready === true;
    const id = params?.["requestId"];
    return method === "notifications/cancelled" && isRequestId(id) && !this.session.streamOf(id);
  }

  /** Handles an answer or progress that the client sent to another node. */
  receive(message: object): void {
    this.session.connection.receive(message);
  }

  /** Handles a notification that the client sent to another node. */
  notified(message: object): void {
    const { method, params } = message as Received;
    const { connection } = this.session;
    const isOwn =
      method === "notifications/initialized"
        ? connection.session?.ready === false
        : this.session.streamOf(params?.["requestId"] as RequestId) !== undefined;
    if (isOwn) connection.receive(message);
  }

  follow(exchange: Exchange, missed: MissedEvents, last: string): ReturnType<ClusterSession["follow"]> {
    const { endpoint, name, sessions } = this.#link;
    const { node, ids } = partsOfStream(sessions!.nameOf(missed.stream));
    if (!ids) {
      const taken = { session: this.digest, taken: missed.stream };
      if (node !== name) this.#link.send(node, taken).catch(endpoint.warn);
      return "listens";
    }
    const { stream } = missed;
    const follower = new Follower(this.#link, this, exchange, { node, stream, ids });
    // A stream of this node that is not there has ended.
    follower.start(missed, last, node === name);
    return "followed";
  }

  /**
   * Called while another node continues a stream of this node, which shows that the client is connected. Returns
   * whether the stream is still open.
   */
  isFollowed(stream: string): boolean {
    this.session.touch();
    return this.session.named(stream) !== undefined;
  }

  async saved(): Promise<void> {
    const { logLevel, watched = [], data = "" } = this.session.connection.session!;
    await this.#link.share(this.digest, { logLevel, subscriptions: [...watched], data });
  }

  /** Applies a change that another node made to the session. */
  apply({ logLevel, subscriptions, data }: SharedState): void {
    const { connection } = this.session;
    const { session } = connection;
    if (!session) return;
    session.logLevel = logLevel ?? session.logLevel;
    if (!subscriptions) return;
    const { watched = [], data: before = "" } = session;
    const weigh = (texts: Iterable<string>): number =>
      [...texts].reduce((sum, text) => sum + weightOf(text, mostReserved), 0);
    const kept = data ?? before;
    const more =
      weigh([...subscriptions, ...(kept ? [kept] : [])]) - weigh([...watched, ...(before ? [before] : [])]);
    try {
      if (more > 0) connection.reserve(more);
      else connection.release(-more);
    } catch (error) {
      return this.#link.endpoint.warn(error);
    }
    session.weight += more;
    session.watched = subscriptions.length > 0 ? new Set(subscriptions) : undefined;
    session.data = kept || undefined;
  }

  /** Ends the session, because another node has ended it. */
  end(): void {
    this.#link.sessions!.end(this.session);
  }

  left(): void {
    const digest = this.#digest;
    if (digest !== undefined && this.#sessions.get(digest) === this) this.#sessions.delete(digest);
    for (const follower of this.followers) if (follower.session === this) follower.end();
  }
}

function unknownId(): McpError {
  const details = { rpcCode: rpc.invalidRequest, data: { code: "unknown-request" } };
  return new McpError(
    "invalid-request",
    "the server has sent no request of this id in this session",
    details,
  );
}
