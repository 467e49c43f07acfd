import { type McpError, rpc } from "../jsonrpc/errors.js";
import { type RequestId, type RequestMessage, errorText, resultText } from "../jsonrpc/message.js";
import { errorBody } from "./answers.js";
import type { AnswerContext } from "./handlers.js";

/** What makes the result of a request of the server's, as JSON. */
export type AnswerRequest = (request: RequestMessage, context: AnswerContext) => Promise<string>;

/** What the answer to one request is made with. The signal is made when it is wanted: it costs more than a ping. */
class Context implements AnswerContext {
  private controller: AbortController | undefined;
  private ended: { readonly why: McpError } | undefined;

  get signal(): AbortSignal {
    if (!this.controller) {
      this.controller = new AbortController();
      if (this.ended) this.controller.abort(this.ended.why);
    }
    return this.controller.signal;
  }

  abort(why: McpError): void {
    this.ended = { why };
    this.controller?.abort(why);
  }
}

/** The requests of a server's that are being answered. */
export class Answering {
  private readonly contexts = new Map<RequestId, Context>();
  private readonly send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.send = send;
  }

  /** Answers a request, unless it is cancelled before the answer is there. */
  begin(request: RequestMessage, answer: AnswerRequest): void {
    const { id } = request;
    const { contexts } = this;
    const context = new Context();
    contexts.set(id, context);
    const settle = (text: string): void => {
      if (contexts.get(id) !== context) return;
      contexts.delete(id);
      this.send(text);
    };
    answer(request, context).then(
      (result) => settle(resultText(id, result)),
      (error: unknown) => settle(failureText(id, error)),
    );
  }

  /** The server wants no answer any more. Says whether one was being made. */
  cancel(id: RequestId, why: McpError): boolean {
    const context = this.contexts.get(id);
    this.contexts.delete(id);
    context?.abort(why);
    return context !== undefined;
  }

  /** No answer can be given any more. */
  cancelAll(why: McpError): void {
    for (const id of [...this.contexts.keys()]) this.cancel(id, why);
  }
}

/** An error of the application's may carry what no JSON can say: the server is answered all the same. */
function failureText(id: RequestId, error: unknown): string {
  try {
    return errorText(id, errorBody(error));
  } catch {
    return errorText(id, { code: rpc.internalError, message: "the client failed to answer" });
  }
}
