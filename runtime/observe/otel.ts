import {
  type Context,
  type Link,
  type MeterProvider,
  ProxyTracerProvider,
  type Span,
  SpanKind,
  type Tracer,
  type TracerProvider,
  context as contexts,
  metrics,
  propagation,
  trace,
} from "@opentelemetry/api";
import type { ClientEvent, Middleware, MiddlewareRequest, Next, Params, ServerEvent } from "@mcpgen/runtime";
import { checkOptions, isPromise, type Rules } from "@mcpgen/base";
import { type InternalContext, isSuspended, type Surrounding } from "@mcpgen/runtime/extending";
import { onAbort } from "./otel/aborts.js";
import {
  type Begun,
  type Outcome,
  begun,
  describe,
  describeSent,
  endSpan,
  outcomeOfAbort,
  outcomeOfError,
  outcomeOfResult,
  sampled,
} from "./otel/conventions.js";
import { Measurements } from "./otel/measurements.js";
import { contextOf, earlierRound, expectId, paramsWith, rememberRound } from "./otel/propagation.js";

export interface InstrumentationOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider;
  /** Whether spans have the ids of sessions. A reader of a span could use the session by its id. Default: `false`. */
  readonly sessions?: boolean;
  /**
   * Whether notifications are traced and measured. There may be many for progress and log messages. Default: `true`.
   */
  readonly notifications?: boolean;
}

const rules: Rules<InstrumentationOptions> = {
  tracerProvider: "object",
  meterProvider: "object",
  sessions: "boolean",
  notifications: "boolean",
};

/** A server or a client. */
export interface InstrumentedRole {
  use(middleware: Middleware): () => void;
  onEvent(listener: (event: ServerEvent | ClientEvent) => void): () => void;
}

/** The options `use` and `onEvent` of `connect`. */
export interface Instrumentation {
  readonly use: readonly [Middleware];
  readonly onEvent: (event: ServerEvent | ClientEvent) => void;
}

/** Name of the instrumentation scope. */
const scope = "@mcpgen/runtime";

/**
 * Traces and measures requests of a server or a client from now on. Returns a function that stops it.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function instrument(role: InstrumentedRole, options: InstrumentationOptions = {}): () => void {
  const { use, onEvent, end } = instrumented(options);
  const removals = [role.use(use[0]), role.onEvent(onEvent), end];
  return () => removals.forEach((remove) => remove());
}

/**
 * As `instrument`, but returns options of `connect`, so that the first requests are traced, too: `connect(url, {
 * ...instrumentation() })`.
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
  const measurements = new Measurements(meterProvider, scope);
  const isSilent = (): boolean => tracerProvider === trace && hasNoSdk() && measurements.isSilent;
  const spans = new Spans(tracerProvider.getTracer(scope), measurements, sessions, isSilent);
  const middleware = notifications
    ? Object.assign(spans.middleware, { attach: spans.attach })
    : spans.middleware;
  return { use: [middleware], onEvent: (event) => measurements.event(event), end: spans.end };
}

/** The tracer provider of an application without an SDK. */
const nothingTraces = new ProxyTracerProvider().getDelegate();

/** Whether the application has not yet set up a tracer provider or a propagator. */
function hasNoSdk(): boolean {
  const provider = trace.getTracerProvider();
  return (
    provider instanceof ProxyTracerProvider &&
    provider.getDelegate() === nothingTraces &&
    propagation.fields().length === 0
  );
}

/** Runs each operation in a span. */
class Spans {
  readonly #tracer: Tracer;
  readonly #measurements: Measurements;
  readonly #sessions: boolean;
  readonly #isSilent: () => boolean;

  /** @param isSilent returns whether there is no SDK, so that nothing would be recorded or sent */
  constructor(tracer: Tracer, measurements: Measurements, sessions: boolean, isSilent: () => boolean) {
    this.#tracer = tracer;
    this.#measurements = measurements;
    this.#sessions = sessions;
    this.#isSilent = isSilent;
  }

  /** Whether notifications are traced; `false` after `end`. */
  #isOn = true;

