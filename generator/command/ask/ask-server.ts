import type { JsonObject, JsonValue } from "@mcpgen/engine";
import type { LiveClient, LiveOptions, LiveProgress } from "../../capture/runtime.js";
import { type ServerSource, shownSource } from "../../capture/server-source.js";
import { type Questions, withServer } from "../../capture/with-server.js";
import type { Arguments, CommandContext, Outcome } from "../command.js";
import { type Terminal, canAsk } from "../console.js";
import type { ServerTasks } from "../task/server-tasks.js";
import { expectReach, serverOptions } from "../server-options.js";
import { printable } from "../../print/terminal-text.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { type Pair, readPairs } from "../call/pairs.js";
import { type FormField, formFields } from "./form-fields.js";
import { closest } from "../../diagnostics/suggest.js";
import { Silence } from "../../capture/server-error.js";

/** A request to a server that may ask its user. */
interface AskingRequest<T> {
  readonly source: ServerSource;
  readonly args: Arguments;
  readonly context: CommandContext;
  /** The server's tasks; given if the request may become a task. */
  readonly tasks?: ServerTasks | undefined;
  /**
   * The work with a connected client. `options` are for the command's own request, `listing` for the list requests that precede it.
   */
  readonly use: (client: LiveClient, options: LiveOptions, listing: LiveOptions) => Promise<T>;
  /** The outcome of the command, from the result of `use`. */
  readonly show: (result: T) => Outcome;
}

/**
 * Connects to a server, sends a request and shows its progress. Answers the server's questions (elicitation)
 * with `--answer`, or asks the user at the terminal.
 *
 * @returns the outcome; with the error MG6312 if a value of `--answer` did not fit its field, or no form had the field: the
 * server has done its work by then, so the result is shown, too
 * @throws CodedError as `withServer`; after MG6312, if a form was cancelled or declined for its sake
 */
export async function askServer<T>({
  source,
  args,
  context,
  tasks,
  use,
  show,
}: AskingRequest<T>): Promise<Outcome> {
  const options = { ...serverOptions(args, context), extensions: tasks?.live.extensions };
  expectReach(args, source, context.directory);
  const listing = options.timeout === undefined ? {} : { timeout: options.timeout };
  const showProgress = (progress: LiveProgress): void => context.console.note(progressText(progress));
  const asks = args.given("answer") || (canAsk(context) && !args.flag("decline"));
  if (!asks)
    return show(
      await withServer(
        source,
        { ...options, questions: decliningQuestions(args.flag("decline"), context) },
        (client) => use(client, { ...listing, onProgress: showProgress }, listing),
      ),
    );
  const timeout = new RequestTimeout(options.timeout);
  if (tasks) tasks.onWait = () => timeout.off();
  const questions = new UserQuestions(source, args, context, timeout);
  const request: LiveOptions = {
    signal: timeout.signal,
    // `RequestTimeout` ends the request sooner. This longer limit applies only while the user types.
    timeout: forms,
    totalTimeout: forms,
    onProgress: (progress) => {
      timeout.restart();
      showProgress(progress);
    },
  };
  const result = await withServer(source, { ...options, questions }, (client) =>
    timeout.over(use(client, request, listing)),
  ).catch((error: unknown) => {
    throw (error instanceof CodedError && questions.causeOf(error)) || error;
  });
  const outcome = show(result);
  const error = questions.problem(outcome.error);
  return error ? { ...outcome, error } : outcome;
}

/** Time limit of a request while the user answers questions, in milliseconds: one day. */
const forms = 86_400_000;

function progressText({ progress, total, message }: LiveProgress): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return printable(message === undefined ? done : `${done} ${message}`);
}

/**
 * Answers a server's questions to its user (elicitation): with `--answer`, else at the terminal, one question
 * at a time. Without a terminal, declines the question and prints a note.
 */
class UserQuestions implements Questions {
  readonly #source: ServerSource;
  readonly #answers: readonly Pair[];
  readonly #terminal: Terminal | undefined;
  readonly #context: CommandContext;
  readonly #timeout: RequestTimeout;
  readonly #asked = new Set<string>();
  #turn: Promise<unknown> = Promise.resolve();
  #problem: CodedError | undefined;

  /**
   * @param timeout paused while the user answers
   * @throws CodedError MG2004 for an `--answer` that is not `key=value` or `key:=json`
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
   * Called when the request is over. Returns MG6312 if a value of `--answer` did not fit its field, or no form had the field:
   * most names that none has are misspelt.
   *
   * @param consequence the error of the request, which follows
   */
  problem(consequence?: CodedError): CodedError | undefined {
    const unused = this.#answers.find(({ key }) => !this.#asked.has(key));
    const error = this.#problem ?? (unused && unusedError(unused.key, this.#asked));
    if (!error || !consequence) return error;
    const { facts, more } = consequence;
    return new CodedError(error.code, error.message, {
      next: error.next!,
      facts,
      more: [consequence, ...more],
    });
  }

