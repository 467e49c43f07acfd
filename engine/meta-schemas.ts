import type { JsonValue } from "./ir/json.js";
import { draft07 } from "./meta-schemas/draft-07.js";
import { draft202012 } from "./meta-schemas/draft-2020-12.js";

/**
 * The official meta-schemas of JSON Schema 2020-12, of its vocabularies, and of draft-07, by URI. Pass them as
 * `documents` of `readDocument` for schemas that refer to them. A separate entry point, because few programs need
 * them.
 */
export const metaSchemas: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>(
  [...draft202012, draft07].map((document) => [document.$id.replace(/#$/, ""), document as JsonValue]),
);
