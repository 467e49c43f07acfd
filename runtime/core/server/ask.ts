import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ListRootsResult,
  ServerRequests,
  ClientCapabilities,
  ElicitResult,
} from "@mcpgen/protocol/authoring";
import type { FromJsonSchema } from "../schema/json-schema-type.js";
import type { Inferred } from "../schema/schema-type.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import { McpError, messageOf } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { RequestContext } from "./context.js";
import type { Asked } from "./rounds.js";
import type { RequestProtocol } from "./request-protocol.js";

/** What a user answered to a form: all three must be handled. */
export type Elicited<Content = AnyContent> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** A form, in the words of `elicitation/create`. */
export interface Form<Schema extends FormSchema = ElicitRequestFormParams["requestedSchema"]> extends Omit<
  ElicitRequestFormParams,
  "mode" | "requestedSchema"
> {
  readonly requestedSchema: Schema;
}

/** A flat object of texts, numbers, booleans and choices. */
export type FormSchema = Immutable<ElicitRequestFormParams["requestedSchema"]>;

type Immutable<T> = { readonly [K in keyof T]: T[K] extends object | undefined ? Immutable<T[K]> : T[K] };

/** What any form may bring. */
type AnyContent = Record<string, string | number | boolean | string[]>;

type ContentOf<Written, Schema> = [Written] extends [Inferred]
  ? ElicitRequestFormParams["requestedSchema"] extends Schema
    ? AnyContent
    : FromJsonSchema<Schema>
  : Written;

/** A page for the user to visit, in the words of `elicitation/create`. */
export type Page = Omit<ElicitRequestURLParams, "mode">;

/** How long to wait for an answer, in milliseconds; the server's own timeouts without it. Rounds do not wait. */
export interface AskOptions {
  /** Without an answer or progress. */
  readonly timeout?: number;
  /** In all, whatever the progress. */
  readonly totalTimeout?: number;
}

/** A request as `ask.all` takes it. */
export type AskedRequest = {
  readonly [M in keyof ServerRequests]: {
    readonly method: M;
    readonly params?: ServerRequests[M]["params"];
  };
}[keyof ServerRequests];

/** What answers each of several requests. */
export type AskedResults<R extends { readonly [key: string]: AskedRequest }> = {
  readonly [K in keyof R]: ServerRequests[R[K]["method"]]["result"];
};

/**
 * Asks the client while a request is answered: a request of the server's own in the legacy era, a round of
 * the multi round-trip pattern in the modern one. There the handler runs again from its first line for each
 * round and what was answered returns at once; effects before an ask therefore go through `context.once`.
 * Keys are unique in a handler. Asks that are started together go out together.
 *
 * All reject with `McpError` `missing-capability`, before anything is sent, if the client has not declared
 * what it would need.
 */
export interface Ask {
  /**
   * Has the user fill in a form (elicitation, form mode). Content is valid for `requestedSchema`, and its type follows
   * from one that is written in the call.
   */
  elicit<Content extends object = Inferred, const Schema extends FormSchema = FormSchema>(
    key: string,
    form: Form<Schema>,
    options?: AskOptions,
  ): Promise<Elicited<ContentOf<Content, Schema>>>;
  /** Has the user visit a page (elicitation, URL mode); what is done there, the client does not see. */
  url(
    key: string,
    page: Page,
    options?: AskOptions,
  ): Promise<{ readonly action: "accept" | "decline" | "cancel" }>;
  /** Has the client's model write a message (sampling). */
  sample(key: string, params: CreateMessageRequestParams, options?: AskOptions): Promise<CreateMessageResult>;
  /** The folders and files the client considers relevant. */
  roots(key: string, options?: AskOptions): Promise<ListRootsResult["roots"]>;
  /** Several requests in one round. */
  all<const R extends { readonly [key: string]: AskedRequest }>(
    requests: R,
    options?: AskOptions,
  ): Promise<AskedResults<R>>;
}

/** Has a request answered, in the way of an era. */
type Send = (key: string, asked: Asked, options: AskOptions | undefined) => Promise<Params>;

