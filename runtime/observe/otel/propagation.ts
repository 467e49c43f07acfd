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

// Trace context in `_meta` of requests. The members have the names of the W3C Trace Context and Baggage headers; the
// application's propagator reads and writes them.

// Baggage is parsed when it is first read: most requests reach no code that reads it, and malformed baggage is costly
// to parse.

/** The member with the baggage. */
const baggageMember = "baggage";

/** The context key of baggage. The API does not export it, so it is taken from a call of `setBaggage`. */
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

/** Received baggage, which the application's propagator parses when it is first read. */
class UnreadBaggage {
  readonly #text: string;
  #baggage: Baggage | undefined;
  #isRead = false;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param otherwise the context whose baggage is used if this text has none */
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

/** Members longer than this, in characters, are ignored. */
const longest = 4096;

const whole: TextMapGetter<Params> = { keys: (carrier) => Object.keys(carrier), get: textOf };

/** Reads all members except baggage. */
const getter: TextMapGetter<Params> = {
  ...whole,
  get: (carrier, key) => (key === baggageMember ? undefined : textOf(carrier, key)),
};

function textOf(carrier: Params, key: string): string | undefined {
  const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
  return typeof value === "string" && value.length <= longest ? value : undefined;
}

/**
 * Returns the trace context of a request. If the request has none, returns the context of the previous round, or else
 * the active one.
 */
export function contextOf(params: object | undefined, active: Context, earlier = active): Context {
  const meta = isObject(params) ? params["_meta"] : undefined;
  return isObject(meta) ? broughtBy(meta, active, earlier) : earlier;
}

const parentMember = "traceparent";
const stateMember = "tracestate";
/** The members of the W3C propagators. Each of these propagators reads only its own members. */
const separate: ReadonlySet<string> = new Set([parentMember, stateMember, baggageMember]);

/**
 * A valid `traceparent`. A later version may have more parts. Allows surrounding white space, as OpenTelemetry's
 * propagator does.
 */
const shapeOfParent = /^\s?(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:-.*)?\s?$/;

/** Matches baggage that has at least one key. */
const keyOfBaggage = /(?:^|,)[^,;=]+=/;

/** Whether a propagator with these fields reads only W3C members. */
function isW3c(fields: readonly string[]): boolean {
  if (fields.length === 0 || !fields.every((field) => separate.has(field))) return false;
  return fields.includes(parentMember) || !fields.includes(stateMember);
}

function broughtBy(meta: Params, active: Context, earlier: Context): Context {
  const fields = propagation.fields();
  // Any other propagator checks its own members.
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

/** Returns the params with the trace context added; `undefined` if there is no context to send. */
export function paramsWith(params: object | undefined, from: Context): object | undefined {
  const carrier: Params = {};
  propagation.inject(from, carrier);
  if (Object.keys(carrier).length === 0) return undefined;
  return { ...params, _meta: { ...(params as { readonly _meta?: Params } | undefined)?._meta, ...carrier } };
}

/**
 * Prefix of the key in `rounds.once` that contains the trace context. It is in the key, because the values are
 * promises.
 */
const prefix = "mcpgen.trace ";

/** The member of a request's context that 2026-07-28 adds. */
interface WithRounds {
  readonly rounds?: Rounds | undefined;
}

/**
 * Returns the trace context of the previous round, for clients that send none. `requestState` carries it, encrypted.
 */
export function earlierRound(context: object): Context | undefined {
  for (const key of (context as WithRounds).rounds?.once.keys() ?? [])
    if (key.startsWith(prefix))
      return propagation.extract(ROOT_CONTEXT, JSON.parse(key.slice(prefix.length)) as Params, getter);
  return undefined;
}

/** Stores the trace context for the next round. */
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
 * Makes a server set the id of a request on its span. The id is chosen only when the request is sent; at that time,
 * the active context has the span. An application without a context manager gets no ids.
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
