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

/** A client, for packages that implement an extension: it can do more than the client of applications. */
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
   * Answers requests of the server that a result of an extension contained. The client's handlers answer them, as in a
   * round.
   *
   * @param requests by key
   * @returns the answers by key
   * @throws {McpError} `limit-exceeded`: there are more than 32 requests
   */
  answers(
    requests: { readonly [key: string]: { readonly method: string; readonly params?: Params } },
    signal: platform.AbortSignal,
  ): Promise<{ readonly [key: string]: object }> {
    const { questions, view } = this.#client;
    return questions.answerAll(view, requests, signal);
  }

  /**
   * Reads a received result of another method as the result of a method of the revision.
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

/** A request of the server, for client middleware that answers it while its handler continues to run. */
export class ServerQuestion {
  readonly #context: QuestionContext;

  /** @param context the context that middleware gets */
  constructor(context: AnswerContext) {
    this.#context = context as QuestionContext;
  }

  /**
   * Marks a result or an error of middleware that already has the form of the revision, so that it is sent unchanged.
   */
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
   * @param meta `_meta` of each progress notification
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
   * Converts the handler's result to the request's revision.
   *
   * @throws {McpError} it is not a valid result of the method
   */
  lowered(result: object): object {
    const { method, protocol } = this.#context;
    return JSON.parse(resultText(protocol.revision, method, result)) as object;
  }

  /**
   * The JSON-RPC error for an exception of the handler. Reports the exception like the client, unless the handler's
   * signal is aborted.
   */
  errorOf({ questions }: Client, thrown: unknown): ReturnType<Questions["errorBody"]> {
    const { method, protocol, signal } = this.#context;
    if (!signal.aborted) questions.reportFailure({ method }, thrown);
    return questions.errorBody(protocol.revision, thrown);
  }
}
