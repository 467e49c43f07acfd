import type { Params } from "../jsonrpc/message.js";
import { printError, printWarning } from "../jsonrpc/warning.js";

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
