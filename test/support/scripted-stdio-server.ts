import { PassThrough } from "node:stream";
import { clientRevisions } from "@mcpgen/protocol";
import { type Channel, type Client, type ConnectOptions, connect } from "@mcpgen/runtime";
import { streamChannel } from "@mcpgen/runtime/stdio";
import { VirtualClock } from "@mcpgen/testing";
import { expect, onTestFinished } from "vitest";
import { type Members, type Wired, problemFromClient } from "./sent-messages.js";
import { Arrivals } from "./arrivals.js";
import { Lines } from "./lines.js";

export type { Members, Wired };

/** The result or error of an answer; `undefined` for no answer. */
export type Reply = { readonly result: Members } | { readonly error: Members } | undefined;

/** Answers of a scripted server, by method. */
export interface Script {
  readonly [method: string]: (request: Wired, peer: ScriptedPeer) => Reply | Promise<Reply>;
}

/** Capabilities that allow a client everything. */
export const everything = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};

export const serverInfo = { name: "scripted", version: "1" };

/** A handwritten server: answers from a script with raw bytes, and records messages. */
export class ScriptedPeer {
  /** The client's end of the pipes. */
  readonly channel: Channel;
  /** All messages of the client, in order. */
  readonly received: Wired[] = [];
  /** Faults of the client's messages. */
  readonly faults: string[] = [];
  script: Script;
  readonly revision: string;
  private readonly toClient = new PassThrough();
  private readonly fromClient = new PassThrough();
  private readonly asked = new Map<unknown, { method: string; answered: (message: Wired) => void }>();
  private readonly arrivals = new Arrivals();
  private readonly pending = new Lines();

  constructor(revision: string, script: Script = {}) {
    this.revision = revision;
    this.script = script;
    this.channel = streamChannel(this.toClient, this.fromClient, { backlog: Infinity });
    this.fromClient.setEncoding("utf8").on("data", (chunk: string) => this.read(chunk));
  }

  /** Writes bytes unchanged. */
  write(bytes: string | Uint8Array): void {
    this.toClient.write(bytes);
  }

  /** Writes messages, each on a separate line; one write for all. */
  send(...messages: readonly unknown[]): void {
    this.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(""));
  }

  notify(method: string, params?: unknown): void {
    this.send({ jsonrpc: "2.0", method, ...(params === undefined ? {} : { params }) });
  }

  /** Sends a request to the client. Resolves with the response. */
  ask(method: string, params?: unknown, id: string | number = `s${this.asked.size}`): Promise<Wired> {
    const answer = new Promise<Wired>((answered) => this.asked.set(id, { method, answered }));
    this.send({ jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) });
    return answer;
  }

  /** Ends the output of the server. */
  hangUp(): void {
    this.toClient.end();
  }

  /** Returns the received messages of a method. */
  of(method: string): Wired[] {
    return this.received.filter((message) => message.method === method);
  }

  /** Resolves with the `count`th message of the method. */
  async until(method: string, count = 1): Promise<Wired> {
    while (this.of(method).length < count) await this.arrivals.next();
    return this.of(method)[count - 1]!;
  }

  /** Checks that the client sends nothing except the messages of one more call. */
  async nothingSince(mark: number, client: Client): Promise<void> {
    const probe = client.request("tools/call", { name: "anything sent before comes before this" });
    await probe.catch(() => undefined);
    expect(this.received.slice(mark).map(({ method, id }) => method ?? `answer to ${id}`)).toEqual([
      "tools/call",
    ]);
  }

  private read(chunk: string): void {
    for (const line of this.pending.endedBy(chunk)) this.take(line);
    this.arrivals.announce();
  }

  private take(line: string): void {
    let message: Wired;
    try {
      message = JSON.parse(line) as Wired;
    } catch {
      return void this.faults.push(`no JSON: ${line}`);
    }
    this.received.push(message);
    const { id, method } = message;
    const asked = method === undefined ? this.asked.get(id) : undefined;
    const problem = problemFromClient(message, this.revision, asked?.method);
    if (problem !== undefined) this.faults.push(`${line} ${problem}`);
    asked?.answered(message);
    if (method !== undefined && id !== undefined) void this.answer(message);
  }

  private async answer(request: Wired): Promise<void> {
    const answer = this.script[request.method!] ?? standard[request.method!] ?? unknownMethod;
    const reply = await answer(request, this);
    if (reply) this.send({ jsonrpc: "2.0", id: request.id, ...reply });
  }
}

const unknownMethod = (): Reply => failure(-32601, "Method not found");

export function failure(code: number, message = "refused", data?: unknown): Reply {
  return { error: { code, message, ...(data === undefined ? {} : { data }) } };
}

/** Makes a result, with the members that the revision requires of all results. */
export function reply({ revision }: ScriptedPeer, members: Members): Reply {
  return {
    result:
      revision < "2026" ? members : { resultType: "complete", ttlMs: 0, cacheScope: "private", ...members },
  };
}

/** The default answers. */
export const standard: Script = {
  initialize: (_, { revision }) => ({
    result: { protocolVersion: revision, capabilities: everything, serverInfo },
  }),
  "server/discover": (_, peer) =>
    peer.revision < "2026"
      ? unknownMethod()
      : reply(peer, { supportedVersions: [peer.revision], capabilities: everything }),
  ping: () => ({ result: {} }),
  "tools/list": (_, peer) => reply(peer, { tools: [] }),
  "tools/call": (_, peer) => reply(peer, { content: [] }),
};

export interface Connected {
  readonly client: Client;
  readonly peer: ScriptedPeer;
  readonly clock: VirtualClock;
}

/** Connects a client of one revision to a scripted server. Checks the client at the end of the test. */
export async function connected(
  revision: string,
  script: Script = {},
  options: Partial<ConnectOptions> = {},
): Promise<Connected> {
  const peer = new ScriptedPeer(revision, script);
  const clock = new VirtualClock();
  const client = await connect(peer.channel, { ...base(clock), revision, ...options });
  supervise(peer, clock, client);
  if (revision < "2026") await peer.until("notifications/initialized");
  return { client, peer, clock };
}

/** The common options of clients in these tests. */
export function base(clock: VirtualClock): ConnectOptions {
  return {
    revisions: clientRevisions,
    clock,
    onEvent: () => true,
  };
}

/**
 * Checks at the end of the test that all messages of the client were valid, and that it has no timers left.
 */
export function supervise(peer: ScriptedPeer, clock: VirtualClock, client?: Client): void {
  onTestFinished(async () => {
    await client?.close();
    expect(peer.faults).toEqual([]);
    expect(clock.waiting).toBe(0);
  });
}
