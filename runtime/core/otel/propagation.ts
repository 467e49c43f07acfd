import { type Context, type TextMapGetter, context, propagation } from "@opentelemetry/api";
import type { Params } from "../jsonrpc/message.js";

// Trace context in `_meta` of requests: members with the names of the headers of W3C Trace Context and Baggage, as the
// propagator of the application reads and writes them.

/** Characters of the longest member that is read. */
const longest = 8192;

const getter: TextMapGetter<Params> = {
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => {
    const value = Object.hasOwn(carrier, key) ? carrier[key] : undefined;
    return typeof value === "string" && value.length <= longest ? value : undefined;
  },
};

/** The context that a request brings; the active one if it brings none. */
export function contextOf(params: object): Context {
  const active = context.active();
  const { _meta } = params as { readonly _meta?: Params };
  return typeof _meta === "object" && _meta !== null ? propagation.extract(active, _meta, getter) : active;
}

/** The parameters with the trace context; `undefined` if there is none to send. */
export function paramsWith(params: object, from: Context): object | undefined {
  const carrier: Params = {};
  propagation.inject(from, carrier);
  if (Object.keys(carrier).length === 0) return undefined;
  return { ...params, _meta: { ...(params as { readonly _meta?: Params })._meta, ...carrier } };
}
