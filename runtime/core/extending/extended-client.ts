import type { Params, platform } from "@mcpgen/base";
import type { Client } from "../client/client.js";
import { decode, isAccepted } from "../client/decode.js";
import { capabilitiesOf } from "../client/handlers.js";
import type { AnswerContext } from "../client/middleware.js";
import {
  type Progressed,
  type QuestionContext,
  type Questions,
  asReady,
  resultText,
} from "../client/questions.js";
import { declares } from "../protocol/revision-view.js";

/** A client, as a package sees it that gives an extension its behaviour: more than applications get. */
export class ExtendedClient {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Whether the negotiated revision has a request, extensions included. */
  has(method: string): boolean {
    return this.#client.view.table.outgoingRequests.has(method);
  }

  /** Whether the server has declared something. @param path into its capabilities */
  declares(path: readonly string[]): boolean {
    return declares(this.#client.serverCapabilities, path);
  }

  /** The capabilities that follow from the functions of the client. */
  get functions(): ReturnType<typeof capabilitiesOf> {
    return capabilitiesOf(this.#client.questions.handlers);
  }

  /**
   * Answers requests of the server that came in a result of an extension, with the handlers of the client: as those of a round.
   *
   * @param requests by key
   * @returns the answers by key
   * @throws {McpError} `limit-exceeded`: they are more than `limits.maxRoundQuestions`
   */
  answers(
    requests: { readonly [key: string]: { readonly method: string; readonly params?: Params } },
    signal: platform.AbortSignal,
  ): Promise<{ readonly [key: string]: object }> {
    const { questions, view } = this.#client;
    return questions.answerAll(view, requests, signal);
  }

  /**
   * Reads the result of another method, which the client has received, as that of a method of the revision.
   *
   * @throws {McpError} `invalid-result`
   */
  async resultAs(method: string, result: object): Promise<object> {
    const { questions, view } = this.#client;
    const entry = view.table.outgoingRequests.get(method)!;
    const decoded = isAccepted(entry, result)
      ? result
      : (await decode(view, method, { entry, result }, questions.hooked)).result;
    return view.lift("incomingResults", method, decoded, undefined, false);
  }
}

/** A request of the server, as middleware of a client sees it that answers the request while its handler runs on. */
export class ServerQuestion {
  readonly #context: QuestionContext;

  /** @param context as middleware gets it */
  constructor(context: AnswerContext) {
    this.#context = context as QuestionContext;
  }

  /** Marks a result or an error of middleware that is sent as it is, in the words of the revision. */
  static asSent<Value extends object>(value: Value): Value {
    return asReady(value);
  }

  /** Whether the revision of the request has another request of the server. */
  has(method: string): boolean {
    return this.#context.protocol.revision.table.incomingRequests.has(method);
  }

  /**
   * Lets the handler run on after the answer to its request: its progress is sent, too.
   *
   * @param meta of each notification of progress
   * @returns resolves when the answer is sent, or the server has cancelled the request
   */
  outlast(meta: object, progressed: Progressed): Promise<void> {
    return this.#context.outlast(meta as Params, progressed);
  }

  /** Aborts the signal of the handler. */
  stop(reason: Error): void {
    this.#context.stop(reason);
  }

  /**
   * What the handler returned, in the words of the request's revision.
   *
   * @throws {McpError} it is no result of the method
   */
  lowered(result: object): object {
    const { method, protocol } = this.#context;
    return JSON.parse(resultText(protocol.revision, method, result)) as object;
  }

  /** The JSON-RPC error for what the handler threw. Reports it as the client does, unless the signal of the handler has aborted. */
  errorOf({ questions }: Client, thrown: unknown): ReturnType<Questions["errorBody"]> {
    const { method, signal } = this.#context;
    if (!signal.aborted) questions.reportFailure({ method }, thrown);
    return questions.errorBody(thrown);
  }
}
