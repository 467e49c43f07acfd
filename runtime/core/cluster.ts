// What processes that serve the same sessions share: the interface of stores, and one in memory.
export { EventBatches, type BatchedEvent, type EventBatch } from "./http/server/cluster/event-batches.js";
export { EngineCalls } from "./http/server/cluster/engine-calls.js";
export { Subscriptions, type ChannelEngine } from "./http/server/cluster/subscriptions.js";
export { MemoryClusterStore } from "./http/server/cluster/memory-store.js";
export {
  logLimits,
  type ClusterLog,
  type ClusterStore,
  type FollowedEvent,
} from "./http/server/cluster/store.js";
export type { MissedEvents, StoredEvent } from "./http/server/event-streams.js";
export { cluster, type ClusterOptions } from "./http/server/cluster/cluster.js";
export type { SessionCluster } from "./http/server/session-cluster.js";
