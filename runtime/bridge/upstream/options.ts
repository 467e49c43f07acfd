import { checkOptions, invalid, type Rules, texts } from "@mcpgen/base";
import type { ClientCapabilities } from "@mcpgen/protocol/authoring";
import type { Authorize, Authorizer, ClientEvent, ServerEvent, Source, StateOptions } from "@mcpgen/runtime";

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
  /** Begins the names of its tools and prompts, where a bridge has several servers; `""` for none. Has no effect on one server. */
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

export interface BridgeOptions {
  /**
   * The kinds of questions that may pass from the server to a client; it is shown no capability for others. Default: all.
   * Sampling spends what the user pays for the model.
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

/** An event of a bridge. Those with `server` come from its connection with that server. */
export type BridgeEvent =
  (ServerEvent & { readonly server?: undefined }) | (ClientEvent & { readonly server: string });

const backRules: Rules<BackServer> = {
  source: "anything",
  prefix: "string",
  revision: "string",
  authorize: "anything",
  tools: texts,
  share: ["auto", "principal", "session", "call"],
};

const rules: Rules<BridgeOptions> = {
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
  readonly bridge: BridgeOptions;
}

/** @throws {McpError} `invalid-definition` */
export function backOf(servers: { readonly [name: string]: BackServer }, bridge: BridgeOptions): Back {
  checkOptions(bridge, rules);
  const [[name, server] = [], ...more] = Object.entries(servers);
  if (name === undefined || server === undefined) throw invalid("servers: name one server.");
  if (more.length > 0)
    throw invalid(
      `servers: a bridge has one server for now; leave out ${more.map(([each]) => each).join(", ")}.`,
    );
  checkOptions(server, backRules, `servers.${name}.`);
  if (server.source === undefined) throw invalid(`servers.${name}.source: expected the address of a server.`);
  for (const header of bridge.headers ?? [])
    if (neverPassed.test(header)) throw invalid(`headers: ${header} never goes on to a server.`);
  return { ...server, name, bridge };
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
