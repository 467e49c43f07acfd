import type { TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import type { ReachedLimit } from "./quotas.js";
import { principalOf } from "./request.js";
import { Run } from "./run.js";
import type { CallWords, HandlerTask, Next, ToolCall } from "./tool-call.js";

/** A tool call that may become a task. */
export class Call {
  readonly #engine: Engine;
  readonly #call: ToolCall;
  readonly #words: CallWords;
  readonly #run: Run;
  /** Turns the call into a task, unless it is one already or a limit forbids it. */
  #promote: () => void = () => {};

  constructor(engine: Engine, call: ToolCall, words: CallWords) {
    this.#engine = engine;
    this.#call = call;
    this.#words = words;
    this.#run = new Run(engine);
  }

  /**
   * Runs the call. Resolves with the result of the handler, or with the task.
   *
   * @param isAsked whether the client asks for a task
   */
  start(next: Next, isAsked = false): object | Promise<object> {
    const run = this.#run;
    const { context } = this.#call;
    const { support, inlineMs = 1000 } = this.#call.task;
    // No process would run a new task of a closing server.
    if (this.#engine.isClosed && !isAsked) return next();
    const quota = support === "required" || isAsked ? this.#exceeded() : undefined;
    if (quota) return import("./refusals.js").then(({ refuseCall }) => refuseCall(quota));
    // A call that is a task from the start goes to the queue. Any other call continues in this process.
    if (this.#engine.options.executor && (isAsked || inlineMs === 0) && this.#exceeded() === undefined)
      return this.#store(undefined).then((record) => this.#created(record));
    let isEarly = false;
    const task: HandlerTask = {
      principal: principalOf(context),
      get id() {
        return run.id;
      },
      detach: () => {
        isEarly = true;
        this.#promote();
      },
    };
    const handler = run.handler(context, task);
    let promoted: Promise<object> | undefined;
    const isRoom = (): boolean =>
      (isAsked || !this.#engine.isClosed) && handler.wanted.size === 0 && this.#exceeded() === undefined;
    const created = new Promise<object>((resolve, reject) => {
      this.#promote = () => {
        if (promoted || !isRoom()) return;
        handler.detach();
        promoted = this.#create(() => outcome);
        this.#run.becomes(promoted);
        promoted.then(resolve, reject);
      };
    });
    if (isAsked) this.#promote();
    const result = attempt(() => next(undefined, handler));
    const outcome = Promise.resolve(result);
    outcome.catch(() => {});
    // The call became a task while the handler ran synchronously: its result goes to the task.
    if (promoted) return created;
    if (!isPromise(result)) return result;
    const { clock } = this.#engine;
    const timer = isEarly ? undefined : clock.schedule(() => this.#promote(), inlineMs);
    const settled = outcome.finally(() => clock.clear(timer));
    const inline = settled.then(
      (value) => promoted ?? value,
      (error: unknown) => {
        if (promoted) return promoted;
        throw error;
      },
    );
    return Promise.race([created, inline]);
  }

  async #create(outcome: () => Promise<object>): Promise<object> {
    const run = this.#run;
    const record = await this.#store(run).catch((error: Error) => {
      run.counts(outcome());
      run.stop(error);
      throw error;
    });
    run.continues(record);
    run.settle(outcome(), this.#call.context);
    return this.#created(record);
  }

  /** @throws {McpError} `store-failed`, `limit-exceeded` */
  async #store(run: Run | undefined): Promise<TaskRecord> {
    const engine = this.#engine;
    // Count before any `await`, so that concurrent calls see each other.
    const owner = principalOf(this.#call.context);
    engine.quotas.made(owner, engine.clock.now());
    if (run) engine.counted(run, owner);
    else engine.quotas.ran(owner, 1);
    const { newTask } = await import("./new-task.js");
    return newTask(engine, run, this.#call, this.#words);
  }

  #created(record: TaskRecord): object {
    return this.#words.created(record, this.#engine.now());
  }

  #exceeded(): ReachedLimit | undefined {
    const { context, params } = this.#call;
    return this.#engine.exceeded(principalOf(context), (params as { readonly name: string }).name);
  }
}

/** Calls a function. Turns an exception into a rejected promise. */
function attempt(run: () => object | Promise<object>): object | Promise<object> {
  try {
    return run();
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function isPromise(value: object): value is Promise<object> {
  return typeof (value as { readonly then?: unknown }).then === "function";
}
