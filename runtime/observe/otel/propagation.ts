import { type Context, ROOT_CONTEXT, type TextMapGetter, propagation } from "@opentelemetry/api";
import type { Params } from "@mcpgen/runtime";
import { isObject, type Rounds } from "@mcpgen/runtime/extending";
import { baggageMember, withBaggage } from "./deferred-baggage.js";

// Trace context in `_meta` of requests: members with the names of the headers of W3C Trace Context and Baggage, as the
// propagator of the application reads and writes them.

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
