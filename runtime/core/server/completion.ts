import { internalError, invalidParams, McpError, type Params } from "@mcpgen/base";
import type { HandlerContext } from "./context.js";

/** Suggests values for an argument, given its first letters and the other arguments (`settled`). */
export type Completer = (
  value: string,
  settled: { readonly [name: string]: string },
  context: HandlerContext,
) => readonly string[] | Promise<readonly string[]>;

/** Completers by argument or template variable. */
export interface Completers {
  readonly [name: string]: Completer;
}

export interface CompleteParams {
  readonly ref: { readonly type: string; readonly name?: string; readonly uri?: string };
  readonly argument: { readonly name: string; readonly value: string };
  readonly context?: { readonly arguments?: { readonly [name: string]: string } };
}

/**
 * Refuses completers for unknown arguments, and completers that are not functions.
 *
 * @throws {McpError} `invalid-definition`
 */
export function requireArguments(place: string, names: readonly string[], completers: Completers): void {
  const unknownName = Object.keys(completers).find((name) => !names.includes(name));
  if (unknownName === undefined) return requireFunctions(place, completers);
  const known = names.length === 0 ? "it has none" : `it has ${names.join(", ")}`;
  throw new McpError(
    "invalid-definition",
    `${place}: complete: there is no argument ${JSON.stringify(unknownName)}; ${known}.`,
  );
}

/** @throws {McpError} `invalid-definition` */
function requireFunctions(place: string, completers: Completers): void {
  for (const [name, completer] of Object.entries<unknown>(completers)) {
    if (completer === undefined || typeof completer === "function") continue;
    const text = `${place}: complete.${name}: expected a function that gives values.`;
    throw new McpError("invalid-definition", text);
  }
}

/** Values in one result, at most (completion results). */
const valueLimit = 100;

/**
 * Handles `completion/complete`.
 *
 * @param names the known arguments or variables; one without a completer has no suggestions
 */
export async function complete(
  { argument, context: given }: CompleteParams,
  names: readonly string[],
  completers: Completers,
  context: HandlerContext,
): Promise<Params> {
  if (!names.includes(argument.name))
    throw invalidParams(`there is no argument ${JSON.stringify(argument.name)}`);
  const completer = Object.hasOwn(completers, argument.name) ? completers[argument.name] : undefined;
  const values = completer ? await completer(argument.value, given?.arguments ?? {}, context) : [];
  if (!isTexts(values))
    throw internalError(`the completer of ${JSON.stringify(argument.name)} gave no list of texts`);
  return {
    completion: {
      values: values.slice(0, valueLimit),
      total: values.length,
      hasMore: values.length > valueLimit,
    },
  };
}

function isTexts(values: unknown): values is readonly string[] {
  return Array.isArray(values) && values.every((value) => typeof value === "string");
}
