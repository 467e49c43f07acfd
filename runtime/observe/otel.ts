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
  const measurements = new Measurements(meterProvider, scope);
  const isSilent = (): boolean => tracerProvider === trace && hasNoSdk() && measurements.isSilent;
  const spans = new Spans(tracerProvider.getTracer(scope), measurements, sessions, isSilent);
  const middleware = notifications
    ? Object.assign(spans.middleware, { attach: spans.attach })
    : spans.middleware;
  return { use: [middleware], onEvent: (event) => measurements.event(event), end: spans.end };
}

/** What traces in an application without an SDK. */
const nothingTraces = new ProxyTracerProvider().getDelegate();

/** Whether the application has set up nothing that traces or propagates until now. */
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
    // No message: the result of the round carries it, and the trace context with it.
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

  /** Runs an operation that is recorded or measured. */
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
    // The handler may run on for long, or forever.
    if (isIncoming) unlisten = onAbort(context, (reason) => ended(outcomeOfAbort(reason)));
    return result.then(done, failed);
  }
}

/** A span that has begun, and the context inside it. */
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

/** Whether a request to the client is a part of a result (2026-07-28, multi round-trip requests). */
function isPartOfResult(request: MiddlewareRequest & { readonly answered?: boolean }): boolean {
  if (request.answered === undefined) return false;
  const { protocol } = request.context as Partial<InternalContext>;
  return protocol?.revision.era === "modern";
}

/** The span that is active where a request arrives, such as that of its HTTP request; the span of the round before. */
function linksOf(active: Context, parent: Context, earlier: Context | undefined): Link[] {
  if (active === parent && !earlier) return none;
  const own = trace.getSpanContext(parent);
  return [active, earlier].flatMap((each) => {
    const context = each && trace.getSpanContext(each);
    return context && context !== own ? [{ context }] : [];
  });
}

const none: Link[] = [];
