import { type JsonObject, type JsonValue, atPointer, canonicalText, pointerTokens } from "@mcpgen/engine";

/**
 * A change of a JSON document. JSON Pointers refer to the document before all changes that are made together.
 */
export type Edit =
  /** Removes a member of an object or an item of an array. */
  | { readonly remove: string }
  /** Renames a member of an object. */
  | { readonly rename: string; readonly key: string }
  /** Replaces a value. */
  | { readonly replace: string; readonly value: JsonValue }
  /** Inserts a member after the member `after` of the same object. */
  | { readonly after: string; readonly key: string; readonly value: JsonValue };

/** The pointer of the value that an edit concerns. */
export function placeOf(edit: Edit): string {
  if ("remove" in edit) return edit.remove;
  if ("rename" in edit) return edit.rename;
  return "replace" in edit ? edit.replace : edit.after;
}

/**
 * Applies edits, which must not contradict each other, to a document. The order of members is not
 * significant.
 */
export function edited(document: JsonValue, edits: readonly Edit[]): JsonValue {
  const root = structuredClone(document);
  const holders = edits.map((edit) => [edit, holderOf(root, placeOf(edit))] as const);
  for (const [edit, { holder, key }] of holders) if ("replace" in edit) holder[key] = edit.value;
  const removed = holders.flatMap(([edit, held]) => ("remove" in edit ? [held] : []));
  const items = removed.filter(({ holder }) => Array.isArray(holder));
  // Remove items from the end, so that earlier indexes stay valid.
  for (const { holder, key } of items.sort((a, b) => Number(b.key) - Number(a.key)))
    (holder as unknown as JsonValue[]).splice(Number(key), 1);
  for (const { holder, key } of removed) if (!Array.isArray(holder)) delete holder[key];
  const renamed = holders.flatMap(([edit, { holder, key }]) => {
    if (!("rename" in edit)) return [];
    const value = holder[key]!;
    delete holder[key];
    return [[holder, edit.key, value] as const];
  });
  for (const [holder, key, value] of renamed) holder[key] = value;
  for (const [edit, { holder }] of holders) if ("after" in edit) holder[edit.key] = edit.value;
  return root;
}

interface Holder {
  readonly holder: { [key: string]: JsonValue };
  readonly key: string;
}

function holderOf(root: JsonValue, at: string): Holder {
  const holder = atPointer(root, at.slice(0, at.lastIndexOf("/"))) as Holder["holder"];
  return { holder, key: pointerTokens(at).at(-1)! };
}

/** Combines edits without duplicates. Omits edits inside a value that another edit removes or replaces. */
export function together(edits: readonly Edit[]): Edit[] {
  const distinct = new Map(edits.map((edit) => [canonicalText(edit as JsonObject), edit]));
  const gone = new Set<string>();
  for (const edit of distinct.values()) if ("remove" in edit || "replace" in edit) gone.add(placeOf(edit));
  return [...distinct.values()].filter((edit) => !isInside(placeOf(edit), gone));
}

/** Whether a place is inside one of several others. */
function isInside(place: string, outer: ReadonlySet<string>): boolean {
  for (let end = place.lastIndexOf("/"); end > 0; end = place.lastIndexOf("/", end - 1))
    if (outer.has(place.slice(0, end))) return true;
  return false;
}

/** A value in a text, with its character offsets. */
export interface Part {
  readonly start: number;
  readonly end: number;
  /** `flow`: in brackets; `block`: YAML lines. A scalar has no entries. */
  readonly style: "flow" | "block" | "scalar";
  readonly isList: boolean;
  readonly entries: readonly Entry[];
  /** Mappings whose members are merged into this one (`<<` in YAML). */
  readonly merged: readonly Part[];
}

/** A member of a mapping or an item of a sequence. */
export interface Entry {
  /** The key's text, or the item's index. */
  readonly name: string;
  /** Start offset of the key, or of the item with its dash. */
  readonly start: number;
  /** End offset of the key; for an item, the end of the dash or the start. */
  readonly keyEnd: number;
  /** End offset of the value. */
  readonly end: number;
  readonly value: Part;
}

/** An entry, and the value that contains it. */
export interface Located {
  readonly holder: Part;
  readonly entry: Entry;
}

/** The entry at a JSON Pointer; undefined for the root, and if the text has none. */
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
