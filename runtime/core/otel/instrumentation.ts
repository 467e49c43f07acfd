import {
  type Context,
  type Link,
  type MeterProvider,
  ProxyTracerProvider,
  SpanKind,
  type Tracer,
  type TracerProvider,
  context as contexts,
  metrics,
  propagation,
  trace,
} from "@opentelemetry/api";
import { type Params, isPromise } from "../jsonrpc/message.js";
import { type Rules, checkOptions } from "../options/option-check.js";
import type { ClientEvent, ServerEvent } from "../protocol/events.js";
import type { Around, InternalContext, Middleware, MiddlewareRequest, Next } from "../protocol/hooks.js";
import { isSuspended } from "../server/rounds.js";
import { onAbort } from "./aborts.js";
import {
  type Outcome,
  begun,
  endSpan,
  outcomeOfAbort,
  outcomeOfError,
  outcomeOfResult,
  sentAs,
} from "./conventions.js";
import { Measurements } from "./measurements.js";
import { contextOf, earlierRound, paramsWith, rememberRound } from "./propagation.js";
import { expectId } from "./request-ids.js";

export interface InstrumentationOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider;
  /** Whether spans have ids of sessions: a client that knows an id can use the session. Default: `false`. */
  readonly sessions?: boolean;
  /** Whether notifications have spans and are measured: progress and log messages may be many. Default: `true`. */
  readonly notifications?: boolean;
}

const rules: Rules<InstrumentationOptions> = {
  tracerProvider: "object",
  meterProvider: "object",
  sessions: "boolean",
  notifications: "boolean",
};

/** A server, or a client. */
export interface InstrumentedRole {
  use(middleware: Middleware): () => void;
  onEvent(listener: (event: ServerEvent | ClientEvent) => void): () => void;
}

/** The two options of `connect`. */
export interface Instrumentation {
  readonly use: readonly [Middleware];
  readonly onEvent: (event: ServerEvent | ClientEvent) => void;
}

/** Name of the instrumentation scope. */
const scope = "@mcpgen/runtime";

/**
 * Traces and measures the later requests of a server or a client. Returns a function that ends this.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function instrument(role: InstrumentedRole, options: InstrumentationOptions = {}): () => void {
  const { use, onEvent, end } = instrumented(options);
  const removals = [role.use(use[0]), role.onEvent(onEvent), end];
  return () => removals.forEach((remove) => remove());
}

/**
 * The same as options of `connect`, so that the first requests are traced: `connect(url, { ...instrumentation() })`.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function instrumentation(options: InstrumentationOptions = {}): Instrumentation {
  const { use, onEvent } = instrumented(options);
  return { use, onEvent };
}

function instrumented(options: InstrumentationOptions): Instrumentation & { readonly end: () => void } {
  checkOptions(options, rules);
  const { tracerProvider = trace, meterProvider = metrics, sessions = false, notifications = true } = options;
  const measurements = new Measurements(meterProvider.getMeter(scope));
  const isSilent = (): boolean => measurements.isSilent && tracerProvider === trace && hasNoSdk();
  const spans = new Spans(tracerProvider.getTracer(scope), measurements, sessions, isSilent);
  const middleware = notifications
    ? Object.assign(spans.middleware, { attach: spans.attach })
    : spans.middleware;
  return { use: [middleware], onEvent: (event) => measurements.event(event), end: spans.end };
}

/** Whether the application has set up nothing that traces or propagates until now. */
function hasNoSdk(): boolean {
  const provider = trace.getTracerProvider();
  return (
    provider instanceof ProxyTracerProvider &&
    provider.getDelegateTracer(scope) === undefined &&
    propagation.fields().length === 0
  );
}

/** Runs each operation in a span. */
class Spans {
  readonly #tracer: Tracer;
  readonly #measurements: Measurements;
  readonly #sessions: boolean;
  readonly #isSilent: () => boolean;

