import type {
  ClientRequests,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ListRootsResult,
  ServerRequests,
  ClientCapabilities,
  ElicitResult,
} from "@mcpgen/protocol/authoring";
import type { Inferred, OutputOf } from "../schema/schema-type.js";
import type { StandardJsonSchema } from "../schema/standard-schema.js";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import { refusal } from "../protocol/refusals.js";
import type { Params } from "../jsonrpc/message.js";
import { declares } from "../protocol/revision-view.js";
import { type Names, requireKnown } from "../options/option-check.js";
import type { ServerConnection } from "./connection.js";
import type { RequestContext } from "./context.js";
import { type AskFacts, askThrough } from "./middleware.js";
import type { Asked } from "./rounds.js";
import type { RequestProtocol } from "./request-protocol.js";

/** The user's response to a form. A handler must handle all three actions. */
export type Elicited<Content = AnyContent> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** A form: the parameters of `elicitation/create` in form mode. */
export interface Form<Schema extends FormSchema = ElicitRequestFormParams["requestedSchema"]> extends Omit<
  ElicitRequestFormParams,
  "mode" | "requestedSchema"
> {
  readonly requestedSchema: Schema;
}

/**
 * The schema of a flat object of strings, numbers, booleans and choices: JSON Schema, or a schema of a library that implements
 * Standard JSON Schema.
 */
export type FormSchema = Immutable<ElicitRequestFormParams["requestedSchema"]> | StandardJsonSchema;

type Immutable<T> = { readonly [K in keyof T]: T[K] extends object | undefined ? Immutable<T[K]> : T[K] };

/** The content of any form. */
type AnyContent = Record<string, string | number | boolean | string[]>;

/** The type of the content of a form. */
export type ContentOf<Written, Schema> = [Written] extends [Inferred]
  ? ElicitRequestFormParams["requestedSchema"] extends Schema
    ? AnyContent
    : OutputOf<Schema>
  : Written;

/** A page that the user visits: the parameters of `elicitation/create` in URL mode. */
export type Page = Omit<ElicitRequestURLParams, "mode">;

/** The parameters of a request for a message of the client's model. */
export type SamplingParams = CreateMessageRequestParams | WithBytes<CreateMessageRequestParams>;

/** The parameters of a request to the client. */
export type ParamsToAsk<Method extends keyof ServerRequests> = Method extends "sampling/createMessage"
  ? SamplingParams
  : ServerRequests[Method]["params"];

/** Timeouts of an ask in milliseconds (legacy era). Default: the `timeouts` of the server. The modern era does not wait. */
export interface AskOptions {
  /** Limit for the time without a response or progress. */
  readonly timeout?: number;
  /** Limit for the total time, with progress or without. */
  readonly totalTimeout?: number;
}

const askOptions: Names<AskOptions> = { timeout: 0, totalTimeout: 0 };

/** What only a server requests asks for input. What both sides may request, such as `ping`, does not. */
type MethodToAsk = Exclude<keyof ServerRequests, keyof ClientRequests>;

/** A request for `ask.all`. */
export type AskedRequest = {
  readonly [M in MethodToAsk]: {
    readonly method: M;
    readonly params?: ParamsToAsk<M>;
  };
}[MethodToAsk];

/** The results of `ask.all`, by key. */
export type AskedResults<R extends { readonly [key: string]: AskedRequest }> = {
  readonly [K in keyof R]: ServerRequests[R[K]["method"]]["result"];
};

/**
 * Asks the client for input while a handler runs. The legacy era sends a request to the client. The modern era responds
 * with the input requests, and the client retries with the answers (multi round-trip requests): the handler then runs
 * again from its first line, and asks that have answers return at once. Guard side effects before an ask with
 * `context.once`. Keys are unique in a handler. Asks that start together are sent together.
 *
 * Each function rejects with `McpError` `missing-capability`, before anything is sent, if the client has not declared the
 * capability that the request needs.
 */
