// Processes that serve the same sessions, and their health: the interface of what they share, and a store in memory.
export { EventBatches, type BatchedEvent, type EventBatch } from "./sharing/engine-calls.js";
export { EngineCalls } from "./sharing/engine-calls.js";
export { Subscriptions, type ChannelEngine } from "./sharing/subscriptions.js";
export { MemoryClusterStore } from "./sharing/memory-store.js";
export {
  logLimits,
  type ClusterLog,
  type ClusterOptions,
  type ClusterStore,
  type FollowedEvent,
} from "./sharing/store.js";
export { health, type Health, type HealthOptions } from "./health/health.js";
export { cluster } from "./sharing/cluster.js";
