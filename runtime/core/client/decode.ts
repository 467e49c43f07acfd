import type { OpenDefinition, OutgoingRequest, Page } from "@mcpgen/protocol/model";
import { type NullReader, warning } from "../protocol/events.js";
import { nameOfCode } from "../protocol/error-table.js";
import { type RevisionView, issuesText } from "../protocol/revision-view.js";
import {
  asRemote,
  type ErrorCode,
  isObject,
  McpError,
  type Params,
  rateLimitedCode,
  type ResponseMessage,
  timeLimitCode,
} from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { type ClientProfile, eraOf } from "./client-profile.js";

/** An invalid item of a list. The other items of the list are kept. */
export interface Rejected {
  /** Its position from 0, in the page or (for a whole list) in the list. */
  readonly index: number;
  /** Its name, if it has one. */
  readonly name: string | undefined;
  /** JSON Pointer into the item. */
  readonly pointer: string;
  readonly reason: string;
}

/** Facts about the list of a result; items are as the revision defines them. */
interface Listed {
  /** Whether the list is complete. */
  readonly complete: boolean;
  /** The items that refer to an entry. */
  readonly references: readonly Params[];
}

export interface Decoded {
  readonly result: Params;
  readonly rejected: readonly Rejected[];
  /** Facts about the list, if the list may leave entries out. */
  readonly listed?: Listed | undefined;
}

/** The parameters for reading the result of a method. */
interface Reading {
  readonly view: RevisionView<"client">;
  readonly method: string;
  readonly readNulls: NullReader;
}

/** Maximum number of invalid items of a page; a page with more is refused. */
const maxRejected = 1000;

/** Whether a result is valid without changes. */
export function isAccepted({ result: definition }: OutgoingRequest, result: unknown): result is Params {
  return isObject(result) && (definition === undefined || definition.accepts(result));
}

/**
 * Decodes a result that `isAccepted` refuses: removes members that are null instead of absent, and sets invalid items
 * of a list aside.
 *
 * @throws {McpError} `invalid-result`
 */
export async function decode(
  view: RevisionView<"client">,
  method: string,
  { entry, result }: { readonly entry: OutgoingRequest; readonly result: unknown },
  { readNulls, hooks }: Pick<ClientProfile, "readNulls" | "hooks">,
): Promise<Decoded> {
  const { result: definition, page } = entry;
  if (!isObject(result) || !definition) throw invalidResult(method, "expected an object");
  let value: Params = eraOf(view).resultTypes ? withDefaults(entry, result) : result;
  value = await readNulls(definition, value, method);
  if (definition.accepts(value)) return { result: value, rejected: [] };
  // Some servers send only structured content (tools, structured content: it should have both).
  if (value["structuredContent"] !== undefined && (value["content"] ?? undefined) === undefined) {
    value = { ...value, content: [] };
    hooks.emit(warning("missing-content", "/content", method));
    if (definition.accepts(value)) return { result: value, rejected: [] };
  }
  const items = page && value[page.member];
  if (!page || !Array.isArray(items)) {
    const data = page && items === null ? { [page.member]: null } : undefined;
    throw invalidResult(method, issuesText(await view.issues(value, definition)), undefined, data);
  }
  const { kept, rejected } = await sift({ view, method, readNulls }, page, items);
  const sifted = await readNulls(definition, { ...value, [page.member]: kept }, method);
  if (definition.accepts(sifted)) return { result: sifted, rejected };
  throw invalidResult(method, issuesText(await view.issues(sifted, definition)));
}

/**
 * Decodes an alternative to the plain result. It is not translated to the vocabulary.
 *
 * @throws {McpError} `invalid-result`
 */
export async function decodeAlternative(
  { view, method, readNulls }: Reading,
  definition: OpenDefinition,
  result: unknown,
): Promise<Decoded> {
  const value = await readNulls(definition, result, method);
  if (definition.accepts(value)) return { result: value as Params, rejected: [] };
  throw invalidResult(method, issuesText(await view.issues(value, definition)));
}

/**
 * The definition of a result by its `resultType`; `undefined` for one that may be of an extension.
 *
 * @param mayExtend whether the sender declares extensions: the client need not have them itself
 * @throws {McpError} `invalid-result`: the method has no such result
 */
export function typedResult(
  method: string,
  entry: OutgoingRequest,
  result: unknown,
  mayExtend: boolean,
): OpenDefinition | undefined {
  const mark = isObject(result) ? result["resultType"] : undefined;
  const found = entry.alternatives?.find(({ key, value = mark }) => key === "resultType" && value === mark);
  if (found ?? (mayExtend && typeof mark === "string")) return found;
  throw invalidResult(method, `its resultType ${JSON.stringify(mark)} is unknown`);
}

/**
 * Adds the defaults of absent members (2026-07-28, `resultType`; caching, time to live). A cache hint of the wrong type or
 * below 0 counts as absent and does not fail the result.
 */
export function withDefaults({ cacheable }: OutgoingRequest, result: Params): Params {
  if (!cacheable) return { resultType: "complete", ...result };
  const { ttlMs, cacheScope } = result;
  return {
    resultType: "complete",
    ...result,
    cacheScope: cacheScope === "public" ? cacheScope : "private",
    ttlMs: typeof ttlMs === "number" && ttlMs >= 0 && Number.isFinite(ttlMs) ? Math.floor(ttlMs) : 0,
  };
}

