import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ListRootsResult,
  ServerRequests,
} from "@mcpgen/protocol/authoring";

/** What a user answered to a form: all three must be handled. */
export type Elicited<Content extends object = Record<string, string | number | boolean | string[]>> =
  | { readonly action: "accept"; readonly content: Content }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** A form, in the words of `elicitation/create`. */
export type Form = Omit<ElicitRequestFormParams, "mode">;

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
  /** Has the user fill in a form (elicitation, form mode). Content is valid for `requestedSchema`. */
  elicit<Content extends object = Record<string, string | number | boolean | string[]>>(
    key: string,
    form: Form,
    options?: AskOptions,
  ): Promise<Elicited<Content>>;
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
