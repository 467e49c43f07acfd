import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { type LiveTask, type LiveTasks, isTask } from "../../capture/live-tasks.js";
import type { LiveClient, LiveOptions, LiveProgress } from "../../capture/runtime.js";
import { isRuntimeError } from "../../capture/server-error.js";
import type { CallEvent, CallKind, CallRequest, Issue } from "../../page/browser/dev/messages.js";
import { BadRequest } from "./page-server.js";

/** Time limit of a request in milliseconds, practically none: the user can cancel it. */
const unlimited = 86_400_000;

/** The method for each kind of call; `request` has its own. */
const methods: Readonly<Record<Exclude<CallKind, "request">, string>> = {
  tool: "tools/call",
  resource: "resources/read",
  prompt: "prompts/get",
};

interface CallsOptions {
  readonly send: (event: CallEvent) => void;
  /** Starts tool calls that may become tasks. */
  readonly tasks: LiveTasks;
  /** Called at the end of the last open call. */
  readonly ended: () => void;
  /** The issues of a tool's structured content; undefined if none is expected. */
  readonly structured: (tool: string, content: JsonValue | undefined) => readonly Issue[] | undefined;
}

/** The requests that the page sends to the server. */
export class Calls {
  readonly #options: CallsOptions;
  readonly #open = new Map<number, AbortController>();
  #count = 0;

  constructor(options: CallsOptions) {
    this.#options = options;
  }

  /** Starts a call, which reports its state as events. @returns its number */
  start(client: LiveClient, request: CallRequest): number {
    const { kind, name } = request;
    const id = ++this.#count;
    const call = new Call(id, kind, name, this.#options.send);
    const controller = new AbortController();
    this.#open.set(id, controller);
    call.report({ state: "running" });
    const onProgress = (progress: LiveProgress): void => call.report({ state: "running", progress });
    const options = {
      ...{ signal: controller.signal, timeout: unlimited, totalTimeout: unlimited, onProgress },
      // Accept any result, because the page also shows methods that the revision lacks.
      ...(kind === "request" && { result: {} }),
    };
    // An invalid request may throw synchronously.
    void Promise.resolve()
      .then(() => this.#answer(client, request, options))
      .then((answer) => (isTask(answer) ? resultOf(answer, call, controller.signal) : answer))
      .then(
        (result) => call.report(this.#done(kind, name, result)),
        (error: unknown) => call.report(failed(error, controller.signal)),
      )
      // A result may be nested too deeply to be sent to the page.
      .catch((error: unknown) => call.report(failed(error, controller.signal)))
      .finally(() => {
        this.#open.delete(id);
        if (this.#open.size === 0) this.#options.ended();
      });
    return id;
  }

  cancel(id: number): void {
    this.#open.get(id)?.abort();
  }

  /** Cancels all calls, because their connection ends. */
  end(): void {
    for (const controller of this.#open.values()) controller.abort();
  }

  /** The result, or the task that the call became if the server supports tasks. */
  #answer(
    client: LiveClient,
    { kind, name, params }: CallRequest,
    options: LiveOptions,
  ): Promise<LiveTask | JsonObject> {
    const { tasks } = this.#options;
    if (kind === "tool" && tasks.offeredBy(client))
      return tasks.start(name, (params["arguments"] ?? {}) as JsonObject, options);
    return client.request(kind === "request" ? name : methods[kind], params as JsonObject, options);
  }

  #done(kind: CallKind, name: string, result: JsonObject): Partial<CallEvent> & Pick<CallEvent, "state"> {
    const structured =
      kind === "tool" && result["isError"] !== true
        ? this.#options.structured(name, result["structuredContent"])
        : undefined;
    return { state: "done", result, ...(structured && { structured }) };
  }
}

/** Reports the state of one call. */
class Call {
  readonly #event: Omit<CallEvent, "state" | "milliseconds">;
  readonly #started = performance.now();
  readonly #send: (event: CallEvent) => void;
  #task: CallEvent["task"];

  constructor(id: number, kind: CallKind, name: string, send: (event: CallEvent) => void) {
    this.#event = { type: "call", id, kind, name };
    this.#send = send;
  }

  report(state: Partial<CallEvent> & Pick<CallEvent, "state">): void {
    const milliseconds = Math.round(performance.now() - this.#started);
    this.#task = state.task ?? this.#task;
    this.#send({ ...this.#event, milliseconds, ...(this.#task && { task: this.#task }), ...state });
  }
}

/** Waits for the result of a task, and reports its states meanwhile. */
async function resultOf(task: LiveTask, call: Call, signal: AbortSignal): Promise<JsonObject> {
  const { id } = task;
  const cancel = (): void =>
    void task
      .cancel()
      .catch(() => {})
      // Also ends pending questions of the task.
      .finally(() => task.detach());
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  call.report({ state: "running", task: { id } });
  try {
    for await (const { status, statusMessage } of task.updates())
      call.report({
        state: "running",
        task: { id, status, ...(statusMessage !== undefined && { message: statusMessage }) },
      });
  } catch {
    // The result rejects with the same error.
  }
  try {
    return await task.result();
  } finally {
    signal.removeEventListener("abort", cancel);
  }
}

function failed(error: unknown, signal: AbortSignal): Pick<CallEvent, "state" | "error"> {
  const message = error instanceof Error ? error.message : String(error);
  const { rpcCode: code, data } = isRuntimeError(error) ? error : {};
  return {
    state: signal.aborted ? "cancelled" : "failed",
    error: {
      message,
      ...(code !== undefined && { code }),
      ...(data !== undefined && { data: data as JsonValue }),
    },
  };
}

const kinds: readonly string[] = ["tool", "resource", "prompt", "request"] satisfies CallKind[];

/** Checks the body of `POST call`. @throws BadRequest if it is invalid */
export function callRequest(body: unknown): CallRequest {
  if (isJsonObject(body)) {
    const { kind, name, params, anyway } = body;
    if (kinds.includes(kind as string) && typeof name === "string" && isJsonObject(params!))
      return { kind: kind as CallKind, name, params, anyway: anyway === true };
  }
  throw new BadRequest("expected kind, name and params");
}
