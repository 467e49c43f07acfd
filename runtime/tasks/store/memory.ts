import type { TaskRecord } from "../state/record.js";
import type { TaskStore } from "./store.js";

/** A store in the memory of this process: its tasks end with the process. */
export function memoryTaskStore(): TaskStore & { readonly size: number } {
  const tasks = new Map<string, TaskRecord>();
  /** No task is due before. */
  let earliest = Infinity;
  const put = (task: TaskRecord): void => {
    tasks.set(task.id, task);
    earliest = Math.min(earliest, task.dueAt);
  };
  return {
    get size() {
      return tasks.size;
    },
    create: async (task) => {
      if (tasks.has(task.id)) throw new Error(`there is a task ${task.id} already`);
      put(task);
    },
    read: async (id) => tasks.get(id),
    replace: async (task, version) => {
      if (tasks.get(task.id)?.version !== version) return false;
      put(task);
      return true;
    },
    due: async (now, limit) => {
      if (now < earliest) return [];
      const due: TaskRecord[] = [];
      earliest = Infinity;
      for (const task of tasks.values()) {
        earliest = Math.min(earliest, task.dueAt);
        if (task.dueAt <= now) due.push(task);
      }
      return due.sort((one, other) => one.dueAt - other.dueAt).slice(0, limit);
    },
    list: async (owner, after, limit) => {
      const own = [...tasks.values()].filter((task) => task.owner === owner);
      // Those before it may be gone: the order of ids does not depend on them.
      const sorted = own.sort((one, other) => (one.id < other.id ? -1 : 1));
      return sorted.filter(({ id }) => after === undefined || id > after).slice(0, limit);
    },
    remove: async (id, version) => {
      if (tasks.get(id)?.version === version) tasks.delete(id);
    },
  };
}
