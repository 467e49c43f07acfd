import { randomBytes } from "node:crypto";
import { Subscriptions } from "@mcpgen/cluster";
import { type PostgresClient, rowsOf } from "./client.js";

/** A connected `Client` of `pg`, for subscriptions. */
export interface PostgresSubscriber extends PostgresClient {
  on(event: "notification", listener: (message: Notification) => void): unknown;
  on(event: "error" | "end", listener: () => void): unknown;
  end(): Promise<void>;
}

interface Notification {
  readonly channel: string;
  readonly payload?: string | undefined;
}

interface Connection {
  readonly client: PostgresSubscriber;
  /** The number of the advisory lock that the connection holds. */
  readonly owner: string;
}

/** Milliseconds before the store reconnects. */
const retryMs = 250;

/** The parts of the store that the channels use. */
export interface ChannelStore {
  /** Table of listeners, as SQL. */
  readonly listeners: string;
  readonly connect: () => Promise<PostgresSubscriber>;
  /** Reads a message that was too long for a notification. */
  readonly read: (id: string) => Promise<string>;
}

/**
 * The subscriptions of a process, over one connection. The first subscription opens it; it is reopened when it
 * breaks.
 */
export class ListeningChannels {
  readonly subscriptions: Subscriptions;
  readonly #store: ChannelStore;
  #connection: Promise<Connection> | undefined;
  #client: PostgresSubscriber | undefined;
  #isClosed = false;
  #retry: ReturnType<typeof setTimeout> | undefined;
  /**
   * Settles when the last received message is delivered, so that messages keep their order even if one is read
   * from a table.
   */
  #delivery: Promise<void> = Promise.resolve();
  /** Fulfils when the last statement has ended. */
  #turn: Promise<void> = Promise.resolve();

  constructor(store: ChannelStore) {
    this.#store = store;
    this.subscriptions = new Subscriptions({
      open: (channel) =>
        this.#inTurn(async ({ client, owner }) => {
          await rowsOf(client, `LISTEN "${channel}"`);
          const text = `INSERT INTO ${store.listeners} VALUES ($1, $2) ON CONFLICT DO NOTHING`;
          await rowsOf(client, text, channel, owner);
        }),
      close: (channel) =>
        this.#inTurn(async ({ client, owner }) => {
          const text = `DELETE FROM ${store.listeners} WHERE channel = $1 AND owner = $2`;
          await rowsOf(client, text, channel, owner);
          await rowsOf(client, `UNLISTEN "${channel}"`);
        }),
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    if (this.#connection === undefined) return;
    await this.subscriptions.close();
    const connection = await this.#connection.catch(() => undefined);
    await connection?.client.end();
  }

  /**
   * Uses the connection when the statements before have ended, because `pg` runs one at a time. The statement
   * may show that the server has closed the connection; it then runs on a new one.
   */
  #inTurn(use: (connection: Connection) => Promise<void>): Promise<void> {
    const done = this.#turn.then(async () => {
      const connection = await this.#connected();
      try {
        await use(connection);
      } catch (error) {
        if (this.#isClosed || !isEnded(error)) throw error;
        this.#lost(connection.client);
        await use(await this.#connected());
      }
    });
    this.#turn = done.catch(() => {});
    return done;
  }

  #connected(): Promise<Connection> {
    return (this.#connection ??= this.#open());
  }

  async #open(): Promise<Connection> {
    try {
      const client = await this.#store.connect();
      const lost = (): void => this.#lost(client);
      client.on("error", lost);
      client.on("end", lost);
      client.on("notification", ({ channel, payload = "" }) => this.#receive(channel, payload));
      // The lock is held as long as the connection is open. Publishers count the locks to find the number of
      // connected listeners.
      const owner = String(randomBytes(6).readUIntBE(0, 6));
      await rowsOf(client, "SELECT pg_advisory_lock_shared($1)", owner);
      this.#client = client;
      return { client, owner };
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  #lost(client: PostgresSubscriber): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#connection = undefined;
    this.#reconnect();
  }

  #reconnect(): void {
    if (this.#isClosed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      this.#connected().then(
        () => this.subscriptions.reopen(),
        () => this.#reconnect(),
      );
    }, retryMs);
    this.#retry.unref();
  }

  /**
   * Decodes a notification. Returns an unknown text unchanged: other programs may notify the channel, and the
   * listener checks the text.
   */
  #messageOf(payload: string): string | Promise<string> {
    if (/^o\d{1,18}$/.test(payload)) return this.#store.read(payload.slice(1));
    return payload.startsWith("m") ? payload.slice(1) : payload;
  }

  #receive(channel: string, payload: string): void {
    this.#delivery = this.#delivery.then(async () => {
      try {
        this.subscriptions.deliver(channel, await this.#messageOf(payload));
      } catch {
        this.subscriptions.reportLoss(channel);
      }
    });
  }
}

/** Whether the server or the network has closed the connection (SQLSTATE classes 08 and 57P). */
function isEnded(error: unknown): boolean {
  return /^(?:08|57P)/.test(String((error as { readonly code?: unknown } | undefined)?.code));
}
