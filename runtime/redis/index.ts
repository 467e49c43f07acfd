// Stores in Redis and Valkey.
export type { CallingClient, RedisClient, SendingClient } from "./store/client.js";
export { redisClusterStore, type RedisClusterStoreOptions } from "./store/cluster-store.js";
export {
  redisNotificationBus,
  type RedisNotificationBus,
  type RedisNotificationBusOptions,
} from "./store/notification-bus.js";
export type { CallbackSubscriber, EmittingSubscriber, RedisSubscriber } from "./store/subscriber.js";
export { redisSessionStore, type RedisSessionStoreOptions } from "./store/session-store.js";
export { redisTaskStore, type RedisTaskStoreOptions } from "./store/task-store.js";
