// What servers and clients log of their requests, and how many they take in a minute.
export {
  logRequests,
  requestLog,
  type LogDetail,
  type LogOptions,
  type LoggedRole,
  type RequestLog,
} from "./logging/logging.js";
export { rateLimit, timeLimit, type RateLimits } from "./rates/rates.js";
