import { isJsonObject } from "@mcpgen/engine/explain";

/** The id that a request and its answer share (JSON-RPC 2.0; never null in MCP). */
export type RequestId = string | number;

/**
 * The map for a further request: after each 1,024 another one with the same entries. The table of a map refers to the one that
 * replaces it. Once a collection of young objects has made one table old, it keeps all that follow, with all their requests, until
 * everything is collected.
 *
 * @param added the number of requests with this one
 */
export function renewed<Value>(map: Map<RequestId, Value>, added: number): Map<RequestId, Value> {
  return added % 1024 === 0 ? new Map(map) : map;
}

export interface RequestMessage {
  readonly jsonrpc: "2.0";
  readonly id: RequestId;
  readonly method: string;
  readonly params?: Params;
}

export interface NotificationMessage {
  readonly jsonrpc: "2.0";
  readonly method: string;
  readonly params?: Params;
}

export interface ResponseMessage {
  readonly jsonrpc: "2.0";
  readonly id?: RequestId;
  readonly result?: Params;
  readonly error?: ErrorObject;
}

export interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Parameters or a result: an object that may have metadata. */
export interface Params {
  readonly _meta?: Params;
  readonly [key: string]: unknown;
}

/**
 * A copy of the parameters with `meta` and the token under which progress is reported. The members stand before the spread: Node 20
 * makes a new hidden class for each object that is spread and then gets a member.
 */
export function withProgressToken(
  params: Params | undefined,
  meta: Params | undefined,
  progressToken: RequestId,
): Params {
  const _meta = { progressToken, ...meta };
  _meta.progressToken = progressToken;
  const copy = { _meta, ...params };
  copy._meta = _meta;
  return copy;
}

export type Message = RequestMessage | NotificationMessage | ResponseMessage;

/** Whether a value is an object, and neither null nor an array. */
export const isObject = isJsonObject as (value: unknown) => value is Record<string, unknown>;

/** The member of a parsed value at a path; `undefined` if it is absent or null. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let found = value;
  for (const key of path) found = isObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
  return found ?? undefined;
}

/** JSON text that does not depend on the order of members. @throws {RangeError} the value is nested too deeply */
export function sortedText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isObject(part)
      ? Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)))
      : part,
  );
}

/** Whether a value is a promise, or any object with `then`. */
export function isPromise<T>(value: T | Promise<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === "function";
}

/** Whether a value is a response: it has a result or an error, and no method. Its id and its parts may be wrong. */
export function isResponse(value: unknown): value is ResponseMessage {
  return isObject(value) && typeof value["method"] !== "string" && ("result" in value || "error" in value);
}

/** Whether two ids differ in their type alone. */
export function isSameId(one: unknown, other: RequestId): boolean {
  return isRequestId(one) && String(one) === String(other);
}

/** Unsafe integers are rejected: rounding would change the id. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === "string" || (typeof value === "number" && Number.isSafeInteger(value));
}

/** The id of a value that may be a request, for the error that answers it. */
export function idOf(message: unknown): RequestId | undefined {
  return isObject(message) && isRequestId(message["id"]) ? message["id"] : undefined;
}

/**
 * @param id `undefined` for a notification
 * @throws {TypeError} the method is not a text, so that nothing would answer, or the params are not JSON
 */
export function requestText(id: RequestId | undefined, method: string, params: object | undefined): string {
  if (typeof method !== "string") throw new TypeError("the method of a message is a text");
  const end = params === undefined ? "}" : `,"params":${JSON.stringify(params)}}`;
  return `${beginning(id)},"method":${JSON.stringify(method)}${end}`;
}

/** The beginning of a message, with its id if it has one. */
function beginning(id: RequestId | undefined): string {
  if (id === undefined) return '{"jsonrpc":"2.0"';
  return `{"jsonrpc":"2.0","id":${typeof id === "number" ? id : JSON.stringify(id)}`;
}

/** A notification as its definition describes it. */
export function notificationOf(method: string, params: Params | undefined): NotificationMessage {
  return params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params };
}

/** A request as its definition describes it. */
export function requestOf(id: RequestId, method: string, params: Params | undefined): RequestMessage {
  return params === undefined ? { jsonrpc: "2.0", method, id } : { jsonrpc: "2.0", method, params, id };
}

export function notificationText(method: string, params: object | undefined): string {
  return requestText(undefined, method, params);
}

/** @param result the text of the result */
export function resultText(id: RequestId, result: string): string {
  return `${beginning(id)},"result":${result}}`;
}

/**
 * @param id `undefined` if that of the request could not be read
 * @throws {TypeError} the data of the error is not JSON
 */
export function errorText(id: RequestId | undefined, error: ErrorObject): string {
  return `${beginning(id)},"error":${JSON.stringify(error)}}`;
}

/** Why a value is not a JSON-RPC message. */
export interface Problem {
  readonly problem: string;
}

export type MessageKind = "request" | "notification" | "response" | "batch";

// A body may hold millions of wrong messages: a problem costs no allocation.
const notJsonRpc: Problem = { problem: "not a JSON-RPC 2.0 message" };
// Integers beyond lose digits where JSON is parsed: another id, and progress of another request.
const wrongId: Problem = {
  problem: "an id or progressToken is a string or an integer up to 2^53 - 1",
};
const noKind: Problem = { problem: "neither a request, a notification nor a response" };

/**
 * Classifies a parsed value by JSON-RPC 2.0. Parameters, results and the parts of a batch are not checked.
 *
 * @returns a problem, if the value is neither a message nor an array
 */
export function classify(value: unknown): MessageKind | Problem {
  if (Array.isArray(value)) return "batch";
  if (!isObject(value) || value["jsonrpc"] !== "2.0") return notJsonRpc;
  if (typeof value["method"] === "string") {
    if (value["id"] === undefined) return "notification";
    const token = (value["params"] as Params | null | undefined)?._meta?.["progressToken"];
    return isRequestId(value["id"]) && isRequestId(token ?? 0) ? "request" : wrongId;
  }
  return "result" in value || "error" in value ? "response" : noKind;
}

export const batchesUnsupported = "batches are not supported";

export function isRequest(value: unknown): value is RequestMessage {
  return classify(value) === "request";
}

/** Knows which ids may be null. */
export interface NullTaker {
  /** Whether the other side sends requests of a method: their ids are required. */
  isRequest(method: string): boolean;
  /** Gets an event for a notification whose id is null. */
  emit?(event: { readonly type: "nulls-ignored"; method: string; members: readonly string[] }): void;
}

/** A message whose id is null, as a notification: some languages write it so. Other messages stay as they are. */
export function withoutNullId(message: unknown, taker: NullTaker): unknown {
  const { id, method } = Object(message) as { readonly id?: unknown; readonly method?: unknown };
  if (id !== null || typeof method !== "string" || taker.isRequest(method)) return message;
  taker.emit?.({ type: "nulls-ignored", method, members: ["/id"] });
  return { ...(message as object), id: undefined };
}