  /** MG6312 before the error of the request; undefined if no form was shown before the request failed. */
  causeOf(error: CodedError): CodedError | undefined {
    return this.#asked.size > 0 ? this.problem(error) : undefined;
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
    if (this.#terminal === undefined) {
      const others = this.#answers.filter(({ key }) => !this.#asked.has(key)).map(({ key }) => key);
      return declined(`the user: ${String(message)}`, open, this.#context, others);
    }
    const action = await decide(
      this.#question(message),
      open.length > 0 ? "Answer" : "Accept",
      this.#terminal,
    );
    if (action !== "accept") return { action };
    const typed = await fillIn(open, this.#terminal);
    return typed === undefined ? { action: "cancel" } : { action, content: { ...content, ...typed } };
  }

  /** Shows the URL and never opens it (2025-11-25, elicitation, safe URL handling). */
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
 * @param isMeant whether the user asked to decline; otherwise a hint shows how to answer a form with
 * `--answer`
 */
function decliningQuestions(isMeant: boolean, context: CommandContext): Questions {
  return {
    elicit: async ({ message, requestedSchema }) =>
      declined(`the user: ${String(message)}`, isMeant ? [] : formFields(requestedSchema), context),
    elicitUrl: async ({ message, url }) =>
      declined(`the user: ${String(message)} (${String(url)})`, [], context),
  };
}

/** Maximum number of fields that a hint names. */
const mostFields = 8;

/** @param others fields that `--answer` names, and that no form had */
function declined(
  what: string,
  fields: readonly Pick<FormField, "name">[],
  { console, terminal }: CommandContext,
  others: readonly string[] = [],
): JsonObject {
  console.note(printable(`declined: the server asked ${what}`));
  const shown = fields.slice(0, mostFields).map(({ name }) => name);
  const options = shown.map((name) => `--answer ${name}=…`);
  const why =
    others.length > 0
      ? `the form asks for ${shown.join(", ")}, and --answer gave ${others.join(", ")}`
      : terminal === undefined
        ? "there is no terminal"
        : "CI, --quiet or the format allows no question";
  if (options.length > 0) console.note(printable(`${why}; answer it in advance: ${options.join(" ")}`));
  return { action: "decline" };
}

/** How the user decides on a server's question. */
type Decision = "accept" | "decline" | "cancel";

/** Loads the library when the first question arrives. */
const prompts = () => import("@clack/prompts");

/**
 * Lets the user answer, decline or cancel a question. Escape and Ctrl-C cancel.
 *
 * @param message text that names the server and its question
 */
async function decide(message: string, accept: string, terminal: Terminal): Promise<Decision> {
  const { isCancel, select } = await prompts();
  const answer = await select<Decision>({
    ...terminal,
    message,
    options: [
      { value: "accept", label: accept },
      { value: "decline", label: "Decline" },
      { value: "cancel", label: "Cancel" },
    ],
  });
  return isCancel(answer) ? "cancel" : answer;
}

/**
 * Asks for each field in turn.
 *
 * @returns undefined if the user leaves the form with Escape or Ctrl-C
 */
async function fillIn(fields: readonly FormField[], terminal: Terminal): Promise<JsonObject | undefined> {
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const answer = await askField(field, terminal);
    if (answer === left) return undefined;
    if (answer !== skipped) content.push([field.name, answer]);
  }
  return Object.fromEntries(content);
}

const left = Symbol("left");
const skipped = Symbol("skipped");
type FieldAnswer = JsonValue | typeof left | typeof skipped;

function askField(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  if (field.kind === "choice" || field.kind === "boolean") return askChoice(field, terminal);
  return field.kind === "choices" ? askChoices(field, terminal) : askText(field, terminal);
}

function messageOf({ title, description, isRequired }: FormField): string {
  const words = description === undefined ? title : `${title}: ${description}`;
  return printable(isRequired ? words : `${words} (optional)`);
}

async function askText(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, text } = await prompts();
  const { fallback, isRequired } = field;
  const validate = (typed: string | undefined): string | undefined => {
    if ((typed ?? "") === "" && !isRequired) return undefined;
    const fault = field.fault(readAs(field, typed ?? ""));
    return fault === undefined ? undefined : `expected ${printable(fault)}`;
  };
  const initialValue = fallback === undefined ? "" : printable(String(fallback));
  const typed = await text({ ...terminal, message: messageOf(field), initialValue, validate });
  if (isCancel(typed)) return left;
  return (typed ?? "") === "" && !isRequired ? skipped : readAs(field, typed ?? "");
}

/** Lets the user choose one of several values, or skip the field if it is optional. */
async function askChoice(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, select } = await prompts();
  const choices =
    field.kind === "boolean"
      ? [
          { value: true, label: "yes" },
          { value: false, label: "no" },
        ]
      : field.choices;
  // The prompt library compares option values, so each option has its index as the value.
  const options = choices.map(({ label }, value) => ({ value, label: printable(label) }));
  const none = { value: -1, label: "(no answer)" };
  const chosen = choices.findIndex(({ value }) => value === field.fallback);
  const answer = await select<number>({
    ...terminal,
    message: messageOf(field),
    options: field.isRequired ? options : [...options, none],
    ...(chosen >= 0 && { initialValue: chosen }),
  });
  if (isCancel(answer)) return left;
  return answer < 0 ? skipped : choices[answer]!.value;
}

