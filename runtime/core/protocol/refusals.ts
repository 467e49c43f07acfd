import { McpError, invalidParams } from "../jsonrpc/errors.js";
import type { RevisionView } from "./revision-view.js";

/** Names of errors whose code, text and data a server can choose for legacy clients. */
export type RefusalName =
  /** `subject`: the name of the tool; `available`: the names of the tools. */
  | "TOOL_NOT_FOUND"
  /** `subject`: the name of the prompt; `available`: the names of the prompts. */
  | "PROMPT_NOT_FOUND"
  /** `subject`: the URI. */
  | "RESOURCE_NOT_FOUND"
  /** `subject`: the name of the tool. Only where wrong arguments are an error. */
  | "INVALID_TOOL_ARGUMENTS"
  /** `subject`: the method. */
  | "METHOD_NOT_FOUND"
  /** `subject`: the capabilities, with commas. */
  | "MISSING_REQUIRED_CLIENT_CAPABILITY"
  /** `subject`: the method. An error `timeout` of a handler, of a tool excepted. */
  | "TIMEOUT"
  /** `subject`: the method. An error `connection-closed` of a handler, of a tool excepted. */
  | "CONNECTION_CLOSED";

/** How an error is sent. A member that is absent stays as it is. */
export interface RefusalOverride {
  /** The JSON-RPC code. */
  readonly code?: number;
  readonly message?: string | ((subject: string) => string);
  readonly data?: (subject: string, available: readonly string[]) => unknown;
}

/** Overrides by name. */
export type RefusalOverrides = { readonly [Name in RefusalName]?: RefusalOverride };

/**
 * The error table that servers used at 2025-06-18 and before, by experiment: −32001 to −32007. Pass it, or parts of it, as
 * `errors`. At 2026-07-28 these codes must not be used, and legacy clients alone get them.
 */
export const experimentalErrors = {
  MISSING_REQUIRED_CLIENT_CAPABILITY: { code: -32001 },
  RESOURCE_NOT_FOUND: { code: -32002 },
  TOOL_NOT_FOUND: {
    code: -32003,
    data: (toolName: string, availableTools: readonly string[]) => ({ toolName, availableTools }),
  },
  PROMPT_NOT_FOUND: { code: -32004 },
  INVALID_TOOL_ARGUMENTS: { code: -32005 },
  TIMEOUT: { code: -32006 },
  CONNECTION_CLOSED: { code: -32007 },
} satisfies RefusalOverrides;

/**
 * An error with the code that the table of the revision has for its name, as the options of the server say.
 *
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
  const known: RefusalOverride | undefined = refusals?.[name as RefusalName] ?? table.errors[name];
  if (!known) return error;
  const { code = error.rpcCode, message = error.message, data } = known;
  return new McpError(error.code, typeof message === "string" ? message : message(subject), {
    rpcCode: code,
    data: data ? data(subject, available()) : error.data,
    cause: error.cause,
  });
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

/**
 * An error of a handler, as the options of the server say. Its name is its code: `TIMEOUT` for `timeout`.
 *
 * @param method of the request
 */
export function overridden(view: RevisionView<"server">, error: McpError, method: string): McpError {
  if (!view.refusals || error.rpcCode !== undefined) return error;
  return refusal(view, error.code.toUpperCase().replaceAll("-", "_"), error, method);
}