export interface Ask {
  /**
   * Asks the user to fill in a form (elicitation, form mode). The content is valid for `requestedSchema`, and parsed by it if
   * it is a schema of a library. The type of the content follows from it; JSON Schema must be written in the call for that.
   */
  elicit<Content extends object = Inferred, const Schema extends FormSchema = FormSchema>(
    key: string,
    form: Form<Schema>,
    options?: AskOptions,
  ): Promise<Elicited<ContentOf<Content, Schema>>>;
  /** Asks the user to visit a page (elicitation, URL mode). The client does not see what the user does there. */
  url(
    key: string,
    page: Page,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  /** Asks the client's model for a message (sampling). `data` of images and audio may be bytes. */
  sample(key: string, params: SamplingParams, options?: AskOptions): Promise<CreateMessageResult>;
  /** Asks for the folders and files that the client considers relevant (roots). */
  roots(key: string, options?: AskOptions): Promise<ListRootsResult["roots"]>;
  /** Sends several requests in one round. */
  all<const R extends { readonly [key: string]: AskedRequest }>(
    requests: R,
    options?: AskOptions,
  ): Promise<AskedResults<R>>;
}

/** Sends a request to the client in the way of an era, and resolves with its result. */
type Send = (key: string, asked: Asked, options: AskOptions | undefined) => Promise<Params>;

/** Makes the functions of `Ask`. Both eras check capabilities and parameters first, and the result afterwards. */
export function askWith(context: RequestContext, send: Send): Ask {
  const used = new Set<string>();
  const request = <Answer = Params>(
    key: string,
    asked: Asked,
    options?: AskOptions,
    pick?: (answer: never) => unknown,
  ): Promise<Answer> => {
    // Answers are stored by key: a second ask under the same key would get the answer of the first.
    if (used.has(key))
      return Promise.reject(
        new McpError(
          "invalid-definition",
          `two asks have the key ${JSON.stringify(key)}: number those of a loop`,
        ),
      );
    used.add(key);
    const answer: Promise<unknown> = checked(context, key, asked, options, send);
    return withHandledRejection((pick ? answer.then(pick as never) : answer) as Promise<Answer>);
  };
  return {
    elicit: (key: string, form: object, options?: AskOptions) =>
      request<Elicited<never>>(
        key,
        { method: "elicitation/create", params: { mode: "form", ...form } },
        options,
      ),
    url: (key, page, options) =>
      request(
        key,
        { method: "elicitation/create", params: { ...page, mode: "url" } },
        options,
        ({ action }: ElicitResult) => ({ action }),
      ),
    sample: (key, params, options) =>
      request(key, { method: "sampling/createMessage", params: params as unknown as Params }, options),
    roots: (key, options) =>
      request(key, { method: "roots/list" }, options, ({ roots }: ListRootsResult) => roots),
    all: <R extends { readonly [key: string]: AskedRequest }>(requests: R, options?: AskOptions) => {
      const entries = Object.entries(requests).map(
        async ([key, asked]) => [key, await request(key, asked as Asked, options)] as const,
      );
      const answers = Promise.all(entries).then(Object.fromEntries);
      return withHandledRejection(answers as Promise<unknown> as Promise<AskedResults<R>>);
    },
  };
}

/** A handler that awaits one of several asks leaves the others: their rejections must not count as unhandled. */
function withHandledRejection<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

async function checked(
  context: RequestContext,
  key: string,
  asked: Asked,
  options: AskOptions | undefined,
  send: Send,
): Promise<Params> {
  requireKnown(options ?? {}, askOptions);
  const answered = context.rounds?.answers.has(key) === true;
  const { connection, protocol } = context;
  return askClient(connection, protocol, JSON.stringify(key), { context, answered }, asked, (wanted) =>
    send(key, wanted, options),
  );
}

/**
 * Runs the middleware around a request to the client. Checks the request before it is sent, and its result.
 *
 * @param name of the request, for errors
 * @throws {McpError} `missing-capability`, `invalid-params`, `invalid-result`; `invalid-definition` for the schema of a library
 *   that is no form
 */
export async function askClient(
  { definition }: ServerConnection,
  protocol: RequestProtocol,
  name: string,
  facts: AskFacts,
  asked: Asked,
  send: (asked: Asked) => Promise<Params>,
): Promise<Params> {
  return definition.ask(name, asked, async (wanted) => {
    const encoding = encodeBytes(wanted.params);
    if (encoding) (facts.context as RequestContext).rounds?.encoding.push(encoding);
    const sent = encoding ? { ...wanted, params: (await encoding)! } : wanted;
    return askThrough(definition.hooks, facts, sent, (last) => judged(protocol, name, last, send));
  });
}

async function judged(
  protocol: RequestProtocol,
  name: string,
  asked: Asked,
  send: (asked: Asked) => Promise<Params>,
): Promise<Params> {
  const missing = missingCapabilityOf(asked, protocol);
  if (missing) throw missingCapability(protocol, missing);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${name}: ${problem}`);
  const answer = await send(asked);
  const { method, params = {} } = asked;
  const { action, content = {} } = answer;
  if (method !== "elicitation/create" || params["mode"] === "url" || action !== "accept") return answer;
  const wrong = await contentProblem(params["requestedSchema"], content);
  if (wrong !== undefined)
    throw new McpError("invalid-result", `the client's answer to ${name} is refused: ${wrong}`);
  return { ...answer, content };
}

/** Path of the capability that a request needs and the client has not declared. */
function missingCapabilityOf(
  { method, params = {} }: Asked,
  { clientCapabilities: declared, revision }: RequestProtocol,
): readonly string[] | undefined {
  if (method === "elicitation/create") return missingElicitationMode(params, declared);
  const { of, path = [], parts } = revision.table.outgoingRequests.get(method)?.capability ?? {};
  if (method === "sampling/createMessage") {
    const { sampling } = declared;
    const { includeContext = "none" } = params;
    if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampling?.tools)
      return [...path, "tools"];
    // Up to 2025-06-18, `sampling` includes `context`: only later revisions declare the part.
    if (includeContext !== "none" && parts?.includes("context") && !sampling?.context)
      return [...path, "context"];
  }
  return of === "server" || declares(declared, path) ? undefined : path;
}

