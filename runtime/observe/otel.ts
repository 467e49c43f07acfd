// Traces and metrics of servers and clients, by the conventions of OpenTelemetry for the Model Context Protocol.
export {
  instrument,
  instrumentation,
  type Instrumentation,
  type InstrumentationOptions,
  type InstrumentedRole,
} from "./otel/instrumentation.js";
