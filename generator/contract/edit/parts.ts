import { pointerTokens } from "@mcpgen/engine";

/** A value in a text, with the offsets of its characters. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** `flow`: between brackets; `block`: by lines, in YAML. A scalar has no entries. */
  readonly style: "flow" | "block" | "scalar";
  readonly isList: boolean;
  readonly entries: readonly Entry[];
  /** Mappings whose members this one has, too (`<<` in YAML). */
  readonly merged: readonly Part[];
}

/** A member of a mapping or an item of a list. */
export interface Entry {
  /** The text of the key; the index in a list. */
  readonly name: string;
  /** Of the key; of the item, with its dash. */
  readonly start: number;
  /** The end of the key; of a list, that of the dash or the start. */
  readonly keyEnd: number;
  /** The end of the last character of the value. */
  readonly end: number;
  readonly value: Part;
}

/** An entry, and the value that it is in. */
export interface Located {
  readonly holder: Part;
  readonly entry: Entry;
}

/** The entry at a JSON Pointer; none at the root, and where the text has none. */
export function locate(root: Part, at: string): Located | undefined {
  let here: Located | undefined;
  for (const token of pointerTokens(at)) {
    here = memberOf(here?.entry.value ?? root, token);
    if (!here) return undefined;
  }
  return here;
}

function memberOf(part: Part, name: string): Located | undefined {
  const entry = part.isList ? part.entries[Number(name)] : part.entries.find((each) => each.name === name);
  if (entry) return { holder: part, entry };
  for (const source of part.merged) {
    const found = memberOf(source, name);
    if (found) return found;
  }
  return undefined;
}
