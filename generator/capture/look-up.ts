import type { JsonObject } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { closest } from "../diagnostics/suggest.js";
import { shortList } from "../print/terminal-text.js";
import type { LiveClient, LiveList, LiveOptions } from "./runtime.js";
import { isRuntimeError } from "./server-error.js";

/** An entry that is asked for, beside its list. */
interface Wanted {
  /** The method of the list. */
  readonly method: string;
  readonly name: string;
}

/**
 * An entry that a list may have left out.
 *
 * @returns `undefined` if the server has no such entry; `unknown` where the revision has no request for one
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
 * An entry that a list does not name; `undefined` if the server has none of this name.
 *
 * @param wanted `assumed`: what stands for it where the revision has no request for one entry
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
 * The tool or prompt that a command names, as the server lists it.
 *
 * @param assumed what stands for it where the server has no word on it
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
  const suggestion = closest(wanted, names);
  const known =
    names.length === 0 ? `It has no ${capability}.` : `Its ${capability} are ${shortList(names)}.`;
  throw new CodedError(code, `the server has no ${kind} ${JSON.stringify(wanted)}`, {
    next: suggestion === undefined ? known : `Did you mean ${suggestion}?`,
  });
}
