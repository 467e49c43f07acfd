import { McpError } from "./errors.js";
import { type RequestMessage, sortedText } from "./message.js";
import * as rpc from "./rpc-codes.js";

/** Identifies a round of a request: the state that ends it, and continues it, names it. */
export interface Round {
  /** Identifies the request in all its rounds. */
  readonly request: string;
  /** 1 for the first. */
  readonly round: number;
}

/** Why a call that waited is gone. */
export type LostCause = "expired" | "cancelled" | "not-here";

const causes: Readonly<Record<LostCause, string>> = {
  expired: "the answer came too late",
  cancelled: "the call was cancelled",
  "not-here": "the call waits in another process, or this one was started again",
};

/** The error for a state that is refused. */
export function refusedState(
  code: "state-rejected" | "state-lost" | "state-used",
  why: string,
  cause?: string,
): McpError {
  return new McpError(code, `requestState is refused: ${why}`, {
    rpcCode: rpc.invalidParams,
    data: { code, ...(cause !== undefined && { cause }) },
  });
}

/** Parameters that differ between the rounds of a request. */
const perRound: ReadonlySet<string> = new Set(["_meta", "inputResponses", "requestState"]);

/** The method and parameters that are equal in all rounds, whatever the order of members. */
export function identityOf({ method, params = {} }: RequestMessage): string {
  const salient = Object.entries(params).filter(([key]) => !perRound.has(key));
  return sortedText([method, Object.fromEntries(salient)]);
}

/** The error for a state with which another request was sent. */
export function ofOtherRequest(): McpError {
  return refusedState("state-rejected", "it belongs to another request");
}

/** The error for a state that was used before, or whose call has gone on. */
export function stateUsed(): McpError {
  return refusedState("state-used", "it, or a later one, was used before");
}

/** The error for a state whose call is gone. */
export function lost(cause: LostCause): McpError {
  return refusedState(
    "state-lost",
    `${causes[cause]}; nothing was repeated, and the tool may be called again`,
    cause,
  );
}
