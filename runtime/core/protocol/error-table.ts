import { checkOptions, errorObjectOf, invalid, invalidParams, McpError, type Rules } from "@mcpgen/base";
import type { RevisionView, ErrorTable } from "./revision-view.js";
import * as rpc from "@mcpgen/base/rpc-codes";

/**
 * The errors that only some revisions define: their code there, and the code that stands for it at the others (2026-07-28, basic,
 * error codes; resources, error handling. 2025-11-25, lifecycle and tasks, error handling). All other codes, of JSON-RPC and of
 * applications, are the same at every revision.
 */
const changingCodes = {
  RESOURCE_NOT_FOUND: { code: -32002, elsewhere: rpc.invalidParams },
  // Where a method may ask for input, a round with the pages takes its place: see `asksForPages`.
  URL_ELICITATION_REQUIRED: { code: -32042, elsewhere: rpc.invalidRequest },
  HEADER_MISMATCH: { code: -32020, elsewhere: rpc.invalidRequest },
  MISSING_REQUIRED_CLIENT_CAPABILITY: { code: -32021, elsewhere: rpc.invalidRequest },
  UNSUPPORTED_PROTOCOL_VERSION: { code: -32022, elsewhere: rpc.invalidParams },
} as const;

type ChangingName = keyof typeof changingCodes;

/**
 * The name of an error that only some revisions define.
 *
 * @param view the revision at which it was sent: others may use its code for anything. Without it, the code decides
 */
export function nameOfCode(code: unknown, view?: RevisionView): ChangingName | undefined {
  return (Object.keys(changingCodes) as ChangingName[]).find(
    (name) => changingCodes[name].code === code && (!view || view.table.errors[name]?.code === code),
  );
}

/** The code at a revision of an error that only some revisions define. */
export function codeAt({ table }: RevisionView, name: ChangingName): number {
  return table.errors[name]?.code ?? changingCodes[name].elsewhere;
}

/** The name of an error, if only some revisions define it. One of another server has the name that its revision gives it. */
export function changingName({ remote, protocolName, rpcCode }: McpError): ChangingName | undefined {
  if (protocolName === undefined) return remote ? undefined : nameOfCode(rpcCode);
  return Object.hasOwn(changingCodes, protocolName) ? (protocolName as ChangingName) : undefined;
}

/** An error as it is sent at a revision: with another code, if the revision does not have its own. */
export function errorAt(view: RevisionView, error: McpError): McpError {
  const { data, cause, remote } = error;
  const given = errorObjectOf(error);
  const name = changingName(error);
  let { code } = given;
  if (name) code = codeAt(view, name);
  // Of a server of an earlier revision, which may use it for anything.
  else if (remote && view.era === "modern" && isReserved(code)) code = rpc.internalError;
  if (code === given.code) return error;
  const details = { rpcCode: code, data, cause, remote: remote && { ...remote, code } };
  return new McpError(error.code, error.message, details);
}

/** Whether only the specification may give a code a meaning (2026-07-28, basic, error codes). */
function isReserved(code: number): boolean {
  return code >= -32099 && code <= -32020;
}

/** Names of errors whose code, text and data a server can choose for legacy clients. */
export type RefusalName =
  /** `subject`: the name of the tool; `available`: the names of the tools. */
  | "TOOL_NOT_FOUND"
  /** `subject`: the name of the prompt; `available`: the names of the prompts. */
  | "PROMPT_NOT_FOUND"
  /** `subject`: the URI. */
  | "RESOURCE_NOT_FOUND"
  /** `subject`: the name of the tool. Applies only if wrong arguments are answered with an error. */
  | "INVALID_TOOL_ARGUMENTS"
  /** `subject`: the method. */
  | "METHOD_NOT_FOUND"
  /** `subject`: the capabilities, with commas. */
  | "MISSING_REQUIRED_CLIENT_CAPABILITY"
  /** `subject`: the method. `timeLimit` ended a handler, or a handler (except of a tool) threw `timeout`. */
  | "TIMEOUT"
  /** `subject`: the method. A handler (except of a tool) threw `connection-closed`. */
  | "CONNECTION_CLOSED";

