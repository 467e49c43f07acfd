import type { JsonObject } from "@mcpgen/engine";
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
export async function unlistedEntry(
  client: LiveClient,
  { complete, references }: LiveList,
  { assumed, ...wanted }: Wanted & { readonly assumed: JsonObject },
  options: LiveOptions,
): Promise<JsonObject | undefined> {
  if (complete && references.every((reference) => reference["name"] !== wanted.name)) return undefined;
  const entry = await lookUp(client, wanted, options);
  return entry === "unknown" ? assumed : entry;
}
