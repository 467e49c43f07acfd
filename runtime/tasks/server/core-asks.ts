import type { HandlerContext } from "@mcpgen/runtime";
import { relatedKey } from "../state/core-names.js";
import type { Asked, TaskRecord } from "../state/record.js";
import { answered, refused } from "./answers.js";
import type { Engine } from "./engine.js";

// What tasks of the core protocol ask (2025-11-25, tasks, input required): requests to the client, on the stream of
// `tasks/result` or on a stream of no request. Each ask is sent on one stream at a time.

/** The asks that were sent, by task and key, in each engine of this process. An answer that comes is not asked for again. */
const open = new WeakMap<Engine, Map<string, AbortController>>();

function asksOf(engine: Engine): Map<string, AbortController> {
  const asks = open.get(engine) ?? new Map<string, AbortController>();
  open.set(engine, asks);
  return asks;
}

const nameOf = ({ id }: TaskRecord, key: string): string => `${id} ${key}`;

/** The keys of a task that no stream asks for. */
export function unasked(engine: Engine, record: TaskRecord): readonly string[] {
  const asks = asksOf(engine);
  return Object.keys(record.wanted ?? {}).filter((key) => !asks.has(nameOf(record, key)));
}

/** Sends a request to the client, until `signal` aborts. */
export type Send = (asked: Asked, signal: HandlerContext["signal"]) => Promise<object>;

/** Asks the client. What it answers is for the task. */
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
    // The stream has ended: another one asks.
    if (!(await refused(engine, id, error))) engine.wake(id);
  }
}

/** Takes the asks of a task back: it has ended. */
export function takeBack(engine: Engine, { id }: TaskRecord): void {
  const asks = asksOf(engine);
  for (const [name, controller] of asks) {
    if (!name.startsWith(`${id} `)) continue;
    asks.delete(name);
    controller.abort();
  }
}
