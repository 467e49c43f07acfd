import type { Implementation, Root } from "@mcpgen/protocol/authoring";
import type { Revision } from "@mcpgen/protocol/model";
import type { LogLevel } from "../era/meta.js";
import { type Spoken, narrowed, speak } from "../era/spoken.js";
import { type Clock, systemClock } from "../peer/clock.js";
import { McpError } from "../peer/errors.js";
import { isObject } from "../peer/message.js";
import { type Timeouts, defaultTimeouts } from "../peer/pending.js";
import type { HttpClientOptions } from "../http/http-client-options.js";
import type { StdioClientOptions } from "../stdio/client-channel.js";
import type { Channel } from "../transport/channel.js";
import { type Introduction, agree, handshakeOnly } from "./agreement.js";
import { capabilitiesOf, rootsProblem } from "./answers.js";
import { Client, type ClientSetup } from "./client.js";
import type { Connection, Connections } from "./connections.js";
import type { Nulls } from "./decode.js";
import type { ClientHandlers } from "./handlers.js";
import type { Incoming } from "./incoming.js";
import { Link } from "./link.js";

/**
 * Where a server is: a URL, `stdio:` and a command, a command with its arguments, an open channel, or something
 * that opens one each time it is called.
 */
export type Source = string | Command | Channel | (() => Channel | Promise<Channel>);

type Opener = Channel | (() => Channel | Promise<Channel>);

/** A program to start, without a shell. */
export interface Command extends StdioClientOptions {
  readonly command: string;
  readonly args?: readonly string[];
}

export interface ConnectOptions extends ClientHandlers {
  /** The revisions it speaks: `clientRevisions` of the generated package, or some of them. */
  readonly revisions: readonly Revision<"client">[];
  /** Id of one of `revisions`, to speak that one and no other. */
  readonly revision?: string;
  readonly info?: Implementation;
  /** Log messages wanted from the server, from this severity on. */
  readonly logLevel?: LogLevel;
  /** Of requests, unless their options say otherwise. Milliseconds. */
  readonly timeouts?: Partial<Timeouts>;
  /** Milliseconds that finding the common revision may take. */
  readonly connectTimeout?: number;
  /** What null means where a member may be absent; `absent` without it. */
  readonly nulls?: Nulls;
  readonly clock?: Clock;
  /** How a server over HTTP is reached. */
  readonly http?: HttpClientOptions;
  /** Hears of what is left out of lists and of listeners that throw; stderr without it. */
  readonly onWarning?: (message: string) => void;
}

/**
 * Connects to a server and finds the revision to speak with it.
 *
 * @throws {McpError} `unsupported-version`, `spawn-failed`, `connection-closed`, `timeout`, `invalid-definition`
 */
export async function connect(source: Source, options: ConnectOptions): Promise<Client> {
  const { revision } = options;
  const spoken = narrowed(speak(options.revisions), revision === undefined ? undefined : [revision]);
  const { clock = systemClock, nulls = "absent", onWarning = (message) => console.error(message) } = options;
  const introduction: Introduction = {
    info: options.info ?? { name: "mcpgen-client", version: "0.1.0" },
    capabilities: capabilitiesOf(options),
    logLevel: options.logLevel,
    connectTimeout: options.connectTimeout ?? 30_000,
    timeouts: { ...defaultTimeouts, ...options.timeouts },
    clock,
    nulls,
  };
  const stray = Array.isArray(options.roots) ? rootsProblem(options.roots as readonly Root[]) : undefined;
  if (stray !== undefined) throw new McpError("invalid-definition", stray);
  const opener = await openerOf(source, options, spoken);
  const setup: ClientSetup = {
    introduction,
    handlers: options,
    onWarning,
    reconnects: typeof opener === "function",
    resend: options.http?.resend,
    connect: (connections, incoming) => open(opener, spoken, connections, incoming, introduction),
  };
  return new Client(setup).start();
}

/** What opens a channel; code of a transport is loaded by who uses it. */
async function openerOf(
  source: Source,
  { http }: ConnectOptions,
  spoken: readonly Spoken<"client">[],
): Promise<Opener> {
  if (typeof source === "function") return source;
  if (typeof source === "string" && /^https?:/.test(source)) {
    const { httpClientChannel } = await import("../http/http-client.js");
    // By these errors a server shows that it knows this transport (2026-07-28, Streamable HTTP, compatibility).
    const modern = spoken.filter(({ era }) => era === "modern");
    const known = modern.flatMap(({ table }) => Object.values(table.errors).map(({ code }) => code));
    let opened = 0;
    return () => httpClientChannel(source, http, known, opened++ > 0);
  }
  if (typeof source === "object" && "open" in source) return source;
  // By the name of the package: where no programs can be started, another module answers to it.
  const { parseStdioSource, stdioClientChannel } = await import("@mcpgen/runtime/stdio");
  if (typeof source === "string") {
    const command = parseStdioSource(source);
    return () => stdioClientChannel(command);
  }
  const { command, args = [], ...options } = source;
  return () => stdioClientChannel([command, ...args], options);
}

async function open(
  source: Opener,
  spoken: readonly Spoken<"client">[],
  connections: Connections,
  incoming: Incoming,
  introduction: Introduction,
): Promise<Connection> {
  let answered = false;
  const attempt = async (settle: typeof agree): Promise<Connection> => {
    const channel = typeof source === "function" ? await source() : source;
    const link = new Link(channel, introduction.timeouts, introduction.clock);
    listen(link, incoming, undefined);
    connections.opens(link);
    const handshaking = (offered: Spoken<"client">): void => listen(link, incoming, offered);
    try {
      const agreement = await settle(link, spoken, { ...introduction, handshaking });
      listen(link, incoming, agreement.spoken);
      return { link, agreement };
    } catch (error) {
      ({ answered } = link);
      await link.close();
      throw error;
    }
  };
  if (connections.knownEra === "legacy") return attempt(handshakeOnly);
  try {
    return await attempt(agree);
  } catch (error) {
    // A server that did not live through the probe gets another chance without it.
    const died =
      error instanceof McpError && error.code === "connection-closed" && !answered && !refused(error);
    const both = new Set(spoken.map(({ era }) => era)).size === 2;
    if (!died || !both || connections.closed || typeof source !== "function") throw error;
    return attempt(handshakeOnly);
  }
}

/** Whether a server over HTTP has answered, if not with a message, or there is none: it did not die of the probe. */
function refused({ data }: McpError): boolean {
  return isObject(data) && (typeof data["status"] === "number" || data["unreachable"] === true);
}

/** Servers make requests in the legacy era alone. */
function listen(link: Link, incoming: Incoming, spoken: Spoken<"client"> | undefined): void {
  link.listener = {
    ...(spoken?.era === "legacy"
      ? { answer: (request, context) => incoming.answer(spoken, request, context) }
      : {}),
    abandons: spoken?.era === "modern",
    notified: (method, params) => spoken && incoming.notified(spoken, method, params),
    closed: () => {},
  };
}
