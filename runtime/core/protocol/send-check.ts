import type { Role, SendTable, UndefinedMessage } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import { type Params, type RequestId, requestOf } from "../jsonrpc/message.js";
import { locateIssue } from "../schema/locate.js";
import { placeText } from "../schema/words.js";
import type { RevisionView } from "./revision-view.js";

/**
 * What is wrong with a message that is about to be sent, if what is sent is checked. A method without a definition is not judged.
 *
 * @param value a whole request or notification, or a result without its envelope
 * @returns `invalid-message`; its `data.pointer` is the JSON Pointer of the first wrong place
 */
export function sendError<R extends Role>(
  view: RevisionView<R>,
  kind: Parameters<SendTable["find"]>[0],
  method: string,
  value: unknown,
): McpError | undefined {
  const wrong = view.sends?.find(kind, method, value);
  if (!wrong) return undefined;
  const { message, pointer } = wrongPlace(wrong);
  const what = kind === "results" ? `the result of ${method}` : method;
  const { name } = wrong.definition;
  return new McpError("invalid-message", `${what} is not a ${name} of ${view.id}: ${message}`, {
    rpcCode: rpc.internalError,
    data: { pointer },
  });
}

/** The first wrong place of a message that its definition does not describe. */
export function wrongPlace({ definition, value, pointer }: UndefinedMessage): {
  readonly message: string;
  readonly pointer: string;
} {
  if (pointer !== undefined)
    return { pointer, message: `${placeText(pointer)}: expected base64 with padding` };
  return locateIssue(definition.is, value) ?? { pointer: "", message: "it is not as defined" };
}

/**
 * Checks a request of a client, if it checks what it sends.
 *
 * @returns `params`
 * @throws {McpError} `invalid-message`
 */
export function exactParams(
  view: RevisionView<"client">,
  id: RequestId,
  method: string,
  params: Params,
): Params {
  const wrong = view.sends && sendError(view, "requests", method, requestOf(id, method, params));
  if (wrong) throw wrong;
  return params;
}
