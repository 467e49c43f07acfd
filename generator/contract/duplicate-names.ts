import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import type { Fault } from "./fault.js";

/** The member that identifies the entries of each list. */
const keys = { tools: "name", resources: "uri", resourceTemplates: "uriTemplate", prompts: "name" } as const;

/** Finds entries of a contract's lists, and arguments of its prompts, that repeat an earlier name. */
export function* duplicateNameFaults(contract: JsonValue): Generator<Fault> {
  if (!isJsonObject(contract)) return;
  for (const [list, key] of Object.entries(keys)) yield* duplicatesIn(contract, list, key, "");
  for (const [index, prompt] of entriesOf(contract, "prompts"))
    yield* duplicatesIn(prompt, "arguments", "name", pointer("/prompts", index));
}

function* duplicatesIn(holder: JsonObject, list: string, key: string, at: string): Generator<Fault> {
  const seen = new Map<JsonValue, string>();
  for (const [index, entry] of entriesOf(holder, list)) {
    const name = entry[key];
    if (typeof name !== "string") continue;
    const place = pointer(pointer(pointer(at, list), index), key);
    const first = seen.get(name);
    if (first === undefined) seen.set(name, place);
    else
      yield {
        code: "MG6004",
        pointer: place,
        message: `the ${key} ${JSON.stringify(name)} is used twice`,
        next: "Rename or remove one of the two.",
        first,
      };
  }
}

/** Anything but a list of objects is skipped: another check reports it. */
function entriesOf(holder: JsonObject, list: string): (readonly [number, JsonObject])[] {
  const entries = holder[list];
  if (!Array.isArray(entries)) return [];
  return [...entries.entries()].flatMap(([index, entry]) =>
    isJsonObject(entry) ? [[index, entry] as const] : [],
  );
}
