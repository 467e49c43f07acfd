import { type HandlerContext } from "@mcpgen/runtime";
import { mayKeep, principalOf, readAnswer } from "@mcpgen/runtime/extending";
import type { Journal, TaskRecord } from "../state/record.js";
import type { Engine } from "./engine.js";
import { isReadable, wrongParams } from "./found.js";

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
  const after = await engine.apply(record.id, { type: "answered", answers: read }, record);
  if (after?.status === "working" && !after.lease) engine.begin(after, context.auth);
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
