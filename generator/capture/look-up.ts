import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { nameAdvice } from "../diagnostics/suggest.js";
import { shortList } from "../print/terminal-text.js";
import type { LiveClient, LiveList, LiveOptions } from "./runtime.js";
import { isRuntimeError } from "./server-error.js";

/** An entry to request, and its list. */
interface Wanted {
  /** The method that lists it. */
  readonly method: string;
  readonly name: string;
}

/**
 * Requests an entry that a list may have omitted.
 *
 * @returns `undefined` if the server has no such entry; `unknown` if the revision has no request for single
 * entries
 */
export async function lookUp(
  client: LiveClient,
  { method, name }: Wanted,
  options: LiveOptions,
): Promise<JsonObject | undefined | "unknown"> {
  try {
    return await client.entry(method, name, options);
  } catch (error) {
    if (isRuntimeError(error) && error.code === "method-not-found") return "unknown";
    throw error;
  }
}

/**
 * An entry that a list does not name; `undefined` if the server does not have it.
 *
 * @param wanted `assumed`: returned if the revision has no request for single entries
 */
async function unlistedEntry(
  client: LiveClient,
  { complete, references }: LiveList,
  { assumed, ...wanted }: Wanted & { readonly assumed: JsonObject },
  options: LiveOptions,
): Promise<JsonObject | undefined> {
  if (complete && references.every((reference) => reference["name"] !== wanted.name)) return undefined;
  const entry = await lookUp(client, wanted, options);
  return entry === "unknown" ? assumed : entry;
}

const kinds = {
  tool: { capability: "tools", list: "listTools", code: "MG6305" },
  prompt: { capability: "prompts", list: "listPrompts", code: "MG6311" },
} as const;

/**
 * Finds the tool or prompt that a command names in the server's lists.
 *
 * @param assumed returned if the server cannot confirm or deny that it exists
 * @throws CodedError MG6305 for a tool that the server does not have, MG6311 for a prompt
 */
export async function namedEntry(
  client: LiveClient,
  kind: keyof typeof kinds,
  assumed: JsonObject & { readonly name: string },
  options: LiveOptions,
): Promise<JsonObject> {
  const { name: wanted } = assumed;
  const { capability, list: lister, code } = kinds[kind];
  const isOffered = client.serverCapabilities[capability] !== undefined;
  const list = isOffered ? await client[lister](options) : undefined;
  const entries = list?.items ?? [];
  const method = `${capability}/list`;
  const found =
    entries.find(({ name }) => name === wanted) ??
    (list && (await unlistedEntry(client, list, { method, name: wanted, assumed }, options)));
  if (found !== undefined) return found;
  const names = entries.map(({ name }) => String(name));
  const known =
    names.length === 0 ? `It has no ${capability}.` : `Its ${capability} are ${shortList(names)}.`;
  throw new CodedError(code, `the server has no ${kind} ${JSON.stringify(wanted)}`, {
    next: nameAdvice(wanted, names, known),
  });
}
