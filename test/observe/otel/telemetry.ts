import { context, propagation } from "@opentelemetry/api";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from "@opentelemetry/sdk-metrics";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, beforeAll } from "vitest";
import { useContextManager, usePropagators } from "../../support/open-telemetry.mjs";

/** Sets up what an application does: the active context, W3C Trace Context and Baggage. */
export function useOpenTelemetry(): void {
  beforeAll(() => {
    useContextManager();
    usePropagators();
  });
  afterAll(() => {
    context.disable();
    propagation.disable();
  });
}

/** Where spans and measurements of a test go. */
export function telemetry() {
  const exporter = new InMemorySpanExporter();
  const tracerProvider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 30 });
  const meterProvider = new MeterProvider({ readers: [reader] });
  const points = async () => {
    await reader.forceFlush();
    const { scopeMetrics } = measured.getMetrics().at(-1)!;
    return scopeMetrics.flatMap(({ metrics }) =>
      metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({ name: descriptor.name, attributes, value })),
      ),
    );
  };
  return { options: { tracerProvider, meterProvider }, spans: () => exporter.getFinishedSpans(), points };
}
