// Sets up OpenTelemetry as an application does: the active context, W3C Trace Context and Baggage, and exporters to a
// collector.
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { useContextManager, usePropagators } from "../../support/open-telemetry.mjs";

useContextManager();
usePropagators();

/** @param collector URL of the collector, without a path */
export function telemetryTo(collector) {
  const spans = new OTLPTraceExporter({ url: `${collector}/v1/traces` });
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new BatchSpanProcessor(spans)] });
  const exporter = new OTLPMetricExporter({ url: `${collector}/v1/metrics` });
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  return {
    options: { tracerProvider, meterProvider },
    /** Exports all that was recorded. */
    flush: () => Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()]),
  };
}
