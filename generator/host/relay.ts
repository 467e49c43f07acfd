import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type Socket, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { type Channel, loadRuntime } from "../capture/runtime.js";
import { SessionMemory } from "../capture/session-memory.js";
import { HeldFolder } from "../files/held-folder.js";
import { listenOnLoopback } from "../files/loopback.js";
import { openFetch } from "../files/proxies.js";
import { headersWith } from "../login/drive.js";
import { objectsIn } from "./model/dialect.js";
import type { HostServer } from "./program.js";

/** What a relay can do to the second call of a tool. */
export const faults = ["restart", "session", "slow", "cut", "list"] as const;

export type Fault = (typeof faults)[number];

export interface RelayOptions {
  readonly fault?: Fault | undefined;
  /** Milliseconds without a byte of the fault `slow`. */
  readonly slow?: number | undefined;
}

/** The tool that the fault `list` adds. */
export const addedTool = { name: "added_by_mcpgen", inputSchema: { type: "object" } } satisfies JsonObject;

/** Milliseconds for which a server that starts again refuses connections. */
export const downTime = 250;

/** A call of a tool, as the server has it. Times in milliseconds. */
export class ServedCall {
  /** When it came, in milliseconds of `performance.now()`. */
  readonly at = performance.now();
  firstByte: number | undefined;
  /** From the call to the last byte of the answer; absent if the host did not get it whole. */
  answer: number | undefined;
  /** The longest time without a byte for the host. */
  quiet = 0;
  #last = this.at;

  heard(): void {
    this.over();
    this.#last = performance.now();
    this.firstByte ??= this.#last - this.at;
  }

  /** No more bytes follow. @param isAnswered whether those that were heard last end the answer */
  over(isAnswered = false): void {
    if (isAnswered) this.answer = this.#last - this.at;
    else if (this.answer === undefined) this.quiet = Math.max(this.quiet, performance.now() - this.#last);
  }
}

/** What passes between a host and its server. */
class Passage {
  readonly calls: ServedCall[] = [];
  /** Names of the tools that the server listed to the host. */
  readonly listed = new Set<string>();
  /** Whether the fault has met something. */
  isMet = false;
  readonly options: RelayOptions;
  readonly #memory = new SessionMemory();
  readonly #methods = new Map<JsonValue, string>();

  constructor(options: RelayOptions) {
    this.options = options;
  }

  /** Notes a message of the host. @returns the call that begins, and the fault that meets it */
  sent({ id = null, method, ...more }: JsonObject): { call?: ServedCall; fault?: Fault | undefined } {
    this.#memory.sent({ id, ...(method !== undefined && { method }), ...more });
    if (typeof method === "string") this.#methods.set(id, method);
    if (method !== "tools/call") return {};
    const call = new ServedCall();
    const fault = this.calls.push(call) === 2 ? this.options.fault : undefined;
    this.isMet ||= fault === "restart" || fault === "slow" || fault === "cut";
    return { call, fault };
  }

  /** Messages of the server, one a line: with the fault `list`, they have the changed list. */
  received(lines: string): string {
    return lines.replace(/^((?:data: ?)?)(\{.*\})$/gm, (line, field: string, text: string) => {
      const message = parsed(text);
      const next = this.#memory.received(message, this.#methods.get(message["id"] ?? null)) ?? message;
      const { result } = next;
      if (!isJsonObject(result ?? null)) return line;
      const { tools } = result as JsonObject;
      for (const { name } of objectsIn(tools)) this.listed.add(String(name));
      if (this.options.fault !== "list") return line;
      const changed = this.isMet && Array.isArray(tools) && { tools: [...tools, addedTool] };
      return field + JSON.stringify({ ...next, result: { ...(result as JsonObject), ...changed } });
    });
  }

