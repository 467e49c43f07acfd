import {
  type Context,
  type Link,
  type MeterProvider,
  SpanKind,
  type Tracer,
  type TracerProvider,
  context as contexts,
  metrics,
  trace,
} from "@opentelemetry/api";
import { isPromise } from "../jsonrpc/message.js";
import { type Rules, checkOptions } from "../options/option-check.js";
import type { ClientEvent, ServerEvent } from "../protocol/events.js";
import type { InternalContext, Middleware, MiddlewareRequest, Next } from "../protocol/hooks.js";
import { type Outcome, begun, endSpan, outcomeOfError, outcomeOfResult } from "./conventions.js";
import { Measurements } from "./measurements.js";
import { contextOf, paramsWith } from "./propagation.js";

export interface InstrumentationOptions {
  /** Default: the global one. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the global one. */
  readonly meterProvider?: MeterProvider;
  /** Whether spans have ids of sessions: a client that knows an id can use the session. Default: `false`. */
  readonly sessions?: boolean;
}

const rules: Rules<InstrumentationOptions> = {
  tracerProvider: "object",
  meterProvider: "object",
  sessions: "boolean",
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
  const { use, onEvent } = instrumentation(options);
  const removals = [role.use(use[0]), role.onEvent(onEvent)];
  return () => removals.forEach((remove) => remove());
}

/**
 * The same as options of `connect`, so that the first requests are traced: `connect(url, { ...instrumentation() })`.
 *
 * @throws {McpError} `invalid-definition`: an option is unknown or wrong
 */
export function instrumentation(options: InstrumentationOptions = {}): Instrumentation {
  checkOptions(options, rules);
  const { tracerProvider = trace, meterProvider = metrics, sessions = false } = options;
  const measurements = new Measurements(meterProvider.getMeter(scope));
  const spans = new Spans(tracerProvider.getTracer(scope), measurements, sessions);
  return { use: [spans.middleware], onEvent: (event) => measurements.event(event) };
}

/** Runs each request in a span. */
class Spans {
  readonly #tracer: Tracer;
  readonly #measurements: Measurements;
  readonly #sessions: boolean;

  constructor(tracer: Tracer, measurements: Measurements, sessions: boolean) {
    this.#tracer = tracer;
    this.#measurements = measurements;
    this.#sessions = sessions;
  }

  readonly middleware: Middleware = (request, next) => {
    const { direction, params } = request;
    // No message: the result of the round carries it, and the trace context with it.
    if (isPartOfResult(request)) return next(paramsWith(params, contexts.active()));
    const isIncoming = direction === "incoming";
    const parent = isIncoming ? contextOf(params) : contexts.active();
    const about = begun(request, this.#sessions);
    const kind = isIncoming ? SpanKind.SERVER : SpanKind.CLIENT;
    const { spanName, attributes } = about;
    const span = this.#tracer.startSpan(spanName, { kind, attributes, links: linksOf(parent) }, parent);
    const inside = trace.setSpan(parent, span);
    const started = performance.now();
    const ended = (outcome: Outcome): void => {
      endSpan(span, outcome);
      this.#measurements.request(direction, about, performance.now() - started, outcome);
    };
    const done = (result: object): object => {
      ended(outcomeOfResult(result));
      return result;
    };
    const failed = (error: unknown): never => {
      ended(outcomeOfError(direction, error));
      throw error;
    };
    const result = running(inside, next, isIncoming ? undefined : paramsWith(params, inside), failed);
    return isPromise(result) ? result.then(done, failed) : done(result);
  };
}

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

/** The span that is active where a request with a trace context arrives, such as that of its HTTP request. */
function linksOf(parent: Context): Link[] {
  const active = trace.getSpanContext(contexts.active());
  return active && trace.getSpanContext(parent) !== active ? [{ context: active }] : [];
}
