import type {
  ClientCapabilities,
  CreateMessageRequestParams,
  CreateMessageResult,
  ElicitRequestFormParams,
  ElicitRequestURLParams,
  ElicitResult,
  Root,
} from "@mcpgen/protocol/authoring";
import { contentProblem, formProblem, messagesProblem } from "../protocol/input-requests.js";
import { type RevisionView, issuesText } from "../protocol/revision-view.js";
import { invalidParams, isMcpError, McpError, messageOf, rpc } from "../jsonrpc/errors.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import { fileUriProblem, pageProblem } from "../protocol/safe-urls.js";
import { type Nulls, withoutNulls } from "./decode.js";
import { Aborts } from "../time/aborts.js";
import { type ClientLimits, limitExceeded } from "./limits.js";
import type * as platform from "../platform/platform.js";

/** What a client declares, from what it can do. */
export function capabilitiesOf(handlers: ClientHandlers): ClientCapabilities {
  const { elicit, elicitUrl, sample, sampleWithTools, sampleWithContext, roots } = handlers;
  return {
    ...(elicit || elicitUrl
      ? { elicitation: { ...(elicit ? { form: {} } : {}), ...(elicitUrl ? { url: {} } : {}) } }
      : {}),
    ...(sample
      ? {
          sampling: {
            ...(sampleWithTools ? { tools: {} } : {}),
            ...(sampleWithContext ? { context: {} } : {}),
          },
        }
      : {}),
    ...(roots ? { roots: {} } : {}),
  };
}

/** What requests of a server are answered with. */
export interface AnswerSetup {
  readonly handlers: ClientHandlers;
  readonly questions: Questions;
  /** `absent`: null is a way to leave a member out. */
  readonly nulls: Nulls;
}

/**
 * Answers a request of the server's, however it came: as a request of its own or inside a result that asks
 * for input.
 *
 * @param message the whole request, as it came
 * @returns the result, as JSON
 * @throws {McpError} with the code of JSON-RPC to answer with
 */
export async function answerServer(
  { handlers, questions, nulls }: AnswerSetup,
  view: RevisionView<"client">,
  { method, params = {} }: { readonly method: string; readonly params?: Params },
  context: AnswerContext,
): Promise<string> {
  if (method === "ping" && view.table.incomingRequests.has(method)) return "{}";
  const answer = Object.hasOwn(answerers, method) ? answerers[method] : undefined;
  const entry = view.table.incomingRequests.get(method);
  if (!entry || !answer) throw notFound(method);
  let envelope: { readonly params: Params } = { jsonrpc: "2.0", id: 0, method, params } as never;
  if (!entry.accepts(envelope) && nulls === "absent") envelope = await withoutNulls(entry, envelope);
  if (!entry.accepts(envelope))
    throw invalidParams(
      `${method}: ${issuesText(await view.issues(envelope, entry).catch(() => []), "the parameters are wrong")}`,
    );
  const lifted = view.lift("incomingRequests", method, envelope.params);
  const ask: Ask = (work) => questions.ask(lifted, context.signal, work);
  const result: unknown = await answer(handlers, lifted, context, ask);
  if (!isObject(result)) throw failed(`${method}: the answer to it is no object`);
  return jsonOf(method, view.lower("outgoingResults", method, result));
}

/** The application may answer with what JSON cannot say: a BigInt, a cycle, an object that serialises as none. */
function jsonOf(method: string, result: Params): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    throw failed(`${method}: the answer to it is no JSON: ${messageOf(error)}`);
  }
  if (text?.startsWith("{")) return text;
  throw failed(`${method}: the answer to it is no object in JSON`);
}

/** Asks the application, when it is the question's turn. */
type Ask = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

type Answerer = (
  handlers: ClientHandlers,
  params: Params,
  context: AnswerContext,
  ask: Ask,
) => Promise<Params>;

const elicit: Answerer = async (handlers, params, context, ask) => {
  const { elicit: fillIn, elicitUrl } = handlers;
  if (!fillIn && !elicitUrl) throw notDeclared("elicitation");
  if (params["mode"] === "url") {
    if (!elicitUrl) throw invalidParams("the client has not declared elicitation.url");
    const unsafe = pageProblem(params["url"]);
    if (unsafe !== undefined) throw invalidParams(`the URL of the page is refused: ${unsafe}`);
    const { action } = answered("elicitUrl", await ask(() => elicitUrl(params as never, context)));
    return { action };
  }
  if (!fillIn) throw invalidParams("the client has not declared elicitation.form");
  const problem = formProblem(params["requestedSchema"]);
  if (problem !== undefined) throw invalidParams(problem);
  const result = answered("elicit", await ask(() => fillIn(params as never, context)));
  if (result.action !== "accept") return { action: result.action };
  const content = result.content ?? {};
  const bad = await contentProblem(params["requestedSchema"], content);
  if (bad !== undefined) throw failed(`the user's answer does not fit the form: ${bad}`);
  return { action: "accept", content };
};