/**
 * Whether an item of a list refers to an entry. A whole entry has the marking member or matches the definition of
 * entries.
 */
export function isReference(page: Page, item: unknown): boolean {
  const reference = page.partial?.reference;
  if (!reference || !isObject(item) || !reference.accepts(item)) return false;
  const { whole } = reference;
  if (!whole) return !page.accepts(item);
  const found = item[whole.key];
  return whole.value === undefined ? found === undefined : found !== whole.value;
}

/**
 * Separates the entries of a list and references to entries from invalid items.
 *
 * @throws {McpError} `invalid-result`: too many items are invalid
 */
export async function sift(
  { view, method, readNulls }: Reading,
  page: Page,
  items: readonly unknown[],
): Promise<{ kept: unknown[]; rejected: Rejected[] }> {
  const kept: unknown[] = [];
  const rejected: Rejected[] = [];
  for (const [index, item] of items.entries()) {
    const isWhole = page.accepts(item);
    const value = isWhole || isReference(page, item) ? item : await readNulls(page, item, method);
    if (isWhole || page.accepts(value) || isReference(page, value)) {
      kept.push(value);
      continue;
    }
    if (rejected.length >= maxRejected)
      throw invalidResult(method, `more than ${maxRejected} of its items are wrong`);
    const issues = await view.issues(value, page);
    const name = isObject(item) && typeof item["name"] === "string" ? item["name"] : undefined;
    rejected.push({ index, name, pointer: issues[0]?.pointer ?? "", reason: issuesText(issues) });
  }
  return { kept, rejected };
}

/** @param data `{ [member]: null }` if the list is null; `{ result }` for a tool */
export function invalidResult(method: string, problem: string, cause?: unknown, data?: object): McpError {
  return new McpError("invalid-result", `${method}: the server's result is invalid: ${problem}`, {
    cause,
    data,
  });
}

/** The response to a request. */
export interface ServerResponse extends ResponseMessage {
  /** The error of the HTTP response that carried it, if its status was not a success. */
  readonly refusal?: Error;
}

/**
 * Converts the error of a response, whose members may be missing, to an error to throw.
 *
 * @param params the request's params, if they may name a resource
 * @param view the revision of the response, if it is negotiated
 */
export function remoteError(
  method: string,
  response: ServerResponse,
  params?: Params,
  view?: RevisionView,
): McpError {
  const error: Record<string, unknown> = isObject(response.error) ? response.error : {};
  const { code, message, data } = error;
  const text = typeof message === "string" ? message : "the server answered with an error without a message";
  const kind = codeFor(code, data, params);
  // Servers whose revision has a code for it may mean something else by another code.
  const isMissing = kind === "resource-not-found" && !view?.table.errors["RESOURCE_NOT_FOUND"];
  return new McpError(
    kind,
    // Servers may name the method themselves.
    text.startsWith(`${method}: `) ? text : `${method}: ${text}`,
    {
      rpcCode: typeof code === "number" ? code : undefined,
      data,
      cause: response.refusal,
      remote: asRemote(error),
      protocolName: isMissing ? "RESOURCE_NOT_FOUND" : view && nameOfCode(code, view),
    },
  );
}

/** "Invalid params" means a missing resource if the error repeats the URI of the request (2026-07-28, resources, error handling). */
function codeFor(code: unknown, data: unknown, params: Params | undefined): ErrorCode {
  if (code === rpc.methodNotFound) return "method-not-found";
  if (code === rateLimitedCode) return "rate-limited";
  if (code === timeLimitCode) return "timeout";
  // Servers of any revision may send it (2026-07-28, resources, error handling).
  if (params && nameOfCode(code) === "RESOURCE_NOT_FOUND") return "resource-not-found";
  const names = typeof params?.["uri"] === "string" && isObject(data) && typeof data["uri"] === "string";
  return names && code === rpc.invalidParams ? "resource-not-found" : "remote-error";
}

/** The HTTP status that refused a request, with or without a JSON-RPC message. */
export function httpStatusOf(error: unknown): number | undefined {
  if (!(error instanceof McpError)) return undefined;
  const { code, data, cause } = error;
  // `data` of any other code comes from the server's error object.
  if (code !== "connection-closed") return httpStatusOf(cause);
  return isObject(data) && typeof data["status"] === "number" ? data["status"] : undefined;
}

/** Whether an HTTP status is temporary: the same request may succeed later. */
export function isTransient(status: number | undefined): boolean {
  if (status === undefined) return false;
  return status === 408 || status === 429 || (status >= 500 && status !== 501 && status !== 505);
}

/**
 * Whether an HTTP status means that the server cannot read the request. Servers of one era answer requests of the other era
 * with such a status (2026-07-28, Streamable HTTP, backward compatibility). Authorization errors and temporary errors do
 * not count.
 */
export function isMisunderstood(status: number | undefined): boolean {
  if (status === undefined || status < 400 || status >= 500) return false;
  return status !== 401 && status !== 403 && status !== 407 && !isTransient(status);
}
