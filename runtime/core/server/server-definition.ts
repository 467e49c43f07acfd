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

/** Handles the requests of one method. Results are in the authoring vocabulary. */
export type MethodHandler = (
  params: never,
  context: RequestContext,
) => Params | SerialisedResult | Promise<Params | SerialisedResult>;

/** Handles the notifications of one method. */
export type NotificationHandler = (params: never, context: NotificationContext) => void;

export interface NotificationContext {
  readonly revision: string;
}

/** What a server serves, as all its connections see it. No connection changes it. */
export interface ServerDefinition {
  readonly info: Implementation;
  readonly instructions: string | undefined;
  /** The revisions of both eras, newest first. */
  readonly revisions: readonly RevisionView<"server">[];
  readonly modern: readonly RevisionView<"server">[];
  readonly legacy: readonly RevisionView<"server">[];
  readonly handlers: ReadonlyMap<string, MethodHandler>;
  readonly notificationHandlers: ReadonlyMap<string, NotificationHandler>;
  readonly capabilities: () => ServerCapabilities;
  readonly changes: NotificationBus;
  readonly seal: StateSeal;
  readonly states: StateStore | undefined;
  readonly clock: Clock;
  readonly timeouts: Timeouts;
  readonly wrongArguments: "error" | "result" | undefined;
  /** Reports a problem that no response carries. Never throws. */
  readonly warn: (message: string) => void;
  /** Reports a value that a handler threw. Never throws. */
  readonly report: ErrorListener;
}

/** Which handler threw. */
export interface ErrorPlace {
  /** Method of the request or notification. */
  readonly method: string;
  /** Name of the tool or prompt, or URI of the resource or template. */
  readonly name?: string;
}

/** Gets each value that a handler throws. */
export type ErrorListener = (error: unknown, place: ErrorPlace) => void;

function print(error: unknown, { method, name }: ErrorPlace): void {
  printError(name === undefined ? method : `${method} ${JSON.stringify(name)}`, error);
}

/** Wraps the `onError` option, so that a listener that throws or rejects breaks nothing. Default: standard error. */
export function errorReport(listener: ErrorListener = print): ErrorListener {
  return (error, place) => harmless(() => listener(error, place));
}

/** Wraps the `onWarning` option in the same way. */
export function warningReport(listener: (message: string) => void = printWarning): (message: string) => void {
  return (message) => harmless(() => listener(message));
}

function harmless(call: () => unknown): void {
  try {
    void Promise.resolve(call()).catch(() => {});
  } catch {
    // A failing listener has nowhere to report its failure.
  }
}

/** The place of the handler that a request calls. */
export function placeOf(method: string, params: Params = {}): ErrorPlace {
  const ref = params["ref"] as Params | undefined;
  const name = params["name"] ?? params["uri"] ?? ref?.["name"] ?? ref?.["uri"];
  return typeof name === "string" ? { method, name } : { method };
}
