import type { MethodFacts, Role } from "@mcpgen/protocol/model";
import { declares } from "../protocol/declares.js";
import type { Spoken } from "../protocol/spoken.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";

/** A method that the revision does not have, or not for this side to send. */
export function noSuchMethod(method: string, spoken: Spoken): McpError {
  return new McpError("method-not-found", `revision ${spoken.id} has no ${method}`);
}

/**
 * Only what was negotiated is used (lifecycle, operation).
 *
 * @param declared the capabilities of the side `of`
 * @throws {McpError} `missing-capability`
 */
export function requireCapability(
  method: string,
  { capability }: MethodFacts,
  of: Role,
  declared: Params,
): void {
  if (capability?.of !== of) return;
  if (!declares(declared, capability.path))
    throw new McpError(
      "missing-capability",
      `${method}: the ${of} has not declared ${capability.path.join(".")}`,
    );
}
