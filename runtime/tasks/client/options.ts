import type { ConnectOptions } from "@mcpgen/runtime";
import { gone, type Rules, withFunctions } from "@mcpgen/base";
import type { TaskHandle } from "./handle.js";
import type { HandleStore } from "./handle-store.js";

type Implemented = NonNullable<ConnectOptions["extensions"]>[number];

/** Options of `tasks` for clients. */
export interface ClientTasksOptions {
  /** Stores handles and answers until the tasks end. Default: they are lost when the process ends. */
  readonly handles?: HandleStore;
  /**
   * What happens to a task when the signal of its call aborts: the client cancels it, or lets it continue. Default:
   * `cancel`.
   */
  readonly onAbort?: "cancel" | "detach";
  /**
   * Receives the handle of each `callTool` call that becomes a task, before the result is awaited, for example to show the
   * state.
   */
  readonly onTask?: (handle: TaskHandle) => void;
  /** Name of the server in handles. Default: its URL without query, or else the name in its server info. */
  readonly endpoint?: string;
  /**
   * `receiver()` of `@mcpgen/tasks/receiver`, which runs requests of the server as tasks (2025-11-25). Default: they do not
   * run as tasks.
   */
  readonly receiver?: Required<Pick<Implemented, "also" | "attach" | "capabilities">>;
  /**
   * How `callTool` calls a tool that leaves the choice to the client (2025-11-25, `taskSupport: "optional"`): as a task, or
   * plainly. Default: `call`, a plain call.
   */
  readonly optional?: "call" | "task";
  /** Whether to subscribe to changes of tasks (2026-07-28). The client then polls rarely. Default: `true`. */
  readonly push?: boolean;
  /**
   * Milliseconds, from the creation of a task, for which the server should keep it (2025-11-25). Default: the server
   * decides.
   */
  readonly ttlMs?: number;
}

export const clientRules: Rules<ClientTasksOptions, "minPollMs" | "maxPollMs"> = {
  handles: /* @__PURE__ */ withFunctions("put", "delete"),
  onAbort: ["cancel", "detach"],
  onTask: "function",
  endpoint: "string",
  receiver: /* @__PURE__ */ withFunctions("attach", "capabilities"),
  optional: ["call", "task"],
  push: "boolean",
  ttlMs: 1,
  minPollMs: /* @__PURE__ */ gone("Leave it out: polls are at least 100 ms apart."),
  maxPollMs: /* @__PURE__ */ gone("Leave it out: where the server advises no wait, it grows to 30 seconds."),
};
