import { type McpError, invalidParams } from "../jsonrpc/errors.js";
import type { RevisionView } from "./revision-view.js";

/**
 * An error with the code that the table of the revision has for its name, in the form that the server chooses.
 *
 * @param error is changed
 * @param subject what the error is about
 * @param available what there is in its place
 */
export function refusal(
  { table, refusals }: RevisionView<"server">,
  name: string,
  error: McpError,
  subject: string,
  available: () => readonly string[] = () => [],
): McpError {
  const known = table.errors[name];
  if (known) (error as { rpcCode?: number }).rpcCode = known.code;
  return refusals ? refusals.override(name, error, subject, available) : error;
}

/**
 * The error for a name that is not in a list, or that this client may not use.
 *
 * @param kind `tool` or `prompt`
 */
export function notFound(
  view: RevisionView<"server">,
  kind: string,
  name: string,
  available: () => readonly string[],
): McpError {
  const error = invalidParams(`there is no ${kind} ${JSON.stringify(name)}`);
  return refusal(view, `${kind.toUpperCase()}_NOT_FOUND`, error, name, available);
}
