// Stores in Redis and Valkey.
export type { CallingClient, RedisClient, SendingClient } from "./store/client.js";
export {
  redisNotificationBus,
  type RedisNotificationBus,
  type RedisNotificationBusOptions,
} from "./store/notification-bus.js";
export { redisSessionStore, type RedisSessionStoreOptions } from "./store/session-store.js";
export { redisTaskStore, type RedisTaskStoreOptions } from "./store/task-store.js";
