import type { ClientCapabilities, CreateMessageResult, ElicitResult, Root } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import { internalError, invalidParams, isObject, McpError, type Params } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { fileUriProblem, pageProblem } from "../protocol/safe-urls.js";
import type { AnswerContext } from "./middleware.js";

/** The client capabilities that follow from the handlers. */
export function capabilitiesOf(handlers: ClientHandlers): ClientCapabilities {
  const { form, url } = elicitationOf(handlers);
  const { answer, tools, context } = samplingOf(handlers);
  return {
    ...(form || url ? { elicitation: { ...(form && { form: {} }), ...(url && { url: {} }) } } : {}),
    ...(answer && { sampling: { ...(tools && { tools: {} }), ...(context && { context: {} }) } }),
    ...(handlers.roots ? { roots: {} } : {}),
  };
}

function elicitationOf({ elicit = {} }: ClientHandlers): ElicitationHandlers {
  return typeof elicit === "function" ? { form: elicit } : elicit;
}

function samplingOf({ sample }: ClientHandlers): Partial<SamplingHandler> {
  return typeof sample === "function" ? { answer: sample } : { ...sample };
}

/** Calls the application when the turn of the question comes. */
export type Ask = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

/** The functions of the application, and whether their answers are checked. */
export interface Answering extends ClientHandlers {
  readonly validation?: { readonly checkAnswers?: boolean } | undefined;
}

const checks = ({ validation }: Answering): boolean => validation?.checkAnswers !== false;

type Answerer = (handlers: Answering, params: Params, context: AnswerContext, ask: Ask) => Promise<Params>;

const elicit: Answerer = async (handlers, params, context, ask) => {
  const { form, url } = elicitationOf(handlers);
  const isChecked = checks(handlers);
  if (!form && !url) throw notDeclared("elicitation");
  if (params["mode"] === "url") {
    if (!url) throw invalidParams("the client has not declared elicitation.url");
    const unsafe = isChecked ? pageProblem(params["url"]) : undefined;
    if (unsafe !== undefined) throw invalidParams(`the URL of the page is refused: ${unsafe}`);
    const { action } = answered("elicit.url", await ask(() => url(params as never, context)));
    return { action };
  }
  if (!form) throw invalidParams("the client has not declared elicitation.form");
  const problem = isChecked ? formProblem(params["requestedSchema"]) : undefined;
  if (problem !== undefined) throw invalidParams(problem);
  const result = answered("elicit", await ask(() => form(params as never, context)));
  if (!isChecked) return result as unknown as Params;
  if (result.action !== "accept") return { action: result.action };
  const content = result.content ?? {};
  const bad = contentProblem(params["requestedSchema"], content);
  if (bad !== undefined) throw internalError(`the user's answer does not fit the form: ${bad}`);
  return { action: "accept", content };
};

const sample: Answerer = async (handlers, params, context, ask) => {
  const { answer, tools } = samplingOf(handlers);
  const isChecked = checks(handlers);
  if (!answer) throw notDeclared("sampling");
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !tools)
    throw invalidParams("the client has not declared sampling.tools");
  const problem = isChecked ? messagesProblem(params["messages"]) : undefined;
  if (problem !== undefined) throw invalidParams(problem);
  const message = await ask(() => answer(params as never, context));
  return ((await encodeBytes(message)) ?? message) as unknown as Params;
};

const listRoots: Answerer = async ({ roots, validation }, _params, context, ask) => {
  if (!roots) throw notDeclared("roots");
  const list = typeof roots === "function" ? await ask(() => roots(context)) : roots;
  const problem = checks({ validation }) ? rootsProblem(list) : undefined;
  if (problem !== undefined) throw internalError(problem);
  return { roots: list };
};

const pong: Answerer = async () => ({});

const answerers: { readonly [method: string]: Answerer } = {
  ping: pong,
  "elicitation/create": elicit,
  "sampling/createMessage": sample,
  "roots/list": listRoots,
};

/** The answerer of a method of the protocol. It calls a function that `connect` got, except for `ping`. */
export function answererOf(method: string): Answerer | undefined {
  return Object.hasOwn(answerers, method) ? answerers[method] : undefined;
}

/** Checks the result of a handler, which may be untyped. */
function answered<Result extends object>(handler: string, result: Result): Result {
  if (!isObject(result)) throw internalError(`${handler} gave ${JSON.stringify(result)}, not an object`);
  return result;
}

/** The problem of the roots of a client; `undefined` if they are valid (client/roots, root). */
export function rootsProblem(roots: readonly Root[]): string | undefined {
  if (!Array.isArray(roots)) return `roots must be a list, not ${JSON.stringify(roots)}`;
  for (const root of roots as readonly Root[]) {
    const problem =
      fileUriProblem(root?.uri) ?? (root.uri.startsWith("file://") ? undefined : "file is in lower case");
    if (problem !== undefined)
      return `roots are file:// URIs of this machine; ${root?.uri ?? JSON.stringify(root)} is not: ${problem}`;
  }
  return undefined;
}

/** The error to throw from `sample` when the user rejects the request (sampling, error handling). */
export function userRejected(message = "the user rejected the request"): McpError {
  return new McpError("cancelled", message, { rpcCode: -1 });
}

/** The code differs between revisions: an undeclared capability counts as a missing method. */
function notDeclared(capability: string): McpError {
  return new McpError("missing-capability", `the client has not declared ${capability}`, {
    rpcCode: rpc.methodNotFound,
  });
}

/** The return value of a handler of sampling requests. */
export type SamplingAnswer = CreateMessageResult | WithBytes<CreateMessageResult>;

/** Questions to the user, by mode. The client declares those that have a function. */
export interface ElicitationHandlers {
  /** Shows a form to the user and returns the content. */
  readonly form?: (
    form: Open<"ElicitRequestFormParams">,
    context: AnswerContext,
  ) => ElicitResult | Promise<ElicitResult>;
  /**
   * Asks the user whether to visit a page, and opens it if they agree. Do not fetch the URL before (2026-07-28,
   * elicitation, safe URL handling). The URL is `https:`, or `http:` on this machine, in printable ASCII and without
   * credentials; the server gets −32602 for any other.
   */
  readonly url?: (
    page: Open<"ElicitRequestURLParams">,
    context: AnswerContext,
  ) => Pick<ElicitResult, "action"> | Promise<Pick<ElicitResult, "action">>;
}

/** Requests to a model, and what the client declares of them. */
export interface SamplingHandler {
  /** Lets a model write a message; `data` of images and audio may be bytes. Throw `userRejected()` if the user rejects the request. */
  readonly answer: (
    params: Open<"CreateMessageRequestParams">,
    context: AnswerContext,
  ) => SamplingAnswer | Promise<SamplingAnswer>;
  /** Whether it accepts requests with tools. Default: `false`. */
  readonly tools?: boolean;
  /** Whether it accepts requests for the context of other servers. Default: `false`. */
  readonly context?: boolean;
}

/** Handlers for requests of the server. The client declares a capability for each handler given. */
export interface ClientHandlers {
  /** Asks the user. A function stands for `form` alone. */
  readonly elicit?: NonNullable<ElicitationHandlers["form"]> | ElicitationHandlers;
  /** Has a model write a message. A function stands for `answer` alone. */
  readonly sample?: SamplingHandler["answer"] | SamplingHandler;
  /** The folders and files that the server should stay in; `file://` URIs. */
  readonly roots?: readonly Root[] | ((context: AnswerContext) => readonly Root[] | Promise<readonly Root[]>);
}