  /** @param isSilent whether nothing would be recorded or sent */
  constructor(tracer: Tracer, measurements: Measurements, sessions: boolean, isSilent: () => boolean) {
    this.#tracer = tracer;
    this.#measurements = measurements;
    this.#sessions = sessions;
    this.#isSilent = isSilent;
  }

  /** Whether notifications are still traced. */
  #isOn = true;

  readonly end = (): void => void (this.#isOn = false);

  /** Lets notifications run in spans, inside those of an earlier instrumentation. */
  readonly attach = (hooks: { around: Around }): void => {
    const { around } = hooks;
    hooks.around = (direction, method, params, connection, revision, run) =>
      around(direction, method, params, connection, revision, (given) => {
        if (!this.#isOn) return run(given);
        const context = { connection, protocol: { revision } };
        const next = (replaced = given as object): Params => {
          run(replaced as Params);
          return nothing;
        };
        this.middleware({ direction, method, params: given as object, context: context as never }, next);
      });
  };

  readonly middleware = (request: MiddlewareRequest, next: Next): object | Promise<object> => {
    if (this.#isSilent()) return next();
    const { direction, params } = request;
    // No message: the result of the round carries it, and the trace context with it.
    if (isPartOfResult(request)) return next(paramsWith(params, contexts.active()));
    const isIncoming = direction === "incoming";
    const earlier = isIncoming ? earlierRound(request.context) : undefined;
    const parent = isIncoming ? contextOf(params, earlier) : contexts.active();
    const about = begun(request, this.#sessions);
    const kind = isIncoming ? SpanKind.SERVER : SpanKind.CLIENT;
    const { spanName, attributes } = about;
    const links = linksOf(parent, earlier);
    const span = this.#tracer.startSpan(spanName, { kind, attributes, links }, parent);
    const inner = trace.setSpan(parent, span);
    const inside =
      "answered" in request ? expectId((request.context as InternalContext).connection, span, inner) : inner;
    const started = performance.now();
    this.#measurements.begin(about);
    let isOpen = true;
    const ended = (outcome: Outcome): void => {
      if (!isOpen) return;
      isOpen = false;
      span.setAttributes(sentAs(request));
      endSpan(span, outcome);
      this.#measurements.end(request, about, performance.now() - started, outcome);
      unlisten?.();
    };
    const over = (): boolean => isIncoming && (request.context as { readonly over?: boolean }).over === true;
    const done = (result: object): object => {
      ended(over() ? outcomeOfAbort(undefined) : outcomeOfResult(result));
      return result;
    };
    const failed = (error: unknown): never => {
      if (isSuspended(error)) rememberRound(request.context, inside);
      ended(over() ? outcomeOfAbort(undefined) : outcomeOfError(request, error));
      throw error;
    };
    let unlisten: (() => void) | undefined;
    const result = running(inside, next, isIncoming ? undefined : paramsWith(params, inside), failed);
    if (!isPromise(result)) return done(result);
    // The handler may run on for long, or forever.
    if (isIncoming) unlisten = onAbort(request.context, (reason) => ended(outcomeOfAbort(reason)));
    return result.then(done, failed);
  };
}

const nothing: Params = {};

function running(
  inside: Context,
  next: Next,
  params: object | undefined,
  failed: (error: unknown) => never,
): object | Promise<object> {
  try {
    return contexts.with(inside, () => next(params));
  } catch (error) {
    return failed(error);
  }
}

/** Whether a request to the client is a part of a result (2026-07-28, multi round-trip requests). */
function isPartOfResult(request: MiddlewareRequest & { readonly answered?: boolean }): boolean {
  if (request.answered === undefined) return false;
  const { protocol } = request.context as Partial<InternalContext>;
  return protocol?.revision.era === "modern";
}

/** The span that is active where a request arrives, such as that of its HTTP request; the span of the round before. */
function linksOf(parent: Context, earlier: Context | undefined): Link[] {
  const active = contexts.active();
  return [active, earlier].flatMap((each) => {
    const context = each && trace.getSpanContext(each);
    return context && context !== trace.getSpanContext(parent) ? [{ context }] : [];
  });
}
