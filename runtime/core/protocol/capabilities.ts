import { type Params, isObject } from "../jsonrpc/message.js";
import type { MethodFacts, Role } from "@mcpgen/protocol/model";
import type { RevisionView } from "./revision-view.js";
import { McpError } from "../jsonrpc/errors.js";

/** Whether capabilities hold something at a path that is not turned off. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  let found: unknown = capabilities;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return found !== undefined && found !== null && found !== false;
}

/** A method that the revision does not have, or not for this side to send. */
export function noSuchMethod(method: string, spoken: RevisionView): McpError {
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
