// Logs of requests, and rate and time limits, for servers and clients.
export {
  logRequests,
  requestLog,
  type LogDetail,
  type LogOptions,
  type LoggedRole,
  type RequestLog,
} from "./logging/logging.js";
export { rateLimit, timeLimit, type RateLimits } from "./rates/rates.js";
