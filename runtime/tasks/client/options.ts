import type { ConnectOptions } from "@mcpgen/runtime";
import { gone, type Rules, withFunctions } from "@mcpgen/base";
import type { TaskHandle } from "./handle.js";
import type { HandleStore } from "./handle-store.js";

type Implemented = NonNullable<ConnectOptions["extensions"]>[number];

/** How a client drives tasks. */
export interface ClientTasksOptions {
  /** Keeps tasks and answers until the tasks end. Default: they are lost with the process. */
  readonly handles?: HandleStore;
  /** What becomes of a task when the signal of its call aborts: it is cancelled, or goes on. Default: `cancel`. */
  readonly onAbort?: "cancel" | "detach";
  /** Gets the handle of each call of `callTool` that becomes a task, before its result is waited for: to show its state. */
  readonly onTask?: (handle: TaskHandle) => void;
  /** Names the server in handles. Default: its URL without query, or else the name that it gives itself. */
  readonly endpoint?: string;
  /** `receiver()` of `@mcpgen/tasks/receiver`: runs requests of the server as tasks (2025-11-25). Default: none are. */
  readonly receiver?: Required<Pick<Implemented, "also" | "attach" | "capabilities">>;
  /**
   * Whether `callTool` makes a task of a call where the tool leaves it to the client (2025-11-25, `taskSupport:
   * "optional"`). Default: `call`, a plain call.
   */
  readonly optional?: "call" | "task";
  /** Whether the server is asked to announce changes (2026-07-28): polls are then a backstop. Default: `true`. */
  readonly push?: boolean;
  /** Milliseconds from its creation for which the server should keep a task (2025-11-25). Default: the server decides. */
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
