// The OpenTelemetry set-up of an application, except exporters: the active context, W3C Trace Context and Baggage.
import { AsyncLocalStorage } from "node:async_hooks";
import { ROOT_CONTEXT, context, propagation } from "@opentelemetry/api";
import { CompositePropagator, W3CBaggagePropagator, W3CTraceContextPropagator } from "@opentelemetry/core";

/** Keeps the active context across promises. */
export function useContextManager() {
  const storage = new AsyncLocalStorage();
  const manager = {
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (active, run, self, ...given) => storage.run(active, () => run.apply(self, given)),
    bind: (_, target) => target,
    enable: () => manager,
    disable: () => manager,
  };
  context.setGlobalContextManager(manager);
}

export function usePropagators() {
  const propagators = [new W3CTraceContextPropagator(), new W3CBaggagePropagator()];
  propagation.setGlobalPropagator(new CompositePropagator({ propagators }));
}
