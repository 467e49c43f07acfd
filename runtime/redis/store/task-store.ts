import { checkOptions, jsonOr, type Rules } from "@mcpgen/base";
import type { StoreLimits, TaskRecord, TaskStore } from "@mcpgen/tasks";
import { type RedisClient, scriptOf, send } from "./client.js";
import * as scripts from "./scripts.js";

export interface RedisTaskStoreOptions {
  /**
   * Prefix of the names of all keys of the store. Keys have it in braces, so that a cluster keeps them in one
   * slot. Default: `mcpgen-tasks-v1`, where 1 is the version of the layout.
   */
  readonly prefix?: string;
}

const rules: Rules<RedisTaskStoreOptions> = {
  // The prefix goes between braces. An empty prefix, or one that begins with a brace, would not select a
  // slot.
  prefix: (value) =>
    typeof value === "string" && /^[^}]/.test(value)
      ? undefined
      : "a string that is not empty and begins with no }",
};

/**
 * Makes a store of tasks in Redis or Valkey. Keys do not expire: the sweep of a server removes tasks.
 *
 * @param client a connection; the store does not close it
 * @throws {McpError} `invalid-definition`: an option is wrong
 */
export function redisTaskStore(client: RedisClient, options: RedisTaskStoreOptions = {}): TaskStore {
  checkOptions(options, rules, "redisTaskStore: ");
  const { prefix = "mcpgen-tasks-v1" } = options;
  const keys = ["records", "versions", "due", "owners", "bytes"].map((name) => `{${prefix}}:${name}`);
  const script = (lua: string) => scriptOf(client, keys, lua);
  const put = script(scripts.put);
  const remove = script(scripts.remove);
  const due = script(scripts.due);
  const list = script(scripts.list);
  const usage = script(scripts.usage);
  const now = script(scripts.now);
  const write = async (
    task: TaskRecord,
    replaced: number | "",
    { bytes = Infinity, totalBytes = Infinity }: Partial<StoreLimits> = {},
  ): Promise<boolean | "full"> => {
    const { id, version, owner, dueAt, size = 0 } = task;
    const limits = [bytes, totalBytes].map((most) => Math.min(most, Number.MAX_SAFE_INTEGER));
    const record = JSON.stringify(task);
    const written = await put(exact(id), record, version, dueAt, size, exact(owner), replaced, ...limits);
    return Number(written) === 2 ? "full" : Number(written) === 1;
  };
  return {
    create: async (task, limits) => {
      const written = await write(task, "", limits);
      if (written === "full") return written;
      if (!written) throw new Error(`there is a task ${task.id} already`);
      return undefined;
    },
    read: async (id) => recordsOf([await send(client, "HGET", keys[0]!, exact(id))])[0],
    replace: write,
    due: async (now, limit) => recordsOf(await due(now, limit)),
    list: async (owner, after, limit) => recordsOf(await list(exact(owner), exact(after ?? ""), limit)),
    usage: async (owner) => {
      const [tasks, bytes] = (await usage(exact(owner))) as unknown[];
      return { tasks: Number(tasks), bytes: Number(bytes) };
    },
    remove: async (id, version) => Number(await remove(exact(id), version)) === 1,
    now: async () => Number(await now()),
  };
}

/** Escapes a text as in JSON. The scripts separate names by NUL, and drivers replace lone surrogates. */
function exact(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function recordsOf(replies: unknown): TaskRecord[] {
  const texts = (replies as readonly (string | null)[]).filter((text) => typeof text === "string");
  return texts.map((text) => jsonOr(text) as TaskRecord);
}
