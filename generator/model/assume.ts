import {
  type JsonObject,
  type JsonValue,
  type SchemaNode,
  descendants,
  isJsonObject,
  pointer,
  readSchema,
  tagOf,
} from "@mcpgen/engine";
import type { Assumption } from "./model.js";
import { isExtendable, isOpen, repeats, saysOfOthers } from "../notes/apply.js";
import type { ExtendsNote, OpenNote } from "../notes/note.js";

/** Notes derived from a schema without notes, and the assumptions behind them. */
interface Derived {
  readonly notes: readonly (ExtendsNote | OpenNote)[];
  readonly assumptions: readonly Assumption[];
}

/**
 * Derives notes from a schema alone: definitions that lost the index signature of the base they repeat, and
 * unions and string sets that later revisions may extend (those whose values a reader can distinguish).
 *
 * @throws SchemaError if the document cannot be read
 */
export function assumeNotes(document: JsonObject): Derived {
  const definitions = isJsonObject(document["$defs"]) ? document["$defs"] : {};
  const extensions = assumeExtensions(definitions);
  const open = assumeOpen(document);
  return {
    notes: [...extensions, ...(open.targets.length > 0 ? [open] : [])],
    assumptions: [
      ...extensions.map(({ targets, base }) => ({
        kind: "extends",
        subject: base,
        text: `${targets.length} definitions repeat ${base} and are named after it; they were given its index signature`,
        value: targets as string[],
      })),
      ...(open.targets.length > 0
        ? [
            {
              kind: "open",
              subject: "unions and string sets",
              text: `${open.targets.length} discriminated unions and string sets are read as open to members of later revisions`,
              value: open.targets as string[],
            },
          ]
        : []),
    ],
  };
}

const unstated = {
  reason: "Derived: the schema has no notes.",
  link: "",
  carried: false,
  pointer: "",
} as const;

/**
 * The published schemas omit the index signature of definitions that extend an open base. The base is
 * recognised by its name: the derived definition's name ends with it (`CallToolResult`, `RequestMetaObject`),
 * and it has all members of the base.
 */
function assumeExtensions(definitions: JsonObject): ExtendsNote[] {
  const bases = new Map<string, string[]>();
  for (const [name, node] of Object.entries(definitions)) {
    if (isJsonObject(node) && isOpen(node) && isExtendable(node)) bases.set(name, []);
  }
  for (const [name, node] of Object.entries(definitions)) {
    if (!isPlainObject(node)) continue;
    // Look up each end of the name among the bases, because trying each base would be quadratic.
    for (let start = 1; start < name.length; start++) {
      const base = name.slice(start);
      if (bases.has(base) && repeats(node, definitions[base] as JsonObject))
        bases.get(base)!.push(pointer("/$defs", name));
    }
  }
  return [...bases].flatMap(([base, targets]) =>
    targets.length > 0 ? [{ kind: "extends" as const, base, targets, ...unstated }] : [],
  );
}

function isPlainObject(node: JsonValue): node is JsonObject {
  return isJsonObject(node) && node["type"] === "object" && !saysOfOthers(node);
}

/** Every enum of two or more strings, and every union of objects with a distinguishing member. */
function assumeOpen(document: JsonObject): OpenNote {
  const schema = readSchema(document);
  const targets = new Set<string>();
  for (const { node } of schema.definitions.values()) {
    for (const descendant of descendants(node)) {
      const arms = descendant.anyOf ?? descendant.oneOf;
      if (isStringSet(descendant) || (arms && tagOf(schema, arms))) targets.add(descendant.pointer);
    }
  }
  return { kind: "open", targets: [...targets], ...unstated };
}

function isStringSet({ enum: members }: SchemaNode): boolean {
  return members !== undefined && members.length > 1 && members.every((member) => typeof member === "string");
}
