import { type McpError, rpc } from "../peer/errors.js";
import { type RequestId, type RequestMessage, errorText, resultText } from "../peer/message.js";
import { errorBody } from "./answers.js";
import type { AnswerContext } from "./handlers.js";

/** What makes the result of a request of the server's, as JSON. */
export type AnswerRequest = (request: RequestMessage, context: AnswerContext) => Promise<string>;

/** The requests of a server's that are being answered. */
export class Answering {
  private readonly controllers = new Map<RequestId, AbortController>();
  private readonly send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.send = send;
  }

  /** Answers a request, unless it is cancelled before the answer is there. */
  begin(request: RequestMessage, answer: AnswerRequest): void {
    const { id } = request;
    const { controllers } = this;
    const controller = new AbortController();
    controllers.set(id, controller);
    const settle = (text: string): void => {
      if (controllers.get(id) !== controller) return;
      controllers.delete(id);
      this.send(text);
    };
    answer(request, { signal: controller.signal }).then(
      (result) => settle(resultText(id, result)),
      (error: unknown) => settle(failureText(id, error)),
    );
  }

  /** The server wants no answer any more. Says whether one was being made. */
  cancel(id: RequestId, why: McpError): boolean {
    const controller = this.controllers.get(id);
    this.controllers.delete(id);
    controller?.abort(why);
    return controller !== undefined;
  }

  /** No answer can be given any more. */
  cancelAll(why: McpError): void {
    for (const id of [...this.controllers.keys()]) this.cancel(id, why);
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