const sample: Answerer = async ({ sample: handler, sampleWithTools }, params, context, ask) => {
  if (!handler) throw notDeclared("sampling");
  if ((params["tools"] ?? params["toolChoice"]) !== undefined && !sampleWithTools)
    throw invalidParams("the client has not declared sampling.tools");
  const problem = messagesProblem(params["messages"]);
  if (problem !== undefined) throw invalidParams(problem);
  return (await ask(() => handler(params as never, context))) as unknown as Params;
};

const listRoots: Answerer = async ({ roots }, _params, _context, ask) => {
  if (!roots) throw notDeclared("roots");
  const list = typeof roots === "function" ? await ask(roots) : roots;
  const problem = rootsProblem(list);
  if (problem !== undefined) throw failed(problem);
  return { roots: list };
};

const answerers: { readonly [method: string]: Answerer } = {
  "elicitation/create": elicit,
  "sampling/createMessage": sample,
  "roots/list": listRoots,
};

/** What the application answered with, whatever its type says. */
function answered<Result extends object>(handler: string, result: Result): Result {
  if (!isObject(result)) throw failed(`${handler} gave ${JSON.stringify(result)}, not an object`);
  return result;
}

/** What is wrong with the roots of a client (client/roots, root). */
export function rootsProblem(roots: readonly Root[]): string | undefined {
  if (!Array.isArray(roots)) return `roots are a list, not ${JSON.stringify(roots)}`;
  for (const root of roots as readonly Root[]) {
    const problem = fileUriProblem(root?.uri);
    if (problem !== undefined)
      return `roots are file:// URIs of this machine; ${root?.uri ?? JSON.stringify(root)} is not: ${problem}`;
  }
  return undefined;
}

/** The user does not want the model to be asked (sampling, error handling). */
export function userRejected(message = "the user rejected the request"): McpError {
  return new McpError("cancelled", message, { rpcCode: -1 });
}

function notFound(method: string): McpError {
  return new McpError("method-not-found", `there is no method ${JSON.stringify(method)}`, {
    rpcCode: rpc.methodNotFound,
  });
}

/** Revisions differ in the code; what is not declared is not there. */
function notDeclared(capability: string): McpError {
  return new McpError("missing-capability", `the client has not declared ${capability}`, {
    rpcCode: rpc.methodNotFound,
  });
}

function failed(message: string): McpError {
  return new McpError("internal-error", message, { rpcCode: rpc.internalError });
}

/** How the server hears of what was thrown. */
export function errorBody(thrown: unknown): { code: number; message: string; data?: unknown } {
  const error = isMcpError(thrown) ? thrown : undefined;
  const data = error?.data;
  return {
    code: error?.rpcCode ?? rpc.internalError,
    message: error?.message ?? "the client failed to answer",
    ...(isObject(data) ? { data } : {}),
  };
}

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

/** Characters of all questions that wait. */
const mostCharacters = 16 * 1_048_576;

interface Waiting {
  readonly begin: () => void;
  readonly characters: number;
}

/** The questions of a server that the application is asked: few at a time, in their order. */
export class Questions {
  private readonly limits: ClientLimits;
  private readonly aborts = new Aborts();
  private readonly waiting = new Set<Waiting>();
  private characters = 0;
  private running = 0;

  constructor(limits: ClientLimits) {
    this.limits = limits;
  }

  /**
   * Asks the application, once it is the question's turn. The turn lasts until the application has answered, even if
   * the question was cancelled meanwhile.
   *
   * @param question what waits, for its size
   * @throws {McpError} `limit-exceeded`: too many wait already. The signal's reason: it aborted before the turn came
   */
  async ask<Result>(
    question: object,
    signal: platform.AbortSignal,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    if (this.running < this.limits.maxQuestions) this.running++;
    else await this.turn(question, signal);
    try {
      return await work();
    } finally {
      this.next();
    }
  }

  private turn(question: object, signal: platform.AbortSignal): Promise<void> {
    if (signal.aborted) throw signal.reason;
    const { maxWaitingQuestions } = this.limits;
    const characters = JSON.stringify(question).length;
    if (this.waiting.size >= maxWaitingQuestions || this.characters + characters > mostCharacters)
      throw limitExceeded(
        `the client has ${this.waiting.size} questions waiting and takes no more`,
        "maxWaitingQuestions",
        maxWaitingQuestions,
      );
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        ignore();
        this.waiting.delete(entry);
        this.characters -= characters;
      };
      const entry = {
        characters,
        begin: () => {
          leave();
          resolve();
        },
      };
      const ignore = this.aborts.on(signal, () => {
        leave();
        reject(signal.reason as Error);
      });
      this.waiting.add(entry);
      this.characters += characters;
    });
  }

  /** Hands the turn of a question that is answered to the one that waits longest. */
  private next(): void {
    const [first] = this.waiting;
    if (first) first.begin();
    else this.running--;
  }
}
