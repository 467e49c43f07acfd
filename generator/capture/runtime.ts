import type { Readable, Writable } from "node:stream";
import type { JsonObject, JsonValue } from "@mcpgen/engine";
import { loadPackage } from "../files/installed-package.js";
import { type StartedProcess, interruption } from "./interruption.js";

/** An invalid item of a list, and the reason. */
export interface RejectedItem {
  readonly index: number;
  readonly name: string | undefined;
  readonly pointer: string;
  readonly reason: string;
}

/** A list with the items of all pages. */
export interface LiveList {
  readonly items: readonly JsonObject[];
  readonly rejected: readonly RejectedItem[];
  /** Whether the list is complete according to the server. */
  readonly complete: boolean;
  /** Items that are only references to an entry. */
  readonly references: readonly JsonObject[];
}

export interface LiveProgress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

/** Options of a request; times in milliseconds. */
export interface LiveOptions {
  readonly timeout?: number;
  readonly totalTimeout?: number;
  readonly onProgress?: (progress: LiveProgress) => void;
  readonly signal?: AbortSignal;
}

/** Options of a list request. */
export interface LiveListOptions extends LiveOptions {
  /** Parameters of the request. */
  readonly params?: JsonObject;
}

/**
 * The part of the runtime's client that commands use (runtime/core/client/client.ts has the complete
 * interface).
 */
export interface LiveClient {
  readonly revision: string;
  readonly serverInfo: JsonObject | undefined;
  readonly serverCapabilities: JsonObject;
  readonly instructions: string | undefined;
  listTools(options?: LiveListOptions): Promise<LiveList>;
  listResources(options?: LiveListOptions): Promise<LiveList>;
  listResourceTemplates(options?: LiveListOptions): Promise<LiveList>;
  listPrompts(options?: LiveListOptions): Promise<LiveList>;
  /** The valid items of a list; reads page by page. */
  items(method: string, options?: LiveListOptions): AsyncIterable<JsonObject>;
  /** One entry of a list; undefined if the server does not have it. */
  entry(method: string, name: string, options?: LiveOptions): Promise<JsonObject | undefined>;
  callTool(name: string, args: JsonObject, options?: LiveOptions): Promise<JsonObject>;
  readResource(uri: string, options?: LiveOptions): Promise<JsonObject>;
  getPrompt(name: string, args: Readonly<Record<string, string>>, options?: LiveOptions): Promise<JsonObject>;
  request(method: string, params: JsonObject, options?: LiveOptions): Promise<JsonObject>;
  setLogLevel(level: string): Promise<void>;
  on(method: string, listener: (params: JsonValue) => void): () => void;
  close(): Promise<void>;
}

/**
 * The part of a message channel that commands use (runtime/core/jsonrpc/channel.ts has the complete
 * interface).
 */
export interface Channel {
  open(receiver: Receiver): void;
  send(text: string): void;
  flush(): void;
  close(): Promise<void>;
}

/** Receives the messages of a channel. */
export interface Receiver {
  message(text: string): void;
  turn(): void;
  tooLong(limit: number): void;
  closed(reason?: Error): void;
}

/** The parts of the runtime and the generated package that commands use. */
export interface Runtime {
  connect(source: string | (() => Channel), options: object): Promise<LiveClient>;
  parseStdioSource(source: string): readonly [string, ...string[]];
  /** Starts a server as a child process. */
  stdioClientChannel(command: readonly [string, ...string[]], options: object): Channel & StartedProcess;
  /** A channel over two byte streams. */
  streamChannel(readable: Readable, writable: Writable, options: object): Channel;
  /** The error with which a client reports that its user declined. */
  userRejected(message?: string): Error;
  /** The reason why a URL must not be opened; undefined if it may. */
  pageProblem(url: unknown): string | undefined;
  readonly revisions: readonly { readonly id: string; readonly era: string }[];
}

/**
 * Loads the runtime and the clients' tables that are installed beside mcpgen. The compiler builds and runs
 * without them.
 *
 * @throws CodedError MG2013 if one is not installed or not built
 */
export async function loadRuntime(): Promise<Runtime> {
  const modules = ["protocol/client", "protocol/explained"];
  const [links, protocol, explanations] = await Promise.all([
    loadLinks(),
    ...modules.map((module) => loadPackage(`@mcpgen/${module}`)),
  ]);
  const explained = explanations!["explained"] as (revisions: unknown) => Runtime["revisions"];
  return { ...links, revisions: explained(protocol!["clientRevisions"]) } as Runtime;
}

/** The runtime for code that brings its own revisions. */
export type Links = Omit<Runtime, "revisions">;

/** Same as `loadRuntime`, without the revisions, which take longer to load than the rest. */
export async function loadLinks(): Promise<Links> {
  const modules = ["runtime", "runtime/stdio"].map((module) => loadPackage(`@mcpgen/${module}`));
  const loaded = Object.assign({}, ...(await Promise.all(modules))) as Links;
  const stdioClientChannel: Runtime["stdioClientChannel"] = (...start) =>
    interruption.watched(loaded.stdioClientChannel(...start));
  return { ...loaded, stdioClientChannel };
}

/** The parts of `@mcpgen/bridge` and of the runtime that serve a bridge. */
export interface BridgeRuntime {
  createBridge(servers: Readonly<Record<string, object>>, options: object): Promise<BridgeServer>;
  serveStdio(server: BridgeServer, options: object): BridgeServer & { readonly closed: Promise<void> };
  serveHttp(server: BridgeServer, options: object): Promise<BridgeServer & { readonly url: string }>;
}

/** A bridge, or what serves it. `close` of a bridge ends its connections with servers. */
export interface BridgeServer {
  close(): Promise<void>;
}

/**
 * Loads what serves a bridge. Only the function of its front is there.
 *
 * @throws CodedError MG2013 if it is not installed or not built
 */
export async function loadBridge(front: "stdio" | "http"): Promise<BridgeRuntime> {
  const modules = ["bridge", `runtime/${front}`].map((module) => loadPackage(`@mcpgen/${module}`));
  return Object.assign({}, ...(await Promise.all(modules))) as BridgeRuntime;
}

/** Records the messages of one connection (runtime/testing/kit/recording.ts has the complete interface). */
export interface Recording {
  of(channel: Channel, side: "client" | "server"): Channel;
  toString(): string;
}

/**
 * Loads the class for recordings.
 *
 * @throws CodedError MG2013 if the runtime is not installed or not built
 */
export async function loadRecording(): Promise<new () => Recording> {
  const { Recording } = await loadPackage("@mcpgen/testing");
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
 * @throws CodedError MG2013 if the runtime is not installed or not built
 */
export async function loadSessionFormat(): Promise<(session: readonly Recorded[]) => string> {
  const { formatSession } = await loadPackage("@mcpgen/testing");
  return formatSession as (session: readonly Recorded[]) => string;
}

/**
 * Ids of the revisions in the generated package, oldest first.
 *
 * @throws CodedError MG2013 if it is not installed or not built
 */
export async function loadRevisionIds(): Promise<readonly string[]> {
  const { revisionIds } = await loadPackage("@mcpgen/protocol");
  return revisionIds as readonly string[];
}