/** An empty `elicitation` declares form mode (2025-11-25, elicitation, capabilities). */
function missingElicitationMode(
  { mode }: Params,
  { elicitation }: ClientCapabilities,
): readonly string[] | undefined {
  const isGiven = mode === "url" ? elicitation?.url : elicitation && (elicitation.form ?? !elicitation.url);
  return isGiven ? undefined : ["elicitation", mode === "url" ? "url" : "form"];
}

function problemOf({ method, params = {} }: Asked): string | undefined {
  try {
    JSON.stringify(params);
  } catch (error) {
    return `it cannot be sent as JSON: ${messageOf(error)}`;
  }
  if (method === "sampling/createMessage") return messagesProblem(params["messages"]);
  if (method === "elicitation/create" && params["mode"] !== "url")
    return formProblem(params["requestedSchema"]);
  return undefined;
}

/** The error for a capability that the client has not declared (2026-07-28, basic, `_meta`), or cannot use. */
export function missingCapability(protocol: RequestProtocol, path: readonly string[]): McpError {
  const names = path.join(".");
  const name = "MISSING_REQUIRED_CLIENT_CAPABILITY";
  const known = protocol.revision.table.errors[name];
  const problem =
    protocol.unasked === undefined
      ? `the client has not declared the capability ${names}`
      : `the client cannot be asked for ${names}: ${protocol.unasked}`;
  const requiredCapabilities = path.reduceRight((inner, key) => ({ [key]: inner }), {});
  const error = new McpError("missing-capability", problem, known && { data: { requiredCapabilities } });
  return refusal(protocol.revision, name, error, names);
}

/** URL mode requires an `elicitationId` (2025-11-25, elicitation). */
export function withElicitationId<Given extends Params | undefined>(params: Given): Given {
  return params?.["mode"] === "url" ? { elicitationId: crypto.randomUUID(), ...params } : params;
}
