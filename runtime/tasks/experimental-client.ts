// Tasks at servers of revisions that have none: an experimental dialect.
export { experimentalTasks } from "./client/dialect.js";
