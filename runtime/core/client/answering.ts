import type { McpError } from "../peer/errors.js";
import { type Params, type RequestId, type RequestMessage, errorText, resultText } from "../peer/message.js";
import { errorBody } from "./answers.js";
import type { AnswerContext } from "./handlers.js";

/** What makes the answer to a request of the server's. */
export type AnswerRequest = (request: RequestMessage, context: AnswerContext) => Promise<Params>;

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
    const settle = (text: () => string): void => {
      if (controllers.get(id) !== controller) return;
      controllers.delete(id);
      this.send(text());
    };
    answer(request, { signal: controller.signal }).then(
      (result) => settle(() => resultText(id, JSON.stringify(result))),
      (error: unknown) => settle(() => errorText(id, errorBody(error))),
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
