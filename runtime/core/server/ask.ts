import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ListRootsResult,
  ServerRequests,
} from "@mcpgen/protocol/authoring";
import type { FromJsonSchema } from "../schema/json-schema-type.js";
import type { Inferred } from "../schema/schema-type.js";

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
