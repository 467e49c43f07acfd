import { type LogLevel, McpError, type RequestId } from "@mcpgen/runtime";
import { classify, isObject, isRequestId, jsonOr, malformedMember, type Members } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";

/** To one node, on its channel. */
export interface NodeMessage {
  /** Digest of the id. */
  readonly session: string;
  /** An answer or progress of the client for requests of that node. */
  readonly message?: object;
  /** A node continues a stream of that node: it wants to know when the stream has ended. */
  readonly follows?: { readonly stream: string; readonly from: string };
  /** A stream that the node continues has ended: all its events are in the log. */
  readonly over?: string;
  /** A message for the client, which listens at that node. */
  readonly text?: string;
  /** A message that the node sent, and that the sender has no stream for. */
  readonly returned?: string;
  /** Name of the sender, of these two. */
  readonly from?: string;
  /** The client has resumed this GET stream of that node at the sender. */
  readonly taken?: string;
}

/** To all nodes. Those that know the session obey it. */
export interface SessionMessage {
  /** Digest of the id. */
  readonly session?: string | undefined;
  /** Name of the sender, which has obeyed already. */
  readonly node: string;
  /** A notification for the node at which the session was opened, or at which the request runs. */
  readonly message?: object;
  readonly state?: SharedState;
  /** The session has ended. */
  readonly ended?: boolean;
  /** The client listens at the sender. */
  readonly listens?: boolean;
  /** The sender was disconnected: answers that were sent to it may be lost. It names no session. */
  readonly missed?: boolean;
}

/** What the nodes know about a session besides its record. */
export interface SharedState {
  readonly logLevel?: LogLevel | undefined;
  readonly subscriptions?: readonly string[];
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

const stateMembers: Members = { logLevel: "text", subscriptions: "texts" };

/** The message to a node that a text holds; `undefined` for any other text: another program may publish on the channel. */
export function nodeMessageOf(text: string): NodeMessage | undefined {
  const found = judged(text, nodeMembers, ["session"]) as NodeMessage | undefined;
  if (!found) return undefined;
  const { message, follows, text: sent, returned, from } = found;
  const isWhole =
    // Requests came past no check of who may send them.
    (!message || ["response", "notification"].includes(classify(message) as string)) &&
    (!follows || isWholeObject(follows, followsMembers, ["stream", "from"])) &&
    ((sent === undefined && returned === undefined) || from !== undefined) &&
    [sent, returned].every((each) => each === undefined || isMessage(each));
  return isWhole ? found : undefined;
}

/** The message to all nodes that a text holds; `undefined` for any other text. */
export function sessionMessageOf(text: string): SessionMessage | undefined {
  const found = judged(text, sessionMembers, ["node"]) as SessionMessage | undefined;
  if (!found) return undefined;
  const { message, state } = found;
  return (!message || classify(message) === "notification") && (!state || isState(state)) ? found : undefined;
}

/** The state of a session that a text holds; `undefined` for any other text. */
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
/** The braces keep the channel beside the events of the session (Redis Cluster). */
export const eventsChannel = (session: string): string => `events:{${session}}`;
/** The key of the node at which the client listens. */
export const listenerKey = (session: string): string => `listens:${session}`;
/** The key of the sign that messages wait until the client listens. */
export const wantedKey = (session: string): string => `wanted:${session}`;
/** The key of the sign that the session has ended. Nothing else is stored there: a late change does not bring it back. */
export const endedKey = (session: string): string => `ended:${session}`;
export const stateKey = (session: string): string => `state:${session}`;

/** Characters of the longest list of ids in a stream's name. */
const longestIds = 64;

/**
 * The name of a stream: `<node>.<number>`, and for a stream that answers requests `.<their ids>`, so that another node can
 * refuse them. One id that is an integer stands for itself, as each request makes a name; others are JSON in base64url. Longer
 * lists of ids are left out.
 */
export function streamNameOf(node: string, number: string, ids: readonly RequestId[] | undefined): string {
  if (!ids) return `${node}.${number}`;
  if (ids.length === 1 && Number.isSafeInteger(ids[0])) return `${node}.${number}.${ids[0]}`;
  const text = JSON.stringify(ids);
  const list = text.length > longestIds ? "" : Buffer.from(text).toString("base64url");
  return `${node}.${number}.${list}`;
}

/** The parts of a stream's name, as `streamNameOf` made it; without `ids` for a GET stream. */
export function partsOfStream(name: string): {
  readonly node: string;
  readonly ids?: readonly RequestId[];
} {
  const [node = "", , list] = name.split(".");
  if (list === undefined) return { node };
  if (/^-?\d+$/.test(list)) return { node, ids: [Number(list)] };
  const ids = list === "" ? [] : jsonOr(Buffer.from(list, "base64url").toString());
  // A name that no node made is one whose ids are not known.
  return { node, ids: Array.isArray(ids) && ids.every(isRequestId) ? ids : [] };
}

/** The process that an answer or a stream belongs to is gone, or the answer itself. */
export function lostError(code: "node-lost" | "answer-lost", message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError, data: { code } });
}
