// Tasks of revisions that have none: an experimental dialect.
export { experimentalTasks, type ExperimentalTasks } from "./server/dialect.js";
