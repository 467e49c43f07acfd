import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { LiveClient, LiveProgress } from "../../capture/runtime.js";
import { isRuntimeError } from "../../capture/server-error.js";
import type { CallEvent, CallKind, CallRequest, Issue } from "../../page/browser/dev/messages.js";
import { BadRequest } from "./page-server.js";

/** Milliseconds that a request may take: the user cancels it. */
const unlimited = 86_400_000;

/** The method of each kind of call; `request` names its own. */
const methods: Readonly<Record<Exclude<CallKind, "request">, string>> = {
  tool: "tools/call",
  resource: "resources/read",
  prompt: "prompts/get",
};

interface CallsOptions {
  readonly send: (event: CallEvent) => void;
  /** The issues of the structured content of a tool; undefined where none is expected. */
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

  /** Starts a call, whose events report its state. @returns its number */
  start(client: LiveClient, { kind, name, params }: CallRequest): number {
    const id = ++this.#count;
    const call = new Call(id, kind, name, this.#options.send);
    const controller = new AbortController();
    this.#open.set(id, controller);
    call.report({ state: "running" });
    const method = kind === "request" ? name : methods[kind];
    const onProgress = (progress: LiveProgress): void => call.report({ state: "running", progress });
    const options = {
      ...{ signal: controller.signal, timeout: unlimited, totalTimeout: unlimited, onProgress },
      // Any result: the page shows methods that the revision does not have, too.
      ...(kind === "request" && { result: {} }),
    };
    // A wrong request may throw at once.
    void Promise.resolve()
      .then(() => client.request(method, params as JsonObject, options))
      .then(
        (result) => call.report(this.#done(kind, name, result)),
        (error: unknown) => call.report(failed(error, controller.signal)),
      )
      // A result may be nested too deep to be sent to the page.
      .catch((error: unknown) => call.report(failed(error, controller.signal)))
      .finally(() => this.#open.delete(id));
    return id;
  }

  cancel(id: number): void {
    this.#open.get(id)?.abort();
  }

  /** Cancels all: their connection ends. */
  end(): void {
    for (const controller of this.#open.values()) controller.abort();
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

  constructor(id: number, kind: CallKind, name: string, send: (event: CallEvent) => void) {
    this.#event = { type: "call", id, kind, name };
    this.#send = send;
  }

  report(state: Partial<CallEvent> & Pick<CallEvent, "state">): void {
    const milliseconds = Math.round(performance.now() - this.#started);
    this.#send({ ...this.#event, milliseconds, ...state });
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

/** The body of `POST call`. @throws BadRequest it is none */
export function callRequest(body: unknown): CallRequest {
  if (isJsonObject(body)) {
    const { kind, name, params, anyway } = body;
    if (kinds.includes(kind as string) && typeof name === "string" && isJsonObject(params!))
      return { kind: kind as CallKind, name, params, anyway: anyway === true };
  }
  throw new BadRequest("expected kind, name and params");
}