  /** The notifications of a changed list, for a host that listens. */
  changes(): string[] {
    const changes = this.#memory.listChanges();
    this.isMet = changes.length > 0;
    return changes.map((each) => JSON.stringify(each));
  }
}

/** The message in a text; without members, if there is none. Batches pass unseen: hosts send single messages. */
function parsed(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : {};
  } catch {
    return {};
  }
}

/** A body in which each message is a line. */
function linesOf(text: string): string {
  const single = parsed(text);
  return "jsonrpc" in single ? JSON.stringify(single) : text;
}

/**
 * Stands between a host and its server: sees when calls are answered, and does to one what a network does. The host is to
 * know `server` as its server.
 *
 * @param folder a private one, for the socket of a command's relay
 */
export async function relayTo(server: HostServer, folder: string, options: RelayOptions) {
  const passage = new Passage(options);
  const kind = "url" in server ? relayOfUrl(server, passage) : relayOfCommand(server, passage, folder);
  return Object.assign(passage, await kind);
}

/** Headers of one connection, not of the message. */
const hopHeaders =
  /^(?:host|connection|keep-alive|te|upgrade|expect|content-(?:length|encoding)|transfer-encoding)$/;

const kept = (headers: Iterable<[string, string]>): [string, string][] =>
  [...headers].filter(([name]) => !hopHeaders.test(name));

async function relayOfUrl(server: Extract<HostServer, { url: string }>, passage: Passage) {
  const [known, gone, streams] = [new Set<string>(), new Set<string>(), new Set<ServerResponse>()];
  const { pathname, search } = new URL(server.url);
  let timer: NodeJS.Timeout | undefined;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page of a browser may have the address of this machine under another name.
    if (request.headers.host !== host) return void response.writeHead(403).end();
    const body = await buffer(request);
    const message = parsed(body.toString());
    const { call, fault } = passage.sent(message);
    const session = String(request.headers["mcp-session-id"] ?? "");
    if (session !== "") known.add(session);
    if (fault === "restart" || (fault === "session" && session !== "")) {
      passage.isMet = true;
      for (const each of known) gone.add(each);
    }
    if (fault === "restart") {
      node.close();
      node.closeAllConnections();
      timer = setTimeout(() => node.listen(port, "127.0.0.1"), downTime);
      return;
    }
    if (gone.has(session)) return void response.writeHead(404).end();
    const ending = new AbortController();
    const { signal } = ending;
    response.once("close", () => {
      ending.abort();
      streams.delete(response);
      call?.over();
    });
    if (fault === "slow") await pause(passage.options.slow, undefined, { signal });
    const { method = "", headers } = request;
    const given = await server.authorizer?.authorize({ method, url: server.url, signal, attempt: 0 });
    const answer = await openFetch(new URL(request.url!, server.url), {
      headers: headersWith(given ?? {}, kept(Object.entries(headers) as [string, string][])),
      ...(body.length > 0 && { body }),
      ...{ method, redirect: "manual", signal },
    });
    response.writeHead(answer.status, kept(answer.headers).flat());
    response.flushHeaders();
    call?.heard();
    const listens = request.method === "GET" || message["method"] === "subscriptions/listen";
    if (listens) streams.add(response);
    if (fault === "list" && streams.size > 0)
      for (const change of passage.changes()) for (const each of streams) each.write(`data: ${change}\n\n`);
    if (fault === "cut" || (passage.options.fault === "list" && !listens)) {
      const whole = passage.received(linesOf(await answer.text()));
      call?.heard();
      if (fault === "cut")
        return void response.write(whole.slice(0, whole.length / 2), () => response.destroy());
      response.write(whole);
    } else {
      const bytes = [];
      for await (const some of answer.body ?? []) {
        call?.heard();
        response.write(some);
        if (message["method"] === "tools/list") bytes.push(some);
      }
      passage.received(linesOf(Buffer.concat(bytes).toString()));
    }
    response.end();
    call?.over(true);
  };
  const node = createServer((from, to) => void pass(from, to).catch(() => to.destroy()));
  const { port, close } = await listenOnLoopback(node);
  const host = `127.0.0.1:${port}`;
  return {
    server: { headers: server.headers, url: `http://${host}${pathname}${search}` },
    close() {
      clearTimeout(timer);
      return close();
    },
  };
}

