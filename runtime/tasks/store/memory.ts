import type { TaskRecord } from "../state/record.js";
import type { StoreLimits, TaskStore, TaskUsage } from "./store.js";

/** A store in the memory of a process. */
export interface MemoryTaskStore extends TaskStore {
  /** Number of stored tasks. */
  readonly size: number;
  find(id: string): TaskRecord | undefined;
  usage(owner: string): TaskUsage;
}

/** The tasks of one client. */
interface Owned {
  readonly ids: Set<string>;
  bytes: number;
}

/** Makes a store in the memory of this process. Its tasks are lost when the process ends. */
export function memoryTaskStore(): MemoryTaskStore {
  const tasks = new Map<string, TaskRecord>();
  const owners = new Map<string, Owned>();
  /** Tasks that were due at the last scan of all tasks, earliest last. Some may have changed since. */
  let due: TaskRecord[] = [];
  /** No task outside `due` is due before this time. */
  let earliest = Infinity;
  let total = 0;
  const isRoom = ({ id, owner, size = 0 }: TaskRecord, { bytes, totalBytes }: StoreLimits): boolean => {
    const growth = size - (tasks.get(id)?.size ?? 0);
    const own = owners.get(owner)?.bytes ?? 0;
    const free = totalBytes - total - growth;
    return growth <= 0 || (own + growth <= bytes && free >= (own > 0 ? own + growth : 0));
  };
  const put = (task: TaskRecord): void => {
    const { id, owner, size = 0, dueAt } = task;
    const owned = owners.get(owner) ?? { ids: new Set(), bytes: 0 };
    owners.set(owner, owned);
    owned.ids.add(id);
    const growth = size - (tasks.get(id)?.size ?? 0);
    owned.bytes += growth;
    total += growth;
    tasks.set(id, task);
    earliest = Math.min(earliest, dueAt);
  };
  const look = (now: number): void => {
    earliest = Infinity;
    const all = [...tasks.values()].filter(({ dueAt }) => {
      if (dueAt > now) earliest = Math.min(earliest, dueAt);
      return dueAt <= now;
    });
    due = all.sort((one, other) => other.dueAt - one.dueAt);
  };
  const isThere = (task: TaskRecord): boolean => tasks.get(task.id) === task;
  return {
    get size() {
      return tasks.size;
    },
    create: async (task, limits) => {
      if (tasks.has(task.id)) throw new Error(`there is a task ${task.id} already`);
      if (limits && !isRoom(task, limits)) return "full";
      return put(task);
    },
    find: (id) => tasks.get(id),
    read: async (id) => tasks.get(id),
    replace: async (task, version, limits) => {
      if (tasks.get(task.id)?.version !== version) return false;
      if (limits && !isRoom(task, limits)) return "full";
      put(task);
      return true;
    },
    due: async (now, limit) => {
      if (now >= earliest) look(now);
      while (due.length > 0 && !isThere(due.at(-1)!)) due.pop();
      const found: TaskRecord[] = [];
      for (let at = due.length - 1; at >= 0 && found.length < limit; at--)
        if (due[at]!.dueAt <= now && isThere(due[at]!)) found.push(due[at]!);
      return found;
    },
    list: async (owner, after, limit) => {
      // Ids are compared instead of positions, because tasks of the previous page may be gone.
      const ids = [...(owners.get(owner)?.ids ?? [])].filter((id) => after === undefined || id > after);
      return ids
        .sort()
        .slice(0, limit)
        .map((id) => tasks.get(id)!);
    },
    usage: (owner) => {
      const { ids, bytes } = owners.get(owner) ?? { ids: new Set(), bytes: 0 };
      return { tasks: ids.size, bytes };
    },
    remove: async (id, version) => {
      const task = tasks.get(id);
      if (task?.version !== version) return false;
      tasks.delete(id);
      const owned = owners.get(task.owner)!;
      owned.ids.delete(id);
      owned.bytes -= task.size ?? 0;
      total -= task.size ?? 0;
      if (owned.ids.size === 0) owners.delete(task.owner);
      return true;
    },
  };
}
