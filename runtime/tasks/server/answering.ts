import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { internal } from "../state/record.js";
import type { Engine } from "./engine.js";

// Answers of clients that get what a task asks by requests.

/** Takes an answer; once nothing is outstanding, the task runs on. */
export async function answered(
  engine: Engine,
  [id, key]: readonly [id: string, key: string],
  answer: object,
  context: HandlerContext,
): Promise<void> {
  const after = await engine.apply(id, { type: "answered", answers: { [key]: { ...answer } } });
  if (after?.status === "working" && !after.lease) engine.begin(after, context.auth);
}

/**
 * Takes the error of a request to the client. One that the client answered with ends the task.
 *
 * @returns whether it is one
 */
export async function refused(engine: Engine, id: string, error: unknown): Promise<boolean> {
  if (!(error instanceof McpError) || error.code !== "remote-error") return false;
  await engine.apply(id, { type: "failed", error: internal(error.message) }).catch(() => undefined);
  return true;
}
