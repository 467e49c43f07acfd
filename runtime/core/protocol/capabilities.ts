import { type Params, isObject } from "../jsonrpc/message.js";
import type { MethodFacts, Role } from "@mcpgen/protocol/model";
import type { RevisionView } from "./revision-view.js";
import { McpError } from "../jsonrpc/errors.js";

/** Whether capabilities have a member at a path that is not null or false. */
export function declares(capabilities: object, path: readonly string[]): boolean {
  let found: unknown = capabilities;
  for (const key of path) found = isObject(found) ? found[key] : undefined;
  return found !== undefined && found !== null && found !== false;
}

/** The error for a method that this role cannot send in this revision. */
export function noSuchMethod(method: string, view: RevisionView): McpError {
  return new McpError("method-not-found", `revision ${view.id} has no ${method}`);
}

/**
 * Checks that the capability of a method was negotiated (lifecycle, operation).
 *
 * @param of the role whose capability is checked; methods that need one of the other role pass
 * @param declared the capabilities of that role
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
