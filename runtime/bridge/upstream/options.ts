import { checkOptions, invalid, type Rules, texts } from "@mcpgen/base";
import type { ClientCapabilities, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type {
  Authorize,
  Authorizer,
  ClientEvent,
  PinnedContract,
  ServerEvent,
  Source,
  StateOptions,
} from "@mcpgen/runtime";

/** The kinds of questions that a server asks its client. */
const questionKinds = ["elicitation", "sampling", "roots"] as const;

export type QuestionKind = (typeof questionKinds)[number];

/**
 * Who shares a connection with the server. `principal`: all callers with the same name of the authenticated client. `session`: one
 * caller alone, which is a session, or a pipe. `call`: one call at a time.
 *
 * `auto` shares as widely as no answer, log or root can reach another caller. A server of 2026-07-28 is shared by principal, for each
 * request states its caller; over a pipe, which does not show to which request a log belongs, only by callers that want no logs. A
 * server of an earlier revision serves one session; callers that have none (2026-07-28 over HTTP) share it if they can be asked
 * for nothing and want no logs, and get it for one call otherwise.
 */
export type Share = "auto" | "principal" | "session" | "call";

/** A server behind a bridge. */
export interface BackServer {
  /**
   * As for `connect`: a URL, `"stdio:COMMAND …"`, a command, or a function that opens a channel. An open channel serves only where
   * one connection is enough.
   */
  readonly source: Source;
  /**
   * Begins the names of its tools and prompts, with `_` after it; `""` for none. Letters, digits, `-`, `_` and `.`, at most 32.
   * Default: the name of the server where a bridge has several, else none.
   */
  readonly prefix?: string;
  /** The only revision to speak with it. Default: the newest common one. */
  readonly revision?: string;
  /**
   * Authorizes requests over HTTP: for all callers, or for each principal. The function gets the name of the authenticated client;
   * `""` stands for the bridge itself, and for clients without authentication.
   */
  readonly authorize?: Authorizer | ((principal: string) => Authorize | Authorizer);
  /**
   * Patterns of the tools that may pass: `*` stands for any text, `!` excludes. A tool passes if a pattern without `!` matches it,
   * or there is none, and no pattern with `!` does. Default: all.
   */
  readonly tools?: readonly string[];
  /** Default: `auto`. */
  readonly share?: Share;
}

/** A contract, as `mcpgen capture` writes it. */
export interface BridgeContract extends PinnedContract {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly title?: string | undefined;
  readonly capabilities?: ServerCapabilities | undefined;
}

export interface BridgeOptions {
  /**
   * What the server may offer (`contract` of `connect`): what differs is left out of lists, and refused when it is called. Clients get the
   * name, capabilities and instructions of the contract, so that the bridge does not connect before its first request. For one server.
   */
  readonly contract?: BridgeContract;
  /**
   * The kinds of questions that may pass from a server to a client; it is shown no capability for others. Sampling spends what
   * the user pays for the model. Default: all; of several servers, all but sampling.
   */
  readonly ask?: readonly QuestionKind[];
  /**
   * Names of headers of clients over HTTP that go on to a server over HTTP; `contextHeaders` of the endpoint names them, too. Headers
   * with credentials (`authorization`, `cookie`), of the protocol (`mcp-…`) and of the connection are refused. Default: none.
   */
  readonly headers?: readonly string[];
  /** Which `clientInfo` the server sees. Default: `client`, that of the client. */
  readonly identity?: "client" | "bridge";
  /** As for `createServer`: the keys of states that clients carry, and bounds of calls that wait for answers. */
  readonly state?: StateOptions;
  /** Gets the events of the bridge as a server, and of its clients, with the name of their server. As for `createServer`. */
  readonly onEvent?: (event: BridgeEvent) => unknown;
}

/** A list has no entries of a server, or lacks one of them, because it is away, or another server has the name or the URI. */
export interface LeftOut {
  readonly type: "left-out";
  readonly server: string;
  readonly message: string;
}

/** An event of a bridge. Those with `server` come from its connection with that server. */
export type BridgeEvent =
  (ServerEvent & { readonly server?: undefined }) | (ClientEvent & { readonly server: string }) | LeftOut;

const backRules: Rules<BackServer> = {
  source: "anything",
  prefix: "string",
  revision: "string",
  authorize: "anything",
  tools: texts,
  share: ["auto", "principal", "session", "call"],
};

const rules: Rules<BridgeOptions> = {
  contract: "object",
  ask: (value) =>
    Array.isArray(value) && value.every((kind) => questionKinds.includes(kind as QuestionKind))
      ? undefined
      : `a list of ${questionKinds.join(", ")}`,
  headers: texts,
  identity: ["client", "bridge"],
  state: "object",
  onEvent: "function",
};

/** A server with its name, and the options of its bridge. */
export interface Back extends BackServer {
  readonly name: string;
  readonly prefix: string;
  readonly bridge: BridgeOptions;
}

/** @throws {McpError} `invalid-definition` */
export function backsOf(
  servers: { readonly [name: string]: BackServer },
  given: BridgeOptions,
): readonly Back[] {
  checkOptions(given, rules);
  for (const header of given.headers ?? [])
    if (neverPassed.test(header)) throw invalid(`headers: ${header} never goes on to a server.`);
  const named = Object.entries(servers);
  if (named.length === 0) throw invalid("servers: name one server at least.");
  const isJoined = named.length > 1;
  if (isJoined && given.contract)
    throw invalid("contract: it is of one server. Make a bridge for each server.");
  const bridge = isJoined && !given.ask ? { ...given, ask: ["elicitation", "roots"] as const } : given;
  const backs = named.map(([name, server]): Back => {
    checkOptions(server, backRules, `servers.${name}.`);
    if (server.source === undefined)
      throw invalid(`servers.${name}.source: expected the address of a server.`);
    const { prefix = isJoined ? name : "" } = server;
    if (!/^[\w.-]{0,32}$/.test(prefix))
      throw invalid(`servers.${name}.prefix: expected at most 32 letters, digits, -, _ and .`);
    return { ...server, name, prefix, bridge };
  });
  expectApart(backs);
  return backs;
}

/** @throws {McpError} `invalid-definition`: a name would not show its server */
function expectApart(backs: readonly Back[]): void {
  for (const [index, { name, prefix }] of backs.entries()) {
    const other = backs.find(
      (each, at) =>
        at !== index && (each.prefix === prefix || (prefix && each.prefix.startsWith(`${prefix}_`))),
    );
    if (other)
      throw invalid(`servers.${other.name}.prefix: names with it could belong to the server ${name}, too.`);
  }
}

/** Headers with credentials, of the protocol, of the connection and of the body. */
const neverPassed =
  /^(?:authorization|cookie2?|set-cookie|proxy-.*|mcp-.*|host|origin|referer|forwarded|connection|keep-alive|te|trailer|transfer-encoding|upgrade|expect|accept|accept-encoding|content-.*|last-event-id|sec-.*)$/i;

/** The capabilities of a client, as far as its questions may pass. */
export function allowedOf({ bridge: { ask } }: Back, declared: ClientCapabilities): ClientCapabilities {
  if (!ask || questionKinds.every((kind) => ask.includes(kind))) return declared;
  const refused = questionKinds.filter((kind) => !ask.includes(kind)) as readonly string[];
  return Object.fromEntries(Object.entries(declared).filter(([name]) => !refused.includes(name)));
}

/** A judge of the names of tools; `undefined` if all may pass. */
export function passes({ tools }: BackServer): ((name: string) => boolean) | undefined {
  if (!tools) return undefined;
  const excluded = tools.filter((each) => each.startsWith("!")).map((each) => each.slice(1));
  const included = tools.filter((each) => !each.startsWith("!"));
  return (name) =>
    (included.length === 0 || included.some((each) => isMatch(each, name))) &&
    !excluded.some((each) => isMatch(each, name));
}

/** Whether a pattern in which `*` stands for any text matches a name. Takes linear time for each `*`. */
function isMatch(pattern: string, name: string): boolean {
  const [first = "", ...rest] = pattern.split("*");
  const last = rest.pop();
  if (last === undefined) return name === pattern;
  if (!name.startsWith(first)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = name.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return name.length - last.length >= at && name.endsWith(last);
}
