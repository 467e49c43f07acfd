import type { JsonObject } from "@mcpgen/engine";
import { shownSource } from "../../capture/shown-source.js";
import type { ServerSource } from "../../capture/server-source.js";
import type { Questions } from "../../capture/with-server.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Arguments } from "../arguments.js";
import { type Pair, readPairs } from "../call/pairs.js";
import type { CommandContext } from "../context.js";
import { type Terminal, canAsk } from "../terminal.js";
import { printable } from "../../print/terminal-text.js";
import { type FormField, formFields } from "./form-fields.js";
import type { RequestTimeout } from "./request-timeout.js";
import { expectAllUsed, preparedAnswers } from "./prepared-answers.js";
import { decide, fillIn } from "./terminal-form.js";

/**
 * Answers a server's questions to its user (elicitation): with `--answer`, else at the terminal, one question at a time.
 * Without a terminal the question is declined, and a note says so.
 */
export class UserQuestions implements Questions {
  readonly #source: ServerSource;
  readonly #answers: readonly Pair[];
  readonly #terminal: Terminal | undefined;
  readonly #context: CommandContext;
  readonly #timeout: RequestTimeout;
  readonly #asked = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #problem: CodedError | undefined;

  /**
   * @param timeout stands still while the user is asked
   * @throws CodedError MG2004 for an `--answer` that is no pair
   */
  constructor(source: ServerSource, args: Arguments, context: CommandContext, timeout: RequestTimeout) {
    this.#source = source;
    this.#answers = readPairs(args.strings("answer") ?? []);
    this.#terminal = canAsk(context) && !args.flag("decline") ? context.terminal : undefined;
    this.#context = context;
    this.#timeout = timeout;
  }

  elicit(form: JsonObject): Promise<JsonObject> {
    return this.#inTurn(() => this.#form(form));
  }

  elicitUrl(page: JsonObject): Promise<JsonObject> {
    return this.#inTurn(() => this.#page(page));
  }

  /**
   * Called when the request is over.
   *
   * @throws CodedError MG6312 for an `--answer` that did not fit, or that no form asked for
   */
  settle(): void {
    if (this.#problem) throw this.#problem;
    expectAllUsed(this.#answers, this.#asked);
  }

  #inTurn(ask: () => Promise<JsonObject>): Promise<JsonObject> {
    const answer = this.#turn.then(() => this.#timeout.paused(ask));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #form({ message, requestedSchema }: JsonObject): Promise<JsonObject> {
    const fields = formFields(requestedSchema);
    for (const { name } of fields) this.#asked.add(name);
    let content: JsonObject;
    try {
      content = preparedAnswers(this.#answers, fields);
    } catch (error) {
      if (!(error instanceof CodedError)) throw error;
      this.#problem ??= error;
      return { action: "cancel" };
    }
    const open = fields.filter(({ name }) => !Object.hasOwn(content, name));
    const isFilledIn = Object.keys(content).length > 0 && open.every(({ isRequired }) => !isRequired);
    if (isFilledIn) return { action: "accept", content };
    if (this.#terminal === undefined) return declined(`the user: ${String(message)}`, open, this.#context);
    const action = await decide(
      this.#question(message),
      open.length > 0 ? "Answer" : "Accept",
      this.#terminal,
    );
    if (action !== "accept") return { action };
    const typed = await fillIn(open, this.#terminal);
    return typed === undefined ? { action: "cancel" } : { action, content: { ...content, ...typed } };
  }

  /** The URL is shown, and never opened (2025-11-25, elicitation, safe URL handling). */
  async #page({ message, url }: JsonObject): Promise<JsonObject> {
    if (this.#terminal === undefined)
      return declined(`the user: ${String(message)} (${String(url)})`, [], this.#context);
    const { host } = new URL(String(url));
    const question = `${this.#question(message)}\n${printable(String(url))}\nIts host is ${printable(host)}. Open it yourself, and only if you trust it.`;
    return { action: await decide(question, "Accept: I open the page", this.#terminal) };
  }

  #question(message: unknown): string {
    return `${printable(shownSource(this.#source))} asks: ${printable(String(message))}`;
  }
}

/**
 * Declines all questions of a server.
 *
 * @param isMeant whether the user wants that; otherwise a hint says how a form is answered all the same
 */
export function decliningQuestions(isMeant: boolean, context: CommandContext): Questions {
  return {
    elicit: async ({ message, requestedSchema }) =>
      declined(`the user: ${String(message)}`, isMeant ? [] : formFields(requestedSchema), context),
    elicitUrl: async ({ message, url }) =>
      declined(`the user: ${String(message)} (${String(url)})`, [], context),
  };
}

/** Fields that a hint names. */
const mostFields = 8;

function declined(
  what: string,
  fields: readonly Pick<FormField, "name">[],
  { console, terminal }: CommandContext,
): JsonObject {
  console.note(printable(`declined: the server asked ${what}`));
  const options = fields.slice(0, mostFields).map(({ name }) => `--answer ${name}=…`);
  const why =
    terminal === undefined ? "there is no terminal" : "CI, --quiet or the format allows no question";
  if (options.length > 0) console.note(printable(`${why}; answer it in advance: ${options.join(" ")}`));
  return { action: "decline" };
}
