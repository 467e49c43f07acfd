import type { Implementation, ServerCapabilities } from "@mcpgen/protocol/authoring";
import type { RevisionView } from "../protocol/revision-view.js";
import type { Clock } from "../time/clock.js";
import type { Timeouts } from "../jsonrpc/pending.js";
import type { Params } from "../jsonrpc/message.js";
import type { NotificationBus } from "./changes.js";
import type { RequestContext } from "./context.js";
import type { SerialisedResult } from "./result.js";
import type { StateStore, StateSeal } from "./rounds.js";
import { printError, printWarning } from "../jsonrpc/warning.js";

/** What answers one method. Results are in the authoring vocabulary. */
export type MethodHandler = (
  params: never,
  context: RequestContext,
) => Params | SerialisedResult | Promise<Params | SerialisedResult>;

/** What hears one notification. */
export type NotificationHandler = (params: never, context: NotificationContext) => void;

export interface NotificationContext {
  readonly revision: string;
}

/** A definition of a server as its connections see it: shared by all, changed by none of them. */
export interface ServerDefinition {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** The newest first. */
  readonly spoken: readonly RevisionView<"server">[];
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

/** The handler that threw. */
export interface ErrorPlace {
  /** Method of the request or notification. */
  readonly method: string;
  /** What the request names: a tool, a prompt, or the URI of a resource or template. */
  readonly name?: string;
}

/** Gets what a handler threw, whatever it is. */
export type ErrorListener = (error: unknown, place: ErrorPlace) => void;

function print(error: unknown, { method, name }: ErrorPlace): void {
  printError(name === undefined ? method : `${method} ${JSON.stringify(name)}`, error);
}

/** The listener of a server's author, or standard error without one. A listener that throws or rejects ends nothing. */
export function errorReport(listener: ErrorListener = print): ErrorListener {
  return (error, place) => harmless(() => listener(error, place));
}

/** The same for warnings. */
export function warningReport(listener: (message: string) => void = printWarning): (message: string) => void {
  return (message) => harmless(() => listener(message));
}

function harmless(call: () => unknown): void {
  try {
    void Promise.resolve(call()).catch(() => {});
  } catch {
    // A listener that fails has nowhere to say so.
  }
}

/** The place of a request's handler. */
export function placeOf(method: string, params: Params = {}): ErrorPlace {
  const ref = params["ref"] as Params | undefined;
  const name = params["name"] ?? params["uri"] ?? ref?.["name"] ?? ref?.["uri"];
  return typeof name === "string" ? { method, name } : { method };
}