async function askChoices(field: FormField, terminal: Terminal): Promise<FieldAnswer> {
  const { isCancel, multiselect, log } = await prompts();
  const options = field.choices.map(({ label }, value) => ({ value, label: printable(label) }));
  const proposed = Array.isArray(field.fallback) ? field.fallback : [];
  const initialValues = field.choices.flatMap(({ value }, index) =>
    proposed.includes(value) ? [index] : [],
  );
  for (;;) {
    const chosen = await multiselect<number>({
      ...terminal,
      message: messageOf(field),
      options,
      initialValues,
      required: false,
    });
    if (isCancel(chosen)) return left;
    if (chosen.length === 0 && !field.isRequired) return skipped;
    const values = chosen.map((index) => field.choices[index]!.value);
    const fault = field.fault(values);
    if (fault === undefined) return values;
    log.error(`expected ${printable(fault)}`, { output: terminal.output });
  }
}

/**
 * Reads the values that `--answer` gives for the fields of a form.
 *
 * @throws CodedError MG6312 for a value that a field does not accept
 */
function preparedAnswers(pairs: readonly Pair[], fields: readonly FormField[]): JsonObject {
  const content: [string, JsonValue][] = [];
  for (const field of fields) {
    const own = pairs.filter(({ key }) => key === field.name);
    if (own.length === 0) continue;
    const values = own.map((pair) => pair.json ?? readAs(field, pair.text));
    const value = field.kind === "choices" ? values.flat() : values.at(-1)!;
    const fault = field.fault(value);
    if (fault !== undefined)
      throw new CodedError("MG6312", `--answer ${own.at(-1)!.word}: expected ${fault}`, {
        next: "Correct the value; FIELD:=JSON passes a JSON value.",
      });
    content.push([field.name, value]);
  }
  return Object.fromEntries(content);
}

/**
 * Converts a text to a value of the field's kind. A text that does not convert is returned unchanged, and the
 * field's check then rejects it.
 */
function readAs({ kind }: FormField, text: string): JsonValue {
  const isNumber = (kind === "number" || kind === "integer") && text.trim() !== "";
  if (isNumber && Number.isFinite(Number(text))) return Number(text);
  if (kind === "boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

function unusedError(key: string, asked: ReadonlySet<string>): CodedError {
  const suggestion = closest(key, asked);
  return new CodedError("MG6312", `the server asked for no field ${JSON.stringify(key)}`, {
    next:
      suggestion === undefined
        ? asked.size === 0
          ? "It asked nothing: leave --answer out. Before 2025-06-18, servers cannot ask."
          : `It asked for ${[...asked].join(", ")}.`
        : `Did you mean ${suggestion}?`,
  });
}

/** Default limit without an answer or progress, in milliseconds. `--timeout` overrides it. */
const usual = 60_000;

/**
 * Aborts a request that has had no answer and no progress for a time. Time in which the user answers
 * questions does not count.
 */
export class RequestTimeout {
  readonly #controller = new AbortController();
  readonly #limit: number;
  #timer: NodeJS.Timeout | undefined;
  #asking = 0;
  #isOff = false;

  constructor(limit = usual) {
    this.#limit = limit;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the clock when progress arrives. */
  restart(): void {
    clearTimeout(this.#timer);
    if (this.#asking > 0 || this.#isOff) return;
    this.#timer = setTimeout(() => this.#controller.abort(new Silence(this.#limit, "request")), this.#limit);
  }

  /** Removes the limit: the request continues as a task, which may take any time. */
  off(): void {
    this.#isOff = true;
    clearTimeout(this.#timer);
  }

  /** Stops the clock until `work` settles. */
  async paused<T>(work: () => Promise<T>): Promise<T> {
    this.#asking++;
    clearTimeout(this.#timer);
    try {
      return await work();
    } finally {
      this.#asking--;
      this.restart();
    }
  }

  /** Resolves with the result of the request. Rejects with `Silence` if this timeout aborted the request. */
  async over<T>(request: Promise<T>): Promise<T> {
    this.restart();
    try {
      return await request;
    } catch (error) {
      throw this.signal.aborted ? this.signal.reason : error;
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
