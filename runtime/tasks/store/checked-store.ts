import { McpError } from "@mcpgen/runtime";
import { malformedMember, type Members } from "@mcpgen/base";
import type { TaskRecord, TaskStatus } from "../state/record.js";
import type { TaskStore } from "./store.js";

// Records of a store are validated before use, because another program may write to its storage.

const members: Members = {
  ...{ id: "text", owner: "string", version: "amount", status: "text", message: "string" },
  ...{ progress: "amount", createdAt: "time", updatedAt: "time", dueAt: "time", limits: "object" },
  ...{ tool: "string", scopes: "texts", onRestart: "text", request: "object", journal: "object" },
  ...{ wanted: "object", lease: "object", restarts: "amount", queued: "amount", result: "object" },
  ...{ size: "amount", error: "object" },
};
const required = [
  ...(["id", "owner", "version", "status", "createdAt", "updatedAt"] as const),
  ...(["dueAt", "limits", "tool", "onRestart"] as const),
];
const limits: Members = { keepMs: "amount", waitMs: "amount", pollMs: "amount", maxRunMs: "amount" };
const request: Members = {
  ...{ method: "text", params: "object", revision: "text", clientCapabilities: "object" },
  ...{ clientInfo: "object", principal: "string", hidesErrors: "boolean" },
};
const lease: Members = { run: "text", until: "time" };
const error: Members = { code: "number", message: "string" };
const journal: Members = { answers: "object", once: "objects" };
const statuses: ReadonlySet<TaskStatus> = new Set([
  "working",
  "input_required",
  "completed",
  "failed",
  "cancelled",
] as const);

/** Whether a value has all required members, and each member has the type in the table. */
function isWhole(value: object | undefined, table: Members, names: readonly string[]): boolean {
  return value === undefined || malformedMember(value, table, names) === undefined;
}

/** Whether a value is a valid task record. Checks the members that the engine reads. */
export function isTaskRecord(value: unknown): value is TaskRecord {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  if (!isWhole(value, members, required)) return false;
  const record = value as TaskRecord;
  return (
    statuses.has(record.status) &&
    ["replay", "fail"].includes(record.onRestart) &&
    isWhole(record.limits, limits, ["keepMs", "waitMs", "pollMs"]) &&
    isWhole(record.request, request, ["method", "params", "revision", "clientCapabilities", "principal"]) &&
    isWhole(record.journal, journal, ["answers", "once"]) &&
    isWhole(record.lease, lease, ["run", "until"]) &&
    isWhole(record.error, error, ["code", "message"]) &&
    Object.values(record.wanted ?? {}).every((asked) =>
      isWhole(Object(asked) as object, { method: "text", params: "object" }, ["method"]),
    ) &&
    Object.values(record.journal?.answers ?? {}).every(
      (answer) => typeof answer === "object" && answer !== null,
    )
  );
}

/** Maximum number of reads, each with a larger limit, to replace malformed records. */
const mostLooks = 6;

/**
 * Wraps a store so that its records are validated. `read` of a malformed record rejects with `store-failed`; `due` and
 * `list` leave it out.
 *
 * @param report receives an error when malformed records are left out
 */
export function checkedStore(store: TaskStore, report: (error: McpError) => void): TaskStore {
  /** Reads `limit` valid records, if there are that many. */
  const whole = async (
    limit: number,
    read: (limit: number) => Promise<readonly TaskRecord[]>,
  ): Promise<readonly TaskRecord[]> => {
    for (let asked = limit, looks = 1; ; asked *= 2, looks++) {
      const found: readonly unknown[] = await read(asked);
      const good = found.filter(isTaskRecord);
      if (good.length < found.length)
        report(malformed(`${found.length - good.length} records are malformed`));
      if (good.length >= limit || found.length < asked || looks === mostLooks) return good.slice(0, limit);
    }
  };
  const { list } = store;
  return new Proxy(store, {
    get: (_, name) => {
      if (name === "due") return (now: number, limit: number) => whole(limit, (most) => store.due(now, most));
      if (name === "list" && list)
        return (owner: string, after: string | undefined, limit: number) =>
          whole(limit, (most) => list.call(store, owner, after, most));
      if (name === "read")
        return async (id: string) => {
          const found: unknown = (await store.read(id)) ?? undefined;
          if (found === undefined || (isTaskRecord(found) && found.id === id)) return found;
          throw malformed("the record of a task is malformed");
        };
      const member = Reflect.get(store, name, store) as unknown;
      return typeof member === "function" ? (member.bind(store) as unknown) : member;
    },
  });
}

function malformed(what: string): McpError {
  const text = `task store: ${what}. Let no other program write there.`;
  return new McpError("store-failed", text, { rpcCode: -32603 });
}
