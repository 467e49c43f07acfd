import type { IncomingNotification } from "@mcpgen/protocol/model";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Params, RequestMessage } from "../jsonrpc/message.js";
import { type AnswerSetup, answerServer } from "./answers.js";
import type { ResultCache } from "./cache.js";
import { withoutNulls } from "./decode.js";
import type { AnswerContext } from "./handlers.js";
import type { Listeners } from "./listeners.js";

/** What a server sends that answers no request of the client's: requests of its own, and notifications. */
export class Incoming {
  private readonly answers: AnswerSetup;
  private readonly cache: ResultCache;
  private readonly listeners: Listeners;

  constructor(answers: AnswerSetup, cache: ResultCache, listeners: Listeners) {
    this.answers = answers;
    this.cache = cache;
    this.listeners = listeners;
  }

  /** Answers a request (legacy era). Resolves with the result, as JSON. */
  answer(spoken: RevisionView<"client">, request: RequestMessage, context: AnswerContext): Promise<string> {
    return answerServer(this.answers, spoken, request, context);
  }

  /** Tells who listens; what is malformed is told to nobody. */
  notified(spoken: RevisionView<"client">, method: string, params: Params): void {
    const entry = spoken.table.incomingNotifications.get(method);
    const message = { jsonrpc: "2.0", method, params };
    if (!entry || entry.accepts(message)) return this.heard(spoken, entry, message);
    if (this.answers.nulls === "reject") return;
    void withoutNulls(entry, message)
      .then((mended) => entry.accepts(mended) && this.heard(spoken, entry, mended))
      .catch(() => undefined);
  }

  private heard(
    spoken: RevisionView<"client">,
    entry: IncomingNotification | undefined,
    { method, params }: { readonly method: string; readonly params: Params },
  ): void {
    this.cache.heard(method, params);
    this.listeners.tell(method, entry ? spoken.lift("incomingNotifications", method, params) : params);
  }
}
