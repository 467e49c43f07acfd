// A health endpoint for load balancers and supervisors, and the end of a process without failed requests.
export { health, type Health, type HealthOptions } from "./http/server/health.js";
