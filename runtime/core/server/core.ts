import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { Spoken } from "../protocol/spoken.js";
import type { Clock } from "../time/clock.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { Params } from "../jsonrpc/message.js";
import type { NotificationBus } from "./changes.js";
import type { RequestContext } from "./context.js";
import type { Prepared } from "./prepared.js";
import type { ErrorListener } from "./report.js";
import type { StateStore } from "./state-store.js";
import type { StateSeal } from "./state.js";

/** What answers one method. Results are in the authoring vocabulary. */
export type MethodHandler = (
  params: never,
  context: RequestContext,
) => Params | Prepared | Promise<Params | Prepared>;

/** What hears one notification. */
export type NotificationHandler = (params: never, context: NotificationContext) => void;

export interface NotificationContext {
  readonly revision: string;
}

/** A definition of a server as its connections see it: shared by all, changed by none of them. */
export interface ServerCore {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** The newest first. */
  readonly spoken: readonly Spoken<"server">[];
  readonly handlers: ReadonlyMap<string, MethodHandler>;
  readonly notificationHandlers: ReadonlyMap<string, NotificationHandler>;
  readonly capabilities: () => ServerCapabilities;
  readonly changes: NotificationBus;
  readonly seal: StateSeal;
  readonly states: StateStore | undefined;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly wrongArguments: "error" | "result" | undefined;
  /** Hears what is wrong without being anybody's answer. Never throws. */
  readonly warn: (message: string) => void;
  /** Gets what a handler threw. Never throws. */
  readonly report: ErrorListener;
}