  readonly end = (): void => void (this.#isOn = false);

  /** Runs notifications in spans, nested in the spans of an earlier instrumentation. */
  readonly attach = (hooks: Surrounding): void =>
    hooks.surround(
      (around) => (direction, method, params, connection, revision, run) =>
        around(direction, method, params, connection, revision, (given) => {
          if (!this.#isOn) return run(given);
          const context = { connection, protocol: { revision } };
          const next = (replaced = given as object): Params => {
            run(replaced as Params);
            return nothing;
          };
          this.middleware({ direction, method, params: given as object, context: context as never }, next);
        }),
    );

  readonly middleware = (request: MiddlewareRequest, next: Next): object | Promise<object> => {
    if (this.#isSilent()) return next();
    const { direction, params, context } = request;
    const active = contexts.active();
    // The request is not a separate message: the result of the round carries it, with the trace context.
    if (isPartOfResult(request)) {
      rememberRound(context, active);
      return next(paramsWith(params, active));
    }
    const isIncoming = direction === "incoming";
    const earlier = isIncoming ? earlierRound(context) : undefined;
    const parent = isIncoming ? contextOf(params, active, earlier) : active;
    const about = begun(request);
    const kind = isIncoming ? SpanKind.SERVER : SpanKind.CLIENT;
    const options = { kind, attributes: sampled(request, about), links: linksOf(active, parent, earlier) };
    const span = this.#tracer.startSpan(about.spanName, options, parent);
    const inner = trace.setSpan(parent, span);
    const isRecorded = span.isRecording();
    const inside = isRecorded && "answered" in request ? expectId(peerOf(context), span, inner) : inner;
    const given = isIncoming ? undefined : paramsWith(params, inside);
    if (!isRecorded && this.#measurements.isSilent) return contexts.with(inside, next, undefined, given);
    if (isRecorded) describe(span, request, about, this.#sessions);
    return this.#run(request, { about, span, inside }, () => next(given));
  };

  /** Runs an operation, and records or measures it. */
  #run(request: MiddlewareRequest, { about, span, inside }: Started, next: Next): object | Promise<object> {
    const { direction, context } = request;
    const isIncoming = direction === "incoming";
    const started = this.#measurements.begin(about);
    let isOpen = true;
    let unlisten: (() => void) | undefined;
    const ended = (outcome: Outcome): void => {
      if (!isOpen) return;
      isOpen = false;
      if (span.isRecording()) {
        describeSent(span, request);
        endSpan(span, outcome);
      }
      if (started !== undefined) this.#measurements.end(request, about, started, outcome);
      unlisten?.();
    };
    const over = (): boolean => isIncoming && (context as { readonly over?: boolean }).over === true;
    const done = (result: object): object => {
      ended(over() ? outcomeOfAbort(undefined) : outcomeOfResult(result));
      return result;
    };
    const failed = (error: unknown): never => {
      if (isSuspended(error)) rememberRound(context, inside);
      ended(over() ? outcomeOfAbort(undefined) : outcomeOfError(request, error));
      throw error;
    };
    const result = running(inside, next, failed);
    if (!isPromise(result)) return done(result);
    // An aborted handler may run on for a long time: end the span at the abort.
    if (isIncoming) unlisten = onAbort(context, (reason) => ended(outcomeOfAbort(reason)));
    return result.then(done, failed);
  }
}

/** A started span, and the context inside it. */
interface Started {
  readonly about: Begun;
  readonly span: Span;
  readonly inside: Context;
}

const peerOf = (context: object): object => (context as InternalContext).connection;

const nothing: Params = {};

function running(inside: Context, next: Next, failed: (error: unknown) => never): object | Promise<object> {
  try {
    return contexts.with(inside, next);
  } catch (error) {
    return failed(error);
  }
}

/** Whether a request to the client is sent in a result (2026-07-28, multi round-trip requests). */
function isPartOfResult(request: MiddlewareRequest & { readonly answered?: boolean }): boolean {
  if (request.answered === undefined) return false;
  const { protocol } = request.context as Partial<InternalContext>;
  return protocol?.revision.era === "modern";
}

/**
 * Links to the span that is active when a request arrives, such as the span of its HTTP request, and to the span of
 * the previous round.
 */
function linksOf(active: Context, parent: Context, earlier: Context | undefined): Link[] {
  if (active === parent && !earlier) return none;
  const own = trace.getSpanContext(parent);
  return [active, earlier].flatMap((each) => {
    const context = each && trace.getSpanContext(each);
    return context && context !== own ? [{ context }] : [];
  });
}

const none: Link[] = [];
