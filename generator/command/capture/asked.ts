import type { JsonObject } from "@mcpgen/engine";
import { lists } from "../../capture/capture.js";
import type { Asked } from "../../contract/contract.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { closest } from "../../diagnostics/suggest.js";
import type { Arguments } from "../arguments.js";
import { readPairs } from "../call/pairs.js";

const names: readonly string[] = lists.map(({ name }) => name);

/**
 * What `--ask LIST.PARAM=VALUE` wants of lists: the parameters of one request for each list that is named.
 *
 * @throws CodedError MG2004
 */
export function askedOf(args: Arguments): Asked {
  const asked: Record<string, JsonObject> = {};
  for (const { key, text, json, word } of readPairs(args.strings("ask") ?? [])) {
    const dot = key.indexOf(".");
    const [list, param] = [key.slice(0, Math.max(dot, 0)), key.slice(dot + 1)];
    if (!names.includes(list) || param === "") {
      const meant = closest(list, names);
      throw new CodedError("MG2004", `expected --ask LIST.PARAM=VALUE, got ${JSON.stringify(word)}`, {
        next: meant === undefined ? `LIST is one of ${names.join(", ")}.` : `Did you mean ${meant}.${param}?`,
      });
    }
    if (param === "cursor")
      throw new CodedError("MG2004", `--ask ${word}: all pages of a list are read`, {
        next: "Leave the cursor out.",
      });
    (asked[list] ??= {})[param] = json ?? text;
  }
  return Object.fromEntries(Object.entries(asked).map(([list, params]) => [list, [params]]));
}