/** What both eras do about an ask: check that it may be made, and that the answer is one. */
export function askWith(context: RequestContext, send: Send): Ask {
  const used = new Set<string>();
  const request = (key: string, asked: Asked, options?: AskOptions): Promise<Params> => {
    if (used.has(key)) return Promise.reject(usedTwice(key));
    used.add(key);
    return handled(checked(context, key, asked, () => send(key, asked, options)));
  };
  return {
    elicit: (key: string, form: object, options?: AskOptions) =>
      request(
        key,
        { method: "elicitation/create", params: { mode: "form", ...form } },
        options,
      ) as Promise<unknown> as Promise<Elicited<never>>,
    url: (key, page, options) => {
      const asked = { method: "elicitation/create", params: { ...page, mode: "url" } };
      const answer = request(key, asked, options) as Promise<unknown> as Promise<ElicitResult>;
      return handled(answer.then(({ action }) => ({ action })));
    },
    sample: (key, params, options) =>
      request(
        key,
        { method: "sampling/createMessage", params: params as unknown as Params },
        options,
      ) as Promise<unknown> as Promise<CreateMessageResult>,
    roots: (key, options) => {
      const answer = request(
        key,
        { method: "roots/list" },
        options,
      ) as Promise<unknown> as Promise<ListRootsResult>;
      return handled(answer.then(({ roots }) => roots));
    },
    all: <R extends { readonly [key: string]: AskedRequest }>(requests: R, options?: AskOptions) => {
      const entries = Object.entries(requests).map(
        async ([key, asked]) => [key, await request(key, asked as Asked, options)] as const,
      );
      const answers = Promise.all(entries).then((each) => Object.fromEntries(each) as Params);
      return handled(answers as Promise<unknown> as Promise<AskedResults<R>>);
    },
  };
}

/** A handler may wait for one of several asks, and be left by its error: the others then fail unheard. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {});
  return promise;
}

/** An answer is kept by its key: who asks again under it would be given what they have, for ever. */
function usedTwice(key: string): McpError {
  return new McpError(
    "invalid-definition",
    `two asks have the key ${JSON.stringify(key)}: keys are unique in a handler; number those of a loop`,
  );
}

async function checked(
  context: RequestContext,
  key: string,
  asked: Asked,
  send: () => Promise<Params>,
): Promise<Params> {
  const { protocol } = context;
  const missing = missingCapabilityOf(asked, protocol);
  if (missing) throw missingCapability(protocol, missing);
  const problem = problemOf(asked);
  if (problem !== undefined) throw new McpError("invalid-params", `ask ${JSON.stringify(key)}: ${problem}`);
  const answer = await send();
  const wrong = await answerProblem(asked, answer);
  if (wrong !== undefined)
    throw new McpError(
      "invalid-result",
      `the client's answer to ${JSON.stringify(key)} is refused: ${wrong}`,
    );
  const { action, content } = answer;
  return action === "accept" && content === undefined && asked.params?.["mode"] !== "url"
    ? { ...answer, content: {} }
    : answer;
}

/** What the client would have to declare for a request, and has not. */
function missingCapabilityOf(
  { method, params = {} }: Asked,
  { clientCapabilities: declared, spoken }: RequestProtocol,
): ClientCapabilities | undefined {
  if (method === "elicitation/create") return missingElicitation(params, declared);
  if (method === "roots/list") return declared.roots ? undefined : { roots: {} };
  if (method !== "sampling/createMessage") return undefined;
  const { sampling } = declared;
  const { includeContext = "none" } = params;
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampling?.tools)
    return { sampling: { tools: {} } };
  // A client of a revision without this part has it with sampling itself (2025-06-18 and before).
  const parts = spoken.table.outgoingRequests.get(method)?.capability?.parts;
  if (includeContext !== "none" && parts?.includes("context") && !sampling?.context)
    return { sampling: { context: {} } };
  return sampling ? undefined : { sampling: {} };
}

/** An empty declaration means forms (2025-11-25, elicitation, capabilities). */
function missingElicitation(
  { mode }: Params,
  { elicitation }: ClientCapabilities,
): ClientCapabilities | undefined {
  if (mode === "url") return elicitation?.url ? undefined : { elicitation: { url: {} } };
  const forms = elicitation && (elicitation.form !== undefined || elicitation.url === undefined);
  return forms ? undefined : { elicitation: { form: {} } };
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

async function answerProblem({ method, params = {} }: Asked, answer: Params): Promise<string | undefined> {
  if (method !== "elicitation/create" || params["mode"] === "url" || answer["action"] !== "accept")
    return undefined;
  const { content = {} } = answer;
  return contentProblem(params["requestedSchema"], content);
}

/** A request that needs what its client has not declared (2026-07-28, basic, `_meta`), or nobody can ask it for. */
export function missingCapability(protocol: RequestProtocol, required: ClientCapabilities): McpError {
  const names = pathsOf(required as Params).join(", ");
  const known = protocol.spoken.table.errors["MISSING_REQUIRED_CLIENT_CAPABILITY"];
  const problem =
    protocol.unasked === undefined
      ? `the client has not declared the capability ${names}`
      : `the client cannot be asked for ${names}: ${protocol.unasked}`;
  return new McpError("missing-capability", problem, {
    rpcCode: known?.code,
    ...(known ? { data: { requiredCapabilities: required } } : {}),
  });
}

function pathsOf(value: Params): string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const paths = typeof inner === "object" && inner !== null ? pathsOf(inner as Params) : [];
    return paths.length === 0 ? [key] : paths.map((path) => `${key}.${path}`);
  });
}
