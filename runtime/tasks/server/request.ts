import {
  type AskOptions,
  type Clock,
  type HandlerContext,
  McpError,
  type Params,
  type Server,
} from "@mcpgen/runtime";
import type { RequestOptions } from "@mcpgen/protocol/model";
import { errorObjectOf, mostReserved, weightOf } from "@mcpgen/base";
import { type Asked, type RequestContext, ServerRequest } from "@mcpgen/runtime/extending";
import type { TaskError } from "../state/record.js";

// What tasks read of the request of a client, and what they send for it: also after its response.

/** The context of a handler as the server made it. */
export function requestOf(context: HandlerContext): RequestContext {
  return context as RequestContext;
}

/**
 * Whether the client of a request may read what an earlier request began: another token of the same user may have fewer rights.
 * Over HTTP, the option `permit` is asked again; elsewhere all of a client's requests have the same rights.
 *
 * @param name of the tool that was called
 * @param scopes that the call needed
 * @param answers whether a denial answers the request, with its status and headers: the caller then throws
 */
export function mayRead(
  context: HandlerContext,
  name: string,
  scopes: readonly string[],
  answers: boolean,
): boolean | Promise<boolean> {
  const { http, method, request } = requestOf(context);
  return http?.permits?.({ method, name, params: request.params ?? {}, scopes }, answers) ?? true;
}

/** Whether requests of one client may have different rights: then `mayRead` decides. */
export function judgesRights(context: HandlerContext): boolean {
  return requestOf(context).http?.permits !== undefined;
}

/** Whether the server may keep a request while its stream is open; `subscriptions/listen` refuses any other. */
export function mayKeep(context: HandlerContext): boolean {
  return weightOf(requestOf(context).request, mostReserved) <= mostReserved;
}

/** The JSON-RPC error for what a handler threw, as its client would get it. Reports it as the server does. */
export function errorOfHandler(context: HandlerContext, thrown: unknown): TaskError {
  return errorObjectOf(requestOf(context).errorOf(thrown));
}

/** Reports an error of work that belongs to no request, as the server reports what handlers throw. */
export function reportTo({ definition }: Server, error: unknown, method: string): void {
  definition.hooks.emit({ type: "handler-error", error, method });
}

/** The clock of a server. */
export function clockOf({ definition }: Server): Clock {
  return definition.clock;
}

/**
 * Reads a result of a request to the client that came in another way.
 *
 * @returns the result, without members that are null instead of absent; `undefined` if it is not a result of the method
 */
export async function readAnswer(
  context: HandlerContext,
  { method }: Asked,
  answer: unknown,
): Promise<Params | undefined> {
  const { connection, protocol } = requestOf(context);
  const definition = protocol.revision.table.outgoingRequests.get(method)?.result;
  if (!definition) return undefined;
  const read = await connection.readNulls(definition, answer, method);
  return definition.accepts(read) ? (read as Params) : undefined;
}

/** Whether the revision of a request has a request of the client. */
export function hasRequest(context: HandlerContext, method: string): boolean {
  return requestOf(context).protocol.revision.table.incomingRequests.has(method);
}

/** The result of another method, which came before, in the words of the request's revision. */
export function loweredResult(context: HandlerContext, method: string, result: object): object {
  return requestOf(context).protocol.revision.lower("outgoingResults", method, result as Params);
}

/**
 * Sends a request to the client of a request, on the stream of that request (legacy era).
 *
 * @param asked as the revision sends it
 * @throws {McpError} as `context.ask`
 */
export function askDirectly(context: HandlerContext, asked: Asked): Promise<object> {
  return requestOfClient(context, asked, { signal: context.signal });
}

/**
 * As `askDirectly`, whether or not the request is over: on a stream of no request.
 *
 * @param waitMs milliseconds for the answer
 */
export function askApart(
  context: HandlerContext,
  asked: Asked,
  waitMs: number,
  signal?: HandlerContext["signal"],
): Promise<object> {
  const options = { timeout: waitMs, totalTimeout: waitMs, ...(signal && { signal }) };
  return requestOfClient(context, asked, options, true);
}

/**
 * Sends the asks of a handler in another way than the era does, within the checks of `context.ask`.
 *
 * @param send gets each ask that passed them; resolves with the result in the authoring vocabulary
 */
export function askThroughOther(
  context: HandlerContext,
  send: (asked: Asked, options: AskOptions) => Promise<object>,
): void {
  requestOf(context).sendAsk = (_context, { asked }, options = {}) => send(asked, options) as Promise<Params>;
}

/** Whether the client declares that it may answer a request with another result. @param mark the member of that result */
export function declaresAlternative(context: HandlerContext, method: string, mark: string): boolean {
  const { alternatives = [] } = requestOf(context).protocol.revision.table.outgoingRequests.get(method) ?? {};
  return alternatives.some(
    ({ key, capability }) => key === mark && capability && new ServerRequest(context).declares(capability),
  );
}

/**
 * Sends a request to the client of a request (legacy era).
 *
 * @param isApart on a stream of no request, whether or not the request is over
 * @throws {McpError} as `context.ask`
 */
export function requestOfClient(
  context: HandlerContext,
  asked: Asked,
  options: RequestOptions,
  isApart = false,
): Promise<object> {
  const { connection, protocol, requestId } = requestOf(context);
  const origin = isApart ? undefined : requestId;
  return connection.ask({ revision: protocol.revision, ...asked }, options, origin);
}

/**
 * The result of another method, which the server has received, as that of a request to the client, in the authoring vocabulary.
 *
 * @throws {McpError} `invalid-result`
 */
export async function liftedAnswer(context: HandlerContext, asked: Asked, result: object): Promise<object> {
  const read = await readAnswer(context, asked, result);
  if (!read)
    throw new McpError(
      "invalid-result",
      `${asked.method}: the task's result is not a valid result of the method`,
    );
  return new ServerRequest(context).liftedAnswer(asked, read);
}

/** Sends a notification to the client of a request, whether or not the request is over. */
export function notifyClient(context: HandlerContext, method: string, params: object): boolean {
  const { connection, protocol } = requestOf(context);
  return connection.notify(protocol, method, params as Params);
}

/** Name of the authenticated client, or an empty string. */
export function principalOf(context: HandlerContext): string {
  return requestOf(context).connection.principal;
}

/** The members of extensions in the registration of a tool, if this client may use the tool. */
export function addedToTool(
  server: Server,
  name: string,
  context: HandlerContext,
): { readonly [member: string]: unknown } | undefined {
  return server.features.tools.find(name, context)?.added;
}
