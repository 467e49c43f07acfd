import { McpError } from "../jsonrpc/errors.js";
import { nearest } from "./nearest.js";

/** The name of every option that there is. */
export type Names<Options> = { readonly [name in keyof Required<Options>]: 0 };

/**
 * Refuses options that do not exist. Values are not looked at: every server's bundle holds this, and is to stay small.
 *
 * @throws {McpError} `invalid-definition`
 */
export function requireKnown(given: object, names: object): void {
  const known = Object.keys(names);
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue;
    const meant = nearest(name, known);
    const advice = meant === undefined ? `There are ${known.join(", ")}.` : `Did you mean ${meant}?`;
    throw new McpError("invalid-definition", `${name}: there is no such option. ${advice}`);
  }
}
