import { type LogLevel, McpError, type RequestId } from "@mcpgen/runtime";
import { classify, isObject, isRequestId, jsonOr, malformedMember, type Members } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";

/** A message to one node, on its channel. */
export interface NodeMessage {
  /** Digest of the session id. */
  readonly session: string;
  /** An answer or progress of the client, for a request of the receiving node. */
  readonly message?: object;
  /** The node `from` continues a stream of the receiving node, and asks for `over` when the stream has ended. */
  readonly follows?: { readonly stream: string; readonly from: string };
  /** A stream that the receiving node continues has ended: all its events are in the log. */
  readonly over?: string;
  /** A message for the client, which listens at the receiving node. */
  readonly text?: string;
  /** A `text` that the receiving node sent, returned because the client does not listen at the sender. */
  readonly returned?: string;
  /** Name of the sender, for `text` and `returned`. */
  readonly from?: string;
  /** The client has resumed this GET stream of the receiving node at the sender. */
  readonly taken?: string;
}

/** A message to all nodes. Nodes that have the session act on it. */
export interface SessionMessage {
  /** Digest of the session id. */
  readonly session?: string | undefined;
  /** Name of the sender, which ignores the message. */
  readonly node: string;
  /** A notification of the client, for the node that opened the session or runs the request. */
  readonly message?: object;
  readonly state?: SharedState;
  /** The session has ended. */
  readonly ended?: boolean;
  /** The client listens at the sender. */
  readonly listens?: boolean;
  /** The sender was disconnected, so answers that were sent to it may be lost. Comes without `session`. */
  readonly missed?: boolean;
}

/** The state of a session that nodes share in addition to its record. */
export interface SharedState {
  readonly logLevel?: LogLevel | undefined;
  readonly subscriptions?: readonly string[];
  /** Data of the application, as JSON; empty for none. */
  readonly data?: string;
}

const nodeMembers: Members = {
  ...{ session: "string", message: "object", follows: "object", over: "text" },
  ...{ text: "text", returned: "text", from: "text", taken: "text" },
};
const followsMembers: Members = { stream: "text", from: "text" };
const sessionMembers: Members = {
  ...{ session: "string", node: "text", message: "object" },
  ...{ state: "object", ended: "boolean", listens: "boolean", missed: "boolean" },
};
const logLevels: Readonly<Record<LogLevel, true>> = {
  ...{ debug: true, info: true, notice: true, warning: true },
  ...{ error: true, critical: true, alert: true, emergency: true },
};

const stateMembers: Members = { logLevel: "text", subscriptions: "texts", data: "string" };

/**
 * Parses a message to one node. Returns `undefined` for any other text, because other programs may publish on the channel.
 */
export function nodeMessageOf(text: string): NodeMessage | undefined {
  const found = judged(text, nodeMembers, ["session"]) as NodeMessage | undefined;
  if (!found) return undefined;
  const { message, follows, text: sent, returned, from } = found;
  const isWhole =
    // Requests are refused, because they have not passed the endpoint's authorization; `RelayChannel` has those that have.
    (!message || ["response", "notification"].includes(classify(message) as string)) &&
    (!follows || isWholeObject(follows, followsMembers, ["stream", "from"])) &&
    ((sent === undefined && returned === undefined) || from !== undefined) &&
    [sent, returned].every((each) => each === undefined || isMessage(each));
  return isWhole ? found : undefined;
}

/** Parses a message to all nodes. Returns `undefined` for any other text. */
export function sessionMessageOf(text: string): SessionMessage | undefined {
  const found = judged(text, sessionMembers, ["node"]) as SessionMessage | undefined;
  if (!found) return undefined;
  const { message, state } = found;
  return (!message || classify(message) === "notification") && (!state || isState(state)) ? found : undefined;
}

/** Parses the state of a session. Returns `undefined` for any other text. */
export function sharedStateOf(text: string): SharedState | undefined {
  const found = judged(text, stateMembers, []);
  return found && isState(found) ? (found as SharedState) : undefined;
}

function judged(text: string, members: Members, required: readonly string[]): object | undefined {
  const found = jsonOr(text);
  return isObject(found) && isWholeObject(found, members, required) ? found : undefined;
}

function isWholeObject(value: object, members: Members, required: readonly string[] = []): boolean {
  return malformedMember(value, members, required) === undefined;
}

function isState(value: object): boolean {
  const { logLevel } = value as { readonly logLevel?: unknown };
  return (
    isWholeObject(value, stateMembers) &&
    (logLevel === undefined || Object.hasOwn(logLevels, logLevel as string))
  );
}

/** Whether a text is a request or notification for a client. */
function isMessage(text: string): boolean {
  return ["request", "notification"].includes(classify(jsonOr(text)) as string);
}

export const sessionsChannel = "sessions";
export const nodeChannel = (node: string): string => `node:${node}`;
/** The channel of requests for the calls that wait at a node, and of what it gets for its own. */
export const relayChannel = (node: string): string => `parked:${node}`;
/** The braces keep the channel in the slot of the session's events (Redis Cluster). */
export const eventsChannel = (session: string): string => `events:{${session}}`;
/** The key under which the node is stored at which the client listens. */
export const listenerKey = (session: string): string => `listens:${session}`;
/** The key that exists while messages wait until the client listens. */
export const wantedKey = (session: string): string => `wanted:${session}`;
/**
 * The key that exists when the session has ended. It is separate from the state, so that a late change of state does not
 * reopen the session.
 */
export const endedKey = (session: string): string => `ended:${session}`;
export const stateKey = (session: string): string => `state:${session}`;

/** Maximum length in characters of the list of ids in a stream's name. */
const longestIds = 64;

/**
 * Makes the name of a stream: `<node>.<number>`, followed by `.<ids>` if the stream answers requests, so that another node
 * can answer them with an error. A single integer id appears as it is, which is the fast common case; other ids are JSON
 * in base64url. A longer list of ids is left out.
 */
export function streamNameOf(node: string, number: string, ids: readonly RequestId[] | undefined): string {
  if (!ids) return `${node}.${number}`;
  if (ids.length === 1 && Number.isSafeInteger(ids[0])) return `${node}.${number}.${ids[0]}`;
  const text = JSON.stringify(ids);
  const list = text.length > longestIds ? "" : Buffer.from(text).toString("base64url");
  return `${node}.${number}.${list}`;
}

/** Parses the name of a stream; `ids` is absent for a GET stream. */
export function partsOfStream(name: string): {
  readonly node: string;
  readonly ids?: readonly RequestId[];
} {
  const [node = "", , list] = name.split(".");
  if (list === undefined) return { node };
  if (/^-?\d+$/.test(list)) return { node, ids: [Number(list)] };
  const ids = list === "" ? [] : jsonOr(Buffer.from(list, "base64url").toString());
  // In a name that no node made, the ids count as unknown.
  return { node, ids: Array.isArray(ids) && ids.every(isRequestId) ? ids : [] };
}

/** The error for a lost node, or for a lost answer. */
export function lostError(code: "node-lost" | "answer-lost", message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError, data: { code } });
}
