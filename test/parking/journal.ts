import type { AskedRequest, Form as ElicitForm, HandlerContext, Page } from "@mcpgen/runtime";
import { type Form, questionOf, textOfAnswer } from "./answers.js";
import { type World, nameOf, perform } from "./handler.js";
import type { End, Outcome, Seen } from "./model.js";
import type { Program } from "./program.js";

type Sampling = Parameters<HandlerContext["ask"]["sample"]>[1];

/** An effect that happened. */
export interface Effect {
  readonly name: string;
  /** The key of the `once` around it. */
  readonly inside: string | undefined;
}

/** One run of a handler, from its first line. */
export class Run {
  readonly context: HandlerContext;
  readonly effects: Effect[] = [];
  /** By the key of the step that asked. */
  readonly outcomes = new Map<string, Outcome>();
  readonly asked: Promise<unknown>[] = [];
  /** The times at which questions give up that wait for a limited time. */
  readonly limited = new Map<string, number>();
  reports = 0;
  end: End = "hung";
  /** The text of what it threw. */
  error = "";
  /** Resolves when the handler has ended. */
  readonly ended: Promise<void>;
  #ends: () => void = () => {};

  constructor(context: HandlerContext) {
    this.context = context;
    this.ended = new Promise((resolve) => (this.#ends = resolve));
  }

  /** Whether a question has no answer. */
  async isAsking(): Promise<boolean> {
    const settled = Promise.allSettled(this.asked).then(() => false);
    return Promise.race([settled, nextTurn().then(() => true)]);
  }

  async of(handler: () => Promise<Seen>): Promise<Seen> {
    try {
      const seen = await handler();
      this.end = { seen };
      return seen;
    } catch (error) {
      this.end = { thrown: nameOf(error) };
      this.error = (error as Error).message;
      throw error;
    } finally {
      this.#ends();
    }
  }
}

/** What the handlers of one program have done, on all of its servers. */
export class Journal {
  readonly runs: Run[] = [];
  readonly faults: string[] = [];
  /** Keys of each `once` whose effect is done. */
  readonly done = new Set<string>();
  /** Number of times that handlers have done something. */
  activity = 0;
  /** Holds the next pause: its request is open. */
  isHolding = false;
  readonly #program: Program;
  readonly #runsAgain: boolean;
  readonly #now: () => number;
  #held: (() => void)[] = [];
  #reached: (() => void)[] = [];
  #rounds: (() => void)[] = [];
  #hasRounds = true;

  /**
   * @param runsAgain whether the handler runs again for each answer
   * @param now the time of its server
   */
  constructor(program: Program, runsAgain: boolean, now: () => number) {
    this.#now = now;
    this.#program = program;
    this.#runsAgain = runsAgain;
  }

  /** The handler that a server calls. */
  readonly handle = (context: HandlerContext): Promise<Seen> => {
    const run = new Run(context);
    this.runs.push(run);
    return run.of(() => perform(this.#program, this.#worldOf(run)));
  };

  /** The names of all effects, in order. */
  get effects(): string[] {
    return this.runs.flatMap(({ effects }) => effects.map(({ name }) => name));
  }

  /** A round has gone out: long pauses end. */
  wentOut(): void {
    for (const resolve of this.#rounds.splice(0)) resolve();
  }

  /** No later round goes out: long pauses end at once. */
  endRounds(): void {
    this.#hasRounds = false;
    this.wentOut();
  }

  /** Resolves when the handlers do nothing more by themselves. */
  async atRest(): Promise<void> {
    for (let before = -1; before !== this.activity;) {
      before = this.activity;
      for (let turn = 0; turn < 3; turn++) await nextTurn();
    }
  }

  /** Resolves when a handler is held in a pause. */
  held(): Promise<void> {
    return new Promise((resolve) => this.#reached.push(resolve));
  }

  /** Lets the handlers go on. */
  letGo(): void {
    this.isHolding = false;
    for (const resolve of this.#held.splice(0)) resolve();
  }

  #worldOf(run: Run): World {
    const { context } = run;
    const world: World = {
      effect: (name, inside) => void run.effects.push({ name, inside }),
      progress: () => context.progress(++run.reports),
      pause: (isLong, isAwaited) => this.#pause(run, isLong, isAwaited),
      ask: (key, form, timeout) => {
        const asked = ask(context, key, form, timeout);
        run.asked.push(asked);
        if (timeout !== undefined) run.limited.set(key, this.#now() + timeout);
        return asked;
      },
      all: (key, forms, isOneCall) => {
        const asked = askAll(context, key, forms, isOneCall);
        run.asked.push(asked);
        return asked;
      },
      said: async (point, asked) => {
        const text = await said(run, point, asked);
        if (this.#now() >= (run.limited.get(point) ?? Infinity))
          this.faults.push(`${point} is answered too late`);
        // The clients of these tests give the id of a request as its token, too.
        if (context.meta["progressToken"] !== context.requestId)
          this.faults.push(`${point}: the context has the meta of another round`);
        return text;
      },
      once: (key, effect) =>
        context.once(key, async () => {
          if (this.done.has(key)) this.faults.push(`${key} runs again`);
          if (this.#runsAgain && context.signal.aborted) this.faults.push(`${key} runs without a request`);
          const seen = await effect();
          this.done.add(key);
          return seen;
        }),
    };
    for (const [name, does] of Object.entries(world))
      world[name as "pause"] = (...given: unknown[]) => {
        this.activity++;
        return (does as (...given: unknown[]) => Promise<void>)(...given);
      };
    return world;
  }

  async #pause(run: Run, isLong: boolean, isAwaited: boolean): Promise<void> {
    if (this.isHolding && isAwaited) {
      for (const resolve of this.#reached.splice(0)) resolve();
      await new Promise<void>((resolve) => this.#held.push(resolve));
    }
    if (isLong && this.#hasRounds)
      // Answers settle the questions that are open, or a round goes out.
      await Promise.race([
        Promise.allSettled(run.asked),
        new Promise<void>((resolve) => this.#rounds.push(resolve)),
      ]);
    await nextTurn();
    this.activity++;
  }
}

/** Resolves in the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ask({ ask }: HandlerContext, key: string, form: Form, timeout?: number): Promise<unknown> {
  const { params } = questionOf(key, form);
  const options = timeout === undefined ? undefined : { timeout };
  if (form === "roots") return ask.roots(key, options);
  if (form === "sample") return ask.sample(key, params as Sampling, options);
  const { mode, ...rest } = params as { readonly mode: string };
  return mode === "url" ? ask.url(key, rest as Page, options) : ask.elicit(key, rest as ElicitForm, options);
}

/** Asks several questions at a time. Resolves with the text of their answers. */
async function askAll(
  context: HandlerContext,
  key: string,
  forms: readonly Form[],
  isOneCall: boolean,
): Promise<string> {
  const keys = forms.map((form, index) => [`${key}/${index}`, form] as const);
  const answers: readonly unknown[] = isOneCall
    ? Object.values(await context.ask.all(questionsOf(keys)))
    : await Promise.all(keys.map(([each, form]) => ask(context, each, form)));
  return answers.map(textOfAnswer).join("|");
}

function questionsOf(keys: readonly (readonly [string, Form])[]): { [key: string]: AskedRequest } {
  return Object.fromEntries(keys.map(([key, form]) => [key, questionOf(key, form)]));
}

async function said(run: Run, point: string, asked: Promise<unknown>): Promise<string> {
  try {
    const answer = await asked;
    const text = typeof answer === "string" ? answer : textOfAnswer(answer);
    run.outcomes.set(point, { said: text });
    return text;
  } catch (error) {
    run.outcomes.set(point, { code: nameOf(error) });
    throw error;
  }
}