/** Replaces parts of an error. Absent members stay unchanged. */
export interface RefusalOverride {
  /** The JSON-RPC code. */
  readonly code?: number;
  readonly message?: string | ((subject: string) => string);
  readonly data?: (subject: string, available: readonly string[]) => unknown;
}

/** Overrides by name. */
export type RefusalOverrides = { readonly [Name in RefusalName]?: RefusalOverride };

/**
 * Makes the option `errors.table` of a server. It is a function, so that the bundle of a server without the option has no code for
 * it.
 *
 * @throws {McpError} `invalid-definition`, when the server is made: an override is wrong, a code has another meaning for a
 *   client that may get it, or no revision of the server allows other codes
 */
export function errorTable(overrides: RefusalOverrides): ErrorTable {
  const override = (
    name: string,
    error: McpError,
    subject: string,
    available: () => readonly string[],
  ): McpError => {
    const known = overrides[name as RefusalName];
    if (!known) return error;
    const { code = error.rpcCode, message = error.message, data } = known;
    return new McpError(error.code, typeof message === "string" ? message : message(subject), {
      rpcCode: code,
      data: data ? data(subject, available()) : error.data,
      cause: error.cause,
    });
  };
  return {
    override,
    thrown: (error, method) =>
      error.rpcCode === undefined
        ? override(error.code.toUpperCase().replaceAll("-", "_"), error, method, () => [])
        : error,
    apply(views) {
      if (views.length === 0) throw invalid("errors: no revision of this server allows other error codes.");
      checkOverrides(overrides, views);
      for (const view of views) view.refusals = this;
    },
  };
}

/**
 * The error table that servers used at 2025-06-18 and before, by experiment: −32001 to −32007. Pass it, or parts of it,
 * to `errorTable`. The specification forbids these codes at 2026-07-28, so only legacy clients get them.
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

const refusalRules: Rules<RefusalOverrides> = {
  TOOL_NOT_FOUND: "object",
  PROMPT_NOT_FOUND: "object",
  RESOURCE_NOT_FOUND: "object",
  INVALID_TOOL_ARGUMENTS: "object",
  METHOD_NOT_FOUND: "object",
  MISSING_REQUIRED_CLIENT_CAPABILITY: "object",
  TIMEOUT: "object",
  CONNECTION_CLOSED: "object",
};

const overrideRules: Rules<RefusalOverride> = { code: "anything", message: "anything", data: "function" };

function checkOverrides(errors: RefusalOverrides, revisions: readonly RevisionView<"server">[]): void {
  checkOptions(errors, refusalRules, "errors.table.");
  for (const [name, override] of Object.entries(errors) as [string, RefusalOverride | undefined][]) {
    if (!override) continue;
    const place = `errors.table.${name}.`;
    checkOptions(override, overrideRules, place);
    const { code, message = "" } = override;
    if (typeof message !== "string" && typeof message !== "function")
      throw invalid(`${place}message: expected a string or a function, got ${typeof message}.`);
    if (code === undefined) continue;
    if (!Number.isSafeInteger(code))
      throw invalid(`${place}code: expected a whole number, got ${String(code)}.`);
    const other = otherMeaning(name, code, revisions);
    if (other !== undefined) throw invalid(`${place}code: ${code} ${other}. Choose another code.`);
  }
}

/** The meaning that a code already has, if it conflicts with this name; otherwise `undefined`. */
function otherMeaning(
  name: string,
  code: number,
  revisions: readonly RevisionView<"server">[],
): string | undefined {
  for (const { id, table } of revisions) {
    const named = Object.entries(table.errors).filter(([, error]) => error.code === code);
    const isGeneral = Object.values<number>(rpc).includes(code);
    if (named.length > 0 && !isGeneral && !named.some(([known]) => known === name))
      return `is ${named[0]![0]} at ${id}`;
  }
  return isReserved(code) ? "is reserved for the specification" : undefined;
}

/**
 * An error with the code that the table of the revision has for its name, in the form that the server chooses.
 *
 * @param error the error; it is modified
 * @param subject the subject of the error, such as the name of a tool
 * @param available the names that exist
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
