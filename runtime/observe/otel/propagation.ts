import type { Params, RequestId } from "@mcpgen/runtime";
import { isObject } from "@mcpgen/base";
import type { Rounds } from "@mcpgen/runtime/extending";
import {
  type Baggage,
  type Context,
  ROOT_CONTEXT,
  type Span,
  type TextMapGetter,
  context as contexts,
  createContextKey,
  defaultTextMapGetter,
  propagation,
} from "@opentelemetry/api";

// Trace context in `_meta` of requests: members with the names of the headers of W3C Trace Context and Baggage, as the
// propagator of the application reads and writes them.

// Most requests with baggage reach no code that reads it, and wrong baggage is costly to parse: it is parsed when it is first read.

/** The member that is parsed later. */
const baggageMember = "baggage";

/** The key under which a context has its baggage, which the API does not export. */
const baggageKey = ((): symbol | undefined => {
  let found: symbol | undefined;
  const recording: Context = {
    getValue: () => undefined,
    setValue: (each) => {
      found = each;
      return recording;
    },
    deleteValue: () => recording,
  };
  propagation.setBaggage(recording, propagation.createBaggage());
  return found;
})();

/** Baggage as it came, and when it is first read as the propagator of the application reads it. */
class UnreadBaggage {
  readonly #text: string;
  #baggage: Baggage | undefined;
  #isRead = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param otherwise the baggage that was active before */
  read(otherwise: Context): unknown {
    if (!this.#isRead) {
      this.#isRead = true;
      const context = propagation.extract(
        ROOT_CONTEXT,
        { [baggageMember]: this.#text },
        defaultTextMapGetter,
      );
      this.#baggage = propagation.getBaggage(context);
    }
    return this.#baggage ?? propagation.getBaggage(otherwise);
  }
}

/** A context whose baggage is not parsed yet. */
class DeferredBaggage implements Context {
  readonly #context: Context;
  readonly #text: UnreadBaggage;

  constructor(context: Context, text: UnreadBaggage) {
    this.#context = context;
    this.#text = text;
  }

  getValue(each: symbol): unknown {
    return each === baggageKey ? this.#text.read(this.#context) : this.#context.getValue(each);
  }

  setValue(each: symbol, value: unknown): Context {
    const changed = this.#context.setValue(each, value);
    return each === baggageKey ? changed : new DeferredBaggage(changed, this.#text);
  }

  deleteValue(each: symbol): Context {
    const changed = this.#context.deleteValue(each);
    return each === baggageKey ? changed : new DeferredBaggage(changed, this.#text);
  }
}

function withBaggage(context: Context, text: string): Context {
  return new DeferredBaggage(context, new UnreadBaggage(text));
}

/** Characters of the longest member that is read. */
const longest = 4096;

const whole: TextMapGetter<Params> = { keys: (carrier) => Object.keys(carrier), get: textOf };

/** Leaves out what is parsed later. */
const getter: TextMapGetter<Params> = {
  ...whole,
  get: (carrier, key) => (key === baggageMember ? undefined : textOf(carrier, key)),
};

function textOf(carrier: Params, key: string): string | undefined {
  const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
  return typeof value === "string" && value.length <= longest ? value : undefined;
}

/** The context that a request brings; that of the round before, or the active one, if it brings none. */
export function contextOf(params: object | undefined, active: Context, earlier = active): Context {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? broughtBy(meta, active, earlier) : earlier;
}

const parentMember = "traceparent";
const stateMember = "tracestate";
/** Those of W3C, whose propagators read their own members alone. */
const separate: ReadonlySet<string> = new Set([parentMember, stateMember, baggageMember]);

/**
 * The shape of `traceparent`. A later version may have more parts. As the propagator of OpenTelemetry does, it allows white space
 * around.
 */
const shapeOfParent = /^\s?(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?\s?$/;

/** A member of `baggage` that has a key. */
const keyOfBaggage = /(?:^|,)[^,;=]+=/;

/** Whether a propagator that has these fields reads the members of W3C, and no others. */
function isW3c(fields: readonly string[]): boolean {
  if (fields.length === 0 || !fields.every((field) => separate.has(field))) return false;
  return fields.includes(parentMember) || !fields.includes(stateMember);
}

function broughtBy(meta: Params, active: Context, earlier: Context): Context {
  const fields = propagation.fields();
  // Another propagator decides itself what is malformed.
  if (!isW3c(fields)) {
    const extracted = propagation.extract(active, meta, whole);
    return extracted === active ? earlier : extracted;
  }
  const isBrought = fields.includes(parentMember) && shapeOfParent.test(textOf(meta, parentMember) ?? "");
  const extracted = isBrought ? propagation.extract(active, meta, getter) : active;
  const base = extracted === active ? earlier : extracted;
  const text = fields.includes(baggageMember) ? textOf(meta, baggageMember) : undefined;
  return text !== undefined && keyOfBaggage.test(text) ? withBaggage(base, text) : base;
}

/** The parameters with the trace context; `undefined` if there is none to send. */
export function paramsWith(params: object | undefined, from: Context): object | undefined {
  const carrier: Params = {};
  propagation.inject(from, carrier);
  if (Object.keys(carrier).length === 0) return undefined;
  return { ...params, _meta: { ...(params as { readonly _meta?: Params } | undefined)?._meta, ...carrier } };
}

/** Begins the key of `context.once` that holds the trace context: keys are read without a promise. */
const prefix = "mcpgen.trace ";

/** What the context of a request has at 2026-07-28. */
interface WithRounds {
  readonly rounds?: Rounds | undefined;
}

/** The context of the round before, for clients that send none: `requestState` carries it, encrypted. */
export function earlierRound(context: object): Context | undefined {
  for (const key of (context as WithRounds).rounds?.once.keys() ?? [])
    if (key.startsWith(prefix))
      return propagation.extract(ROOT_CONTEXT, JSON.parse(key.slice(prefix.length)) as Params, getter);
  return undefined;
}

/** Lets the next round continue the trace. */
export function rememberRound(context: object, from: Context): void {
  const once = (context as WithRounds).rounds?.once;
  const carrier: Params = {};
  propagation.inject(propagation.deleteBaggage(from), carrier);
  if (!once || Object.keys(carrier).length === 0) return;
  for (const key of once.keys()) if (key.startsWith(prefix)) once.delete(key);
  once.set(prefix + JSON.stringify(carrier), Promise.resolve(true));
}

/** The connection of a server. */
interface Numbering {
  /** Called with the id of each request to the client. */
  onRequestId: ((id: RequestId) => void) | undefined;
}

const spanKey = createContextKey("mcpgen span of a request to the client");
const numbered = new WeakSet<object>();

/**
 * Lets a request that a server sends give its id to its span: the id is chosen only when the request is sent. The active context
 * leads from there to the span, so an application without a context manager gets no ids.
 *
 * @returns the context to send the request in
 */
export function expectId(connection: object, span: Span, context: Context): Context {
  if (!numbered.has(connection)) {
    numbered.add(connection);
    const numbering = connection as Numbering;
    const earlier = numbering.onRequestId;
    numbering.onRequestId = (id) => {
      earlier?.(id);
      const current = contexts.active().getValue(spanKey) as Span | undefined;
      current?.setAttribute("jsonrpc.request.id", String(id));
    };
  }
  return context.setValue(spanKey, span);
}
