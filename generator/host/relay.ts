import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import { type Socket, createServer as createSocketServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { messagesIn, withMessages } from "../capture/messages.js";
import { type Channel, loadRuntime } from "../capture/runtime.js";
import { SentTools } from "../capture/sent-tools.js";
import { SessionMemory } from "../capture/session-memory.js";
import { HeldFolder } from "../files/held-folder.js";
import { listenOnLoopback } from "../files/loopback.js";
import { openFetch } from "../files/proxies.js";
import { headersWith } from "../login/drive.js";
import type { HostServer } from "./program.js";

/** What a relay can do to the second call of a tool. */
export const faults = ["restart", "session", "slow", "cut", "list"] as const;

export type Fault = (typeof faults)[number];

export interface RelayOptions {
  readonly fault?: Fault | undefined;
  /** Milliseconds without a byte of the fault `slow`. */
  readonly slow?: number | undefined;
  /** Returns, for each process of a command, what gets its standard error, and `end` at its end. */
  readonly stderr?: (() => ((text: string) => void) & { end(): void }) | undefined;
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
  /** Whether the server answered with an error; absent if the relay did not read the answer. */
  isError: boolean | undefined;
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
  /** The tools that the server listed to the host. */
  readonly listed = new SentTools();
  /** Milliseconds from the first start of a command to its first message. */
  startup: number | undefined;
  /** Whether the fault has met something. */
  isMet = false;
  readonly options: RelayOptions;
  readonly #memory = new SessionMemory();
  readonly #methods = new Map<JsonValue, string>();
  readonly #called = new Map<JsonValue, ServedCall>();
  #isChanged = false;

  constructor(options: RelayOptions) {
    this.options = options;
  }

  /** The revision of the handshake; undefined without one. */
  get revision(): string | undefined {
    const { revision } = this.#memory;
    return typeof revision === "string" ? revision : undefined;
  }

  /** Notes the messages of the host. @returns the calls that begin, by their ids, and what meets one of them */
  sent(text: string): Sent {
    const calls = new Map<JsonValue, ServedCall>();
    let met: ServedCall | undefined;
    let listens = false;
    for (const message of messagesIn(text)) {
      const { id = null, method } = message;
      this.#memory.sent(message);
      if (typeof method === "string") this.#methods.set(id, method);
      listens ||= method === "subscriptions/listen";
      if (method !== "tools/call") continue;
      const call = new ServedCall();
      calls.set(id, call);
      this.#called.set(id, call);
      if (this.calls.push(call) === 2) met = call;
    }
    const fault = met && this.options.fault;
    this.isMet ||= fault === "restart" || fault === "slow" || fault === "cut";
    return { calls, listens, met, fault };
  }

  /** Notes a message of the server, a batch, or an event with them. @returns it, with the changed list if the fault is `list` */
  received(text: string): string {
    const withChange = (json: string): string | undefined =>
      withMessages(json, (message) => this.#changed(message));
    return (
      withChange(text) ??
      text.replace(/^(data: ?)(.*)$/gm, (line, field: string, data: string) => {
        const changed = withChange(data);
        return changed === undefined ? line : field + changed;
      })
    );
  }

  #changed(message: JsonObject): JsonObject {
    const { id = null, method } = message;
    const next = this.#memory.received(message, this.#methods.get(id)) ?? message;
    const { result } = next;
    const call = method === undefined ? this.#called.get(id) : undefined;
    if (call) call.isError = !isJsonObject(result) || result["isError"] === true;
    const tools = isJsonObject(result) ? result["tools"] : undefined;
    this.listed.received(next);
    if (this.options.fault !== "list") return message;
    if (!this.#isChanged || !isJsonObject(result) || !Array.isArray(tools)) return next;
    // A host that lists its tools again has met the change, too.
    this.isMet = true;
    return { ...next, result: { ...result, tools: [...tools, addedTool] } };
  }

  /** Changes the list. @param listens whether a message can reach the host now @returns the notifications for the host */
  change(listens: boolean): string[] {
    this.#isChanged = true;
    const changes = listens ? this.#memory.listChanges() : [];
    this.isMet ||= changes.length > 0;
    return changes.map((each) => JSON.stringify(each));
  }
}

/** What a host has sent. */
interface Sent {
  readonly calls: ReadonlyMap<JsonValue, ServedCall>;
  /** Whether it opens a stream of notifications. */
  readonly listens: boolean;
  /** The call that a fault meets. */
  readonly met: ServedCall | undefined;
  readonly fault: Fault | undefined;
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

/** The ids of the responses in a message, a batch, or an event with them. */
function answersIn(text: string): JsonValue[] {
  const data = [...text.matchAll(/^data: ?([^\r\n]*)/gm)].map(([, line]) => line);
  const messages = messagesIn(data.length > 0 ? data.join("\n") : text);
  return messages.flatMap(({ id = null, method }) => (method === undefined ? [id] : []));
}

/** A body as it comes, and what is complete with each piece: events of a stream, or at the end all of another body. */
async function* piecesOf(body: Response["body"], isStream: boolean): AsyncGenerator<[Uint8Array, string[]]> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body ?? []) {
    rest += decoder.decode(bytes, { stream: true });
    const events = (isStream && rest.match(/[^]*?(?:\r\n|\n|\r(?!\n)){2}/g)) || [];
    rest = rest.slice(events.join("").length);
    yield [bytes, events];
  }
  if (rest !== "") yield [new Uint8Array(), [rest]];
}

async function relayOfUrl(server: Extract<HostServer, { url: string }>, passage: Passage) {
  const [gone, streams] = [new Set<string>(), new Set<ServerResponse>()];
  /** The calls of each session: any of its streams may bring their answers. */
  const known = new Map<string, Map<JsonValue, ServedCall>>();
  const { pathname, search } = new URL(server.url);
  let timer: NodeJS.Timeout | undefined;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // A page of a browser may have the address of this machine under another name.
    if (request.headers.host !== host) return void response.writeHead(403).end();
    const body = await buffer(request);
    const { calls, fault, met, ...sent } = passage.sent(body.toString());
    const each = [...calls.values()];
    const session = String(request.headers["mcp-session-id"] ?? "");
    const waiting = known.get(session) ?? new Map<JsonValue, ServedCall>();
    for (const [id, call] of calls) waiting.set(id, call);
    if (session !== "") known.set(session, waiting);
    if (fault === "restart" || (fault === "session" && session !== "")) {
      passage.isMet = true;
      for (const old of known.keys()) gone.add(old);
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
      for (const call of each) call.over();
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
    const heard = (): void => each.forEach((call) => call.heard());
    heard();
    const listens = request.method === "GET" || sent.listens;
    if (listens) streams.add(response);
    if (fault === "list")
      for (const change of passage.change(streams.size > 0))
        for (const stream of streams) stream.write(`data: ${change}\n\n`);
    const isChanged = fault === "cut" || passage.options.fault === "list";
    const isStream = /^text\/event-stream\b/i.test(answer.headers.get("content-type") ?? "");
    for await (const [bytes, texts] of piecesOf(answer.body, isStream)) {
      if (bytes.length > 0) heard();
      if (!isChanged) response.write(bytes);
      for (const text of texts) {
        const whole = passage.received(text);
        const answered = answersIn(text).flatMap((id) => waiting.get(id) ?? []);
        if (fault === "cut" && (!isStream || answered.includes(met!)))
          return void response.write(whole.slice(0, whole.length / 2), () => response.destroy());
        if (isChanged) response.write(whole);
        for (const call of answered) {
          call.heard();
          call.over(true);
        }
      }
    }
    response.end();
    // A stream may end before an answer, which another one brings.
    if (!isStream) for (const call of each) call.over(true);
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
    const fromServer = (begun: number, text: string): void => {
      passage.startup ??= performance.now() - begun;
      const answers = answersIn(text);
      const answered = answers.flatMap((id) => waiting.get(id) ?? []);
      if (answered.some((call) => call === cut)) return void socket.end(text.slice(0, text.length / 2), end);
      for (const call of waiting.values()) call.heard();
      for (const call of answered) call.over(true);
      for (const id of answers) waiting.delete(id);
      near.send(passage.received(text));
    };
    const fromHost = async (text: string, to: Channel): Promise<void> => {
      const { calls, met, fault } = passage.sent(text);
      for (const [id, call] of calls) waiting.set(id, call);
      if (fault === "restart") return end();
      if (fault === "cut") cut = met;
      if (fault === "list") for (const change of passage.change(true)) near.send(change);
      if (fault === "slow") await pause(passage.options.slow, undefined, { signal: ending.signal });
      to.send(text);
    };
    const start = (environment: string): Channel => {
      const own = Object.keys(process.env).map((name) => [name, undefined]);
      const env = { ...Object.fromEntries(own), ...messagesIn(environment)[0] };
      const stderr = passage.options.stderr?.();
      const given = { ...ends, env, limit, stderr: stderr ?? "ignore" };
      const begun = performance.now();
      const channel = stdioClientChannel([command, ...args], given);
      void channel.exited.then(() => stderr?.end());
      open.add(channel);
      const closed = (): void => void near.close();
      const message = (text: string): void => fromServer(begun, text);
      channel.open({ message, turn: () => near.flush(), tooLong: () => {}, closed });
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
