import type { Signal } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { isObject } from "../jsonrpc/message.js";
import { type Agreement, agree, handshakeOnly } from "./agreement.js";
import { withinBounds } from "./bounds.js";
import type { Connection, Connections } from "./connections.js";
import { invalidResult } from "./decode.js";
import type { Incoming } from "./incoming.js";
import type { Introduction, Opening } from "./introduction.js";
import { Link } from "./link.js";
import { isMisunderstood, statusOf } from "./refused.js";
import type { Opener } from "../jsonrpc/channel.js";

/** What every connection of a client is made with. */
export interface Establishing {
  readonly source: Opener;
  readonly spoken: readonly RevisionView<"client">[];
  readonly introduction: Introduction;
}

/**
 * Opens a connection, and finds the revision to speak over it.
 *
 * @param signal gives it up
 * @throws {McpError} `timeout`, `cancelled`, or why there is none
 */
export async function establish(
  given: Establishing,
  connections: Connections,
  incoming: Incoming,
  signal: Signal | undefined,
): Promise<Connection> {
  const { clock, connectTimeout: limit } = given.introduction;
  const started = clock.now();
  const due = started + limit;
  const attempts = new Attempts(given, connections, incoming, due);
  const late = (now: number): McpError =>
    new McpError("timeout", `connect: no answer that settles the revision within ${limit} ms`, {
      data: { timer: "connectTimeout", limit, elapsed: now - started },
    });
  try {
    return await withinBounds({ clock, method: "connect", signal, due, late }, (ended) =>
      attempts.connection(ended),
    );
  } catch (error) {
    await attempts.close();
    throw error;
  }
}

type Settle = (link: Link, spoken: readonly RevisionView<"client">[], opening: Opening) => Promise<Agreement>;

/** The attempts at one connection; each has a link of its own. */
class Attempts {
  private readonly given: Establishing;
  private readonly connections: Connections;
  private readonly incoming: Incoming;
  private readonly due: number;
  private link: Link | undefined;

  constructor(given: Establishing, connections: Connections, incoming: Incoming, due: number) {
    this.given = given;
    this.connections = connections;
    this.incoming = incoming;
    this.due = due;
  }

  /** @param ended aborts when nobody waits for it any more */
  async connection(ended: AbortSignal): Promise<Connection> {
    const { connections } = this;
    const { source, spoken } = this.given;
    if (connections.knownEra === "legacy") return this.attempt(asBefore, ended);
    try {
      return await this.attempt(agree, ended);
    } catch (error) {
      // A server that did not live through the probe gets another chance without it.
      const died =
        error instanceof McpError &&
        error.code === "connection-closed" &&
        !this.link?.answered &&
        !wasReached(error);
      const both = new Set(spoken.map(({ era }) => era)).size === 2;
      const over = ended.aborted || connections.closed;
      if (!died || !both || over || typeof source !== "function") throw error;
      return this.attempt(handshakeOnly, ended);
    }
  }

  /** Resolves when nothing is left of the last attempt. */
  async close(): Promise<void> {
    await this.link?.close();
  }

  private async attempt(settle: Settle, ended: AbortSignal): Promise<Connection> {
    const { given, connections, incoming, due } = this;
    const { source, spoken, introduction } = given;
    const channel = typeof source === "function" ? await source() : source;
    const link = (this.link = new Link(channel, introduction.timeouts, introduction.clock));
    listen(link, incoming, undefined);
    connections.opens(link);
    const handshaking = (offered: RevisionView<"client">): void => listen(link, incoming, offered);
    try {
      if (ended.aborted) throw ended.reason;
      const agreement = await settle(link, spoken, { ...introduction, due, handshaking });
      listen(link, incoming, agreement.spoken);
      return { link, agreement };
    } catch (error) {
      await link.close();
      throw error instanceof McpError || ended.aborted
        ? error
        : invalidResult("connect", messageOf(error), error);
    }
  }
}

/**
 * The handshake, which an earlier connection began with. A server that refuses it may be another now: it is asked
 * over the same link (2026-07-28, versioning: the era is probed again where what was known of it fails).
 */
async function asBefore(
  link: Link,
  spoken: readonly RevisionView<"client">[],
  opening: Opening,
): Promise<Agreement> {
  try {
    return await handshakeOnly(link, spoken, opening);
  } catch (error) {
    if (link.over || !isRefusal(error) || !spoken.some(({ era }) => era === "modern")) throw error;
    return agree(link, spoken, opening);
  }
}

/** Whether the server has answered that it will not have the handshake. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof McpError)) return false;
  const { code } = error;
  const status = statusOf(error);
  if (status !== undefined) return isMisunderstood(status);
  return code === "unsupported-version" || code === "remote-error" || code === "method-not-found";
}

/** Whether a server over HTTP has answered, if not with a message, or there is none: it did not die of the probe. */
function wasReached({ data }: McpError): boolean {
  return isObject(data) && (typeof data["status"] === "number" || data["unreachable"] === true);
}

/** Servers make requests in the legacy era alone. */
function listen(link: Link, incoming: Incoming, spoken: RevisionView<"client"> | undefined): void {
  link.listener = {
    ...(spoken?.era === "legacy"
      ? { answer: (request, context) => incoming.answer(spoken, request, context) }
      : {}),
    abandons: spoken?.era === "modern",
    notified: (method, params) => spoken && incoming.notified(spoken, method, params),
    closed: () => {},
  };
}
