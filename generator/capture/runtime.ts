import type { Readable, Writable } from "node:stream";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";

/** An item of a list that is none, and why. */
export interface RejectedItem {
  readonly index: number;
  readonly name: string | undefined;
  readonly pointer: string;
  readonly reason: string;
}

/** A list with all its pages. */
export interface LiveList {
  readonly items: readonly JsonObject[];
  readonly rejected: readonly RejectedItem[];
  /** Whether the server says that it left nothing out. */
  readonly complete: boolean;
  /** Items that stand for an entry. */
  readonly references: readonly JsonObject[];
}

export interface LiveProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Milliseconds. */
export interface LiveOptions {
  readonly timeout?: number;
  readonly totalTimeout?: number;
  readonly onProgress?: (progress: LiveProgress) => void;
  readonly signal?: AbortSignal;
}

/** Of a list. */
export interface LiveListOptions extends LiveOptions {
  /** Parameters of the requests. */
  readonly params?: JsonObject;
}

/** The part of the runtime's client that commands need (runtime/core/client/client.ts has the whole of it). */
export interface LiveClient {
  readonly revision: string;
  readonly serverInfo: JsonObject | undefined;
  readonly serverCapabilities: JsonObject;
  readonly instructions: string | undefined;
  listTools(options?: LiveListOptions): Promise<LiveList>;
  listResources(options?: LiveListOptions): Promise<LiveList>;
  listResourceTemplates(options?: LiveListOptions): Promise<LiveList>;
  listPrompts(options?: LiveListOptions): Promise<LiveList>;
  /** The valid items of a list, page by page. */
  items(method: string, options?: LiveListOptions): AsyncIterable<JsonObject>;
  /** One entry of a list; undefined if the server has no such entry. */
  entry(method: string, name: string, options?: LiveOptions): Promise<JsonObject | undefined>;
  callTool(name: string, args: JsonObject, options?: LiveOptions): Promise<JsonObject>;
  readResource(uri: string, options?: LiveOptions): Promise<JsonObject>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, options?: LiveOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject, options?: LiveOptions): Promise<JsonObject>;
  setLogLevel(level: string): Promise<void>;
  on(method: string, listener: (params: JsonValue) => void): () => void;
  close(): Promise<void>;
}

/** The part of a channel of messages that commands need (runtime/core/jsonrpc/channel.ts has the whole of it). */
export interface Channel {
  open(receiver: Receiver): void;
  send(text: string): void;
  flush(): void;
  close(): Promise<void>;
}

/** The reader of a channel. */
export interface Receiver {
  message(text: string): void;
  turn(): void;
  tooLong(limit: number): void;
  closed(reason?: Error): void;
}

/** The parts of the runtime and of the generated package that commands with servers use. */
export interface Runtime {
  connect(source: string | (() => Channel), options: object): Promise<LiveClient>;
  parseStdioSource(source: string): readonly [string, ...string[]];
  /** Starts a server in a child process. */
  stdioClientChannel(command: readonly [string, ...string[]], options: object): Channel;
  /** A channel over two byte streams. */
  streamChannel(readable: Readable, writable: Writable, options: object): Channel;
  /** The answer of a client whose user declines. */
  userRejected(message?: string): Error;
  /** Why a URL must not be opened, if so. */
  pageProblem(url: unknown): string | undefined;
  readonly revisions: readonly { readonly id: string; readonly era: string }[];
}

/**
 * Loads the runtime and the tables of clients, as installed beside mcpgen. The compiler itself builds and runs without either.
 *
 * @throws CodedError MG2013 where one is not installed, or not built
 */
export async function loadRuntime(): Promise<Runtime> {
  const [runtime, stdio, protocol, explanations] = await Promise.all(
    ["@mcpgen/runtime", "@mcpgen/runtime/stdio", "@mcpgen/protocol/client", "@mcpgen/protocol/explained"].map(
      (name) => load(name),
    ),
  );
  const explained = explanations!["explained"] as (revisions: Runtime["revisions"]) => Runtime["revisions"];
  return {
    connect: runtime!["connect"] as Runtime["connect"],
    parseStdioSource: stdio!["parseStdioSource"] as Runtime["parseStdioSource"],
    stdioClientChannel: stdio!["stdioClientChannel"] as Runtime["stdioClientChannel"],
    streamChannel: stdio!["streamChannel"] as Runtime["streamChannel"],
    userRejected: runtime!["userRejected"] as Runtime["userRejected"],
    pageProblem: runtime!["pageProblem"] as Runtime["pageProblem"],
    revisions: explained(protocol!["clientRevisions"] as Runtime["revisions"]),
  };
}

/** The recording of the messages of one connection (runtime/core/testing/recording.ts has the whole of it). */
export interface Recording {
  of(channel: Channel, side: "client" | "server"): Channel;
  toString(): string;
}

/**
 * Loads the class of recordings.
 *
 * @throws CodedError MG2013 where the runtime is not installed, or not built
 */
export async function loadRecording(): Promise<new () => Recording> {
  const { Recording } = await load("@mcpgen/runtime/testing");
  return Recording as new () => Recording;
}

/** A message of a recorded session. */
interface Recorded {
  readonly from: "client" | "server";
  readonly at: number;
  readonly text: string;
}

/**
 * Loads the function that writes a recorded session as text.
 *
 * @throws CodedError MG2013 where the runtime is not installed, or not built
 */
export async function loadSessionFormat(): Promise<(session: readonly Recorded[]) => string> {
  const { formatSession } = await load("@mcpgen/runtime/testing");
  return formatSession as (session: readonly Recorded[]) => string;
}

/**
 * Ids of the revisions that the generated package has, the oldest first.
 *
 * @throws CodedError MG2013 where it is not installed, or not built
 */
export async function loadRevisionIds(): Promise<readonly string[]> {
  const { revisionIds } = await load("@mcpgen/protocol");
  return revisionIds as readonly string[];
}

/**
 * Loads a package of mcpgen as installed beside mcpgen; never one that the project has installed, whose author need not be ours.
 *
 * @throws CodedError MG2013
 */
export async function load(name: string): Promise<Record<string, unknown>> {
  try {
    return (await import(name)) as Record<string, unknown>;
  } catch (cause) {
    throw new CodedError("MG2013", `${name} cannot be loaded: ${(cause as Error).message.split("\n")[0]}`, {
      next: "Install mcpgen again, with its dependencies.",
      cause,
    });
  }
}