/** Sends its environment as a line, and connects its standard input and output with a socket. */
const pipe = `const s = require("net").connect(process.argv[1], () => {
  s.write(JSON.stringify(process.env) + "\\n");
  process.stdin.pipe(s).pipe(process.stdout);
});
s.on("error", () => {}).on("close", () => process.exit());`;

/** Maximum size in bytes of a message. */
const limit = 64 * 2 ** 20;

/** Milliseconds for each step of the end of a server, which is over before an interruption is. */
const ends = { inputGrace: 1_000, terminateGrace: 300 };

type CommandServer = Exclude<HostServer, { readonly url: string }>;

/** The host starts a process that only connects; the relay starts the server, with the environment that the host gave. */
async function relayOfCommand(
  { command, args, env: added }: CommandServer,
  passage: Passage,
  folder: string,
) {
  const { streamChannel, stdioClientChannel } = await loadRuntime();
  const open = new Set<Channel>();
  const node = createSocketServer({ allowHalfOpen: true }, (socket: Socket) => {
    const near = streamChannel(socket, socket, { limit, backlog: Infinity });
    open.add(near);
    const ending = new AbortController();
    const waiting = new Map<JsonValue, ServedCall>();
    let cut: ServedCall | undefined;
    let far: Channel | undefined;
    const end = (): void => {
      socket.destroy();
      void far?.close();
    };
    const fromServer = (text: string): void => {
      const { id = null, method } = parsed(text);
      const answered = method === undefined ? waiting.get(id) : undefined;
      if (answered && answered === cut) return void socket.end(text.slice(0, text.length / 2), end);
      for (const call of waiting.values()) call.heard();
      answered?.over(true);
      if (answered) waiting.delete(id);
      near.send(passage.received(text));
    };
    const fromHost = async (text: string, to: Channel): Promise<void> => {
      const message = parsed(text);
      const { call, fault } = passage.sent(message);
      if (call) waiting.set(message["id"] ?? null, call);
      if (fault === "restart") return end();
      if (fault === "cut") cut = call;
      if (fault === "list") for (const change of passage.changes()) near.send(change);
      if (fault === "slow") await pause(passage.options.slow, undefined, { signal: ending.signal });
      to.send(text);
    };
    const start = (environment: string): Channel => {
      const own = Object.keys(process.env).map((name) => [name, undefined]);
      const env = { ...Object.fromEntries(own), ...parsed(environment) };
      const channel = stdioClientChannel([command, ...args], { ...ends, env, limit, stderr: "ignore" });
      open.add(channel);
      const closed = (): void => void near.close();
      channel.open({ message: fromServer, turn: () => near.flush(), tooLong: () => {}, closed });
      return channel;
    };
    near.open({
      message: (text) => void (far ? fromHost(text, far).catch(() => {}) : (far = start(text))),
      turn: () => far?.flush(),
      tooLong: () => {},
      closed() {
        ending.abort();
        for (const call of waiting.values()) call.over();
        void far?.close();
      },
    });
  });
  // The system cuts longer paths of sockets.
  const short = Buffer.byteLength(folder) < 96 ? undefined : HeldFolder.temporary("mcpgen-", "/tmp");
  const path = join(short ?? folder, ".relay");
  await new Promise<void>((resolve, reject) => node.once("error", reject).listen(path, resolve));
  return {
    server: { command: process.execPath, args: ["-e", pipe, path], env: added },
    async close() {
      node.close();
      await Promise.all([...open].map((channel) => channel.close()));
      if (short !== undefined) HeldFolder.discard(short);
    },
  };
}
