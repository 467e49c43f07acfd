import { pointerTokens } from "../ir/json.js";
import { keywords } from "../ir/keywords.js";
import type { Place } from "./registry.js";

/**
 * Makes a readable name for a schema: the name of its definition, the file name of its document, or its path.
 */
export function definitionName({ resource, at }: Place): string {
  const tokens = pointerTokens(at);
  if (tokens.length >= 2 && ["$defs", "definitions"].includes(tokens.at(-2)!)) return tokens.at(-1)!;
  const document = resource.uri.replace(/[?#].*$/, "").replace(/\/+$/, "");
  const file = document.slice(document.lastIndexOf("/") + 1).replace(/\.(schema\.)?json$/, "");
  if (at === resource.at && file !== "") return file;
  return tokens.filter((token) => !keywords.has(token)).join("/") || at || "#";
}
