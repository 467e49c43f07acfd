import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { PageEvent, QuestionAnswer, QuestionEvent } from "../../page/browser/dev/messages.js";
import { BadRequest } from "./page-server.js";

/** The context that the runtime passes with a server's request. */
interface AnswerContext {
  readonly signal: AbortSignal;
}

interface Open {
  readonly resolve: (result: JsonObject) => void;
  readonly reject: () => void;
}

/** Maximum number of open questions; further requests of the server are rejected. */
const mostOpen = 100;

/** Requests of the server that the page's user answers: elicitation, sampling, roots. */
export class Questions {
  readonly #send: (event: PageEvent) => void;
  readonly #rejected: () => Error;
  readonly #open = new Map<number, Open>();
  #count = 0;

  /** @param rejected creates the error for a declined question */
  constructor(send: (event: PageEvent) => void, rejected: () => Error) {
    this.#send = send;
    this.#rejected = rejected;
  }

  /** Connection options that handle requests of the server. */
  get handlers(): object {
    const ask =
      (kind: QuestionEvent["kind"]) =>
      (params: JsonObject, { signal }: AnswerContext): Promise<JsonObject> =>
        this.#ask(kind, params, signal);
    return {
      elicit: { form: ask("form"), url: ask("url") },
      sample: { answer: ask("sampling"), tools: true, context: true },
      roots: (context: AnswerContext) => this.#askRoots(context),
    };
  }

  /** @throws BadRequest if there is no such question */
  answer({ question, result }: QuestionAnswer): void {
    const open = this.#open.get(question);
    if (!open) throw new BadRequest(`there is no open question ${question}`);
    this.#settle(question);
    if (result === undefined) open.reject();
    else open.resolve(result as JsonObject);
  }

  /** Declines all questions, because their connection has ended. */
  end(): void {
    for (const [question, { reject }] of [...this.#open]) {
      this.#settle(question);
      reject();
    }
  }

  #ask(kind: QuestionEvent["kind"], params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#open.size >= mostOpen) return Promise.reject(this.#rejected());
    const question = ++this.#count;
    return new Promise<JsonObject>((resolve, reject) => {
      const open: Open = { resolve, reject: () => reject(this.#rejected()) };
      this.#open.set(question, open);
      const abort = (): void => {
        this.#settle(question);
        open.reject();
      };
      signal.addEventListener("abort", abort, { once: true });
      this.#send({ type: "question", question, kind, params });
    });
  }

  async #askRoots({ signal }: AnswerContext): Promise<readonly JsonValue[]> {
    const { roots } = await this.#ask("roots", {}, signal);
    return Array.isArray(roots) ? roots : [];
  }

  #settle(question: number): void {
    if (this.#open.delete(question)) this.#send({ type: "settled", question });
  }
}

/** Checks the body of `POST answer`. @throws BadRequest if it is invalid */
export function questionAnswer(body: unknown): QuestionAnswer {
  if (isJsonObject(body) && typeof body["question"] === "number") {
    const { question, result } = body;
    if (result === undefined) return { question };
    if (isJsonObject(result)) return { question, result };
  }
  throw new BadRequest("expected question and result");
}
