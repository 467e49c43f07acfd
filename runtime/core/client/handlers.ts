import type {
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Root,
} from "@mcpgen/protocol/authoring";
import type * as platform from "../platform/platform.js";

/** Given to what answers a request of the server's. */
export interface AnswerContext {
  /**
   * Aborted when the server cancels its request, or the connection goes. A question that goes on nevertheless keeps
   * its turn, of which there are `limits.maxQuestions`.
   */
  readonly signal: platform.AbortSignal;
}

/**
 * What a client can do for a server. A capability is declared for each function that is given, and for nothing
 * else.
 */
export interface ClientHandlers {
  /** Has the user fill in a form. */
  readonly elicit?: (
    form: ElicitRequestFormParams,
    context: AnswerContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Asks the user whether to visit a page, and opens it if they agree: nothing else may touch the URL before
   * (2026-07-28, elicitation, safe URL handling). It is given `https:` URLs and those of this machine alone, in
   * printable ASCII and without credentials; the server gets −32602 for any other.
   */
  readonly elicitUrl?: (
    page: ElicitRequestURLParams,
    context: AnswerContext,
  ) => Pick<ElicitResult, "action"> | Promise<Pick<ElicitResult, "action">>;
  /** Has a model write a message. Throw `userRejected()` where the user refuses. */
  readonly sample?: (
    params: CreateMessageRequestParams,
    context: AnswerContext,
  ) => CreateMessageResult | Promise<CreateMessageResult>;
  /** `sample` takes requests with tools. */
  readonly sampleWithTools?: boolean;
  /** `sample` takes requests for context of other servers. */
  readonly sampleWithContext?: boolean;
  /** Folders and files the server should keep to; `file://` URIs. */
  readonly roots?: readonly Root[] | (() => readonly Root[] | Promise<readonly Root[]>);
}
