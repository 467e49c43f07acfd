import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { type Journal, type TaskRecord, internal } from "../state/record.js";
import type { Engine } from "./engine.js";
import { isReadable, wrongParams } from "./lookup.js";
import { mayKeep, principalOf, readAnswer } from "./request.js";

// Answers of clients to what a task asks.

/**
 * Takes answers; once nothing is outstanding, the task runs on.
 *
 * @param known the record, if it has been read
 */
export async function answered(
  engine: Engine,
  { id, known }: { readonly id: string; readonly known?: TaskRecord },
  answers: Journal["answers"],
  { auth }: HandlerContext,
): Promise<void> {
  const after = await engine.apply(id, { type: "answered", answers }, known);
  if (after?.status !== "working" || after.lease) return;
  import("./runs.js")
    .then(({ start }) => start(engine, after, auth))
    .catch((error: unknown) => engine.fault(error));
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

// Answers of clients to what a task asks, and subscriptions to tasks. Loaded when there are some.

/**
 * Takes answers to what is outstanding, and runs the task on once nothing is.
 *
 * @throws {McpError} `invalid-params`: one is no answer to what was asked
 */
export async function update(
  engine: Engine,
  record: TaskRecord,
  answers: Journal["answers"],
  context: HandlerContext,
): Promise<void> {
  const read: { [key: string]: Journal["answers"][string] } = { ...answers };
  for (const [key, asked] of Object.entries(record.wanted ?? {})) {
    if (!Object.hasOwn(answers, key)) continue;
    const answer = await readAnswer(context, asked, answers[key]);
    if (!answer)
      throw wrongParams(`inputResponses: ${JSON.stringify(key)} is not a result of ${asked.method}`);
    read[key] = answer as Journal["answers"][string];
  }
  await answered(engine, { id: record.id, known: record }, read, context);
}

/** The filter of a subscription, without the ids of other clients and of tasks that the token may not read. */
export async function ownFilter(engine: Engine, params: object, context: HandlerContext): Promise<object> {
  const { notifications } = params as { readonly notifications: { readonly taskIds: readonly string[] } };
  // It will be refused: its ids are not looked up.
  if (!mayKeep(context)) return params;
  const owner = principalOf(context);
  const taskIds: string[] = [];
  const ids = await engine.ids;
  for (const id of new Set(notifications.taskIds)) {
    const record = (await ids.isOf(id, owner)) ? await engine.store.read(id) : undefined;
    if (record?.owner === owner && (await isReadable(record, context, false))) taskIds.push(id);
  }
  return { ...params, notifications: { ...notifications, taskIds } };
}
