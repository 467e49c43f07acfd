import { McpError } from "@mcpgen/runtime";
import { internal } from "../state/record.js";
import type { Engine } from "./engine.js";
import type { Run } from "./run.js";

/** Stops all runs of a process that closes. */
export async function abandonRuns(engine: Engine): Promise<void> {
  await Promise.all([...engine.runs.values()].map(abandon));
}

/** Stops a run: its task is for another process, or fails. */
async function abandon(run: Run): Promise<void> {
  // The handler has ended: the store may not know it yet.
  if (run.outcome) return run.save().catch(() => run.end());
  run.isAbandoned = true;
  const { name, record } = run;
  const error = internal("the server that ran the task has stopped");
  const isReplayed = record?.onRestart === "replay";
  await run
    .apply(isReplayed ? { type: "released", run: name } : { type: "failed", run: name, error })
    .catch(() => undefined);
  run.stop(new McpError("connection-closed", "the server is closing"));
}
