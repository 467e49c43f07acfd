import { type HandlerContext, McpError } from "@mcpgen/runtime";
import { type Journal, type TaskRecord, internal } from "../state/record.js";
import type { Engine } from "./engine.js";
import { isReadable, wrongParams } from "./lookup.js";
import { mayKeep, principalOf, readAnswer } from "./request.js";

// Answers of clients to a task's requests for input, and filters of subscriptions to tasks. Loaded when first
// needed.

/**
 * Stores answers. Continues the task when no request is outstanding.
 *
 * @param known the record, if already read
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
 * Handles the error of a request to the client. If the client answered with it, the task fails.
 *
 * @returns whether the client answered with the error
 */
export async function refused(engine: Engine, id: string, error: unknown): Promise<boolean> {
  if (!(error instanceof McpError) || error.code !== "remote-error") return false;
  await engine.apply(id, { type: "failed", error: internal(error.message) }).catch(() => undefined);
  return true;
}

/**
 * Validates and stores answers to outstanding requests. Continues the task when no request is outstanding.
 *
 * @throws {McpError} `invalid-params`: an answer is not a valid result of its request
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

/**
 * Removes ids of other clients, and of tasks that the token may not read, from the filter of a subscription.
 */
export async function ownFilter(engine: Engine, params: object, context: HandlerContext): Promise<object> {
  const { notifications } = params as { readonly notifications: { readonly taskIds: readonly string[] } };
  // The subscription will be refused, so its ids need no look-up.
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
