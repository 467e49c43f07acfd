// For several processes that serve the same sessions: the cluster, the interface of its store, a store in memory,
// and health checks.
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
