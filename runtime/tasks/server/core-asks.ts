import type { HandlerContext } from "@mcpgen/runtime";
import { relatedKey } from "../state/core-names.js";
import type { Asked, TaskRecord } from "../state/record.js";
import { answered, refused } from "./answers.js";
import type { Engine } from "./engine.js";

// Requests for input of core tasks (2025-11-25, tasks, input required). They go to the client on the stream of
// `tasks/result`, or on a stream that belongs to no request. Each is sent on one stream at a time.

/**
 * For each engine, the requests that were sent, by task and key. An answered request stays here, so that it is not sent
 * again.
 */
const open = new WeakMap<Engine, Map<string, AbortController>>();

function asksOf(engine: Engine): Map<string, AbortController> {
  const asks = open.get(engine) ?? new Map<string, AbortController>();
  open.set(engine, asks);
  return asks;
}

const nameOf = ({ id }: TaskRecord, key: string): string => `${id} ${key}`;

/** The keys of a task's requests that no stream has sent. */
export function unasked(engine: Engine, record: TaskRecord): readonly string[] {
  const asks = asksOf(engine);
  return Object.keys(record.wanted ?? {}).filter((key) => !asks.has(nameOf(record, key)));
}

/** Sends a request to the client, until `signal` aborts. */
export type Send = (asked: Asked, signal: HandlerContext["signal"]) => Promise<object>;

/** Sends a request for input to the client, and passes the answer to the task. */
export async function ask(
  engine: Engine,
  [record, key]: readonly [record: TaskRecord, key: string],
  context: HandlerContext,
  send: Send,
): Promise<void> {
  const { id } = record;
  const asks = asksOf(engine);
  const name = nameOf(record, key);
  const controller = new AbortController();
  asks.set(name, controller);
  const { method, params } = record.wanted![key]!;
  const _meta = { ...params?._meta, [relatedKey]: { taskId: id } };
  try {
    const answer = await send({ method, params: { ...params, _meta } }, controller.signal);
    await answered(engine, { id }, { [key]: { ...answer } }, context);
  } catch (error) {
    asks.delete(name);
    // The stream has ended: let another stream send the request.
    if (!(await refused(engine, id, error))) engine.wake(id);
  }
}

/** Aborts the requests of a task that has ended. */
export function takeBack(engine: Engine, { id }: TaskRecord): void {
  const asks = asksOf(engine);
  for (const [name, controller] of asks) {
    if (!name.startsWith(`${id} `)) continue;
    asks.delete(name);
    controller.abort();
  }
}
