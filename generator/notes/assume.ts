import { type JsonObject, type JsonValue, isJsonObject, pointer } from "@mcpgen/engine";
import type { Assumption } from "../model/model.js";
import { isOpen, repeats } from "./apply.js";
import type { ExtendsNote, Note, OpenNote } from "./note.js";

/** Notes derived from a schema that has none, and what was assumed to derive them. */
export interface Derived {
  readonly notes: readonly Note[];
  readonly assumptions: readonly Assumption[];
}

/**
 * What can be said of a schema without notes: which definitions lost the index signature of the base they
 * repeat, and which unions and string sets later revisions may add to (all that a reader can tell apart).
 */
export function assumeNotes(document: JsonObject): Derived {
  const definitions = isJsonObject(document["$defs"]) ? document["$defs"] : {};
  const extensions = assumeExtensions(definitions);
  const open = assumeOpen(definitions);
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
 * The published schemas drop the index signature of whatever extends an open base. The name tells: the
 * derived definition's ends in the base's (`CallToolResult`, `RequestMetaObject`), and it has all members
 * the base has.
 */
function assumeExtensions(definitions: JsonObject): ExtendsNote[] {
  return Object.entries(definitions).flatMap(([base, node]) => {
    if (!isJsonObject(node) || !isOpen(node)) return [];
    const targets = Object.entries(definitions)
      .filter(
        ([name, other]) =>
          name !== base && name.endsWith(base) && isPlainObject(other) && repeats(other, node),
      )
      .map(([name]) => pointer("/$defs", name));
    return targets.length > 0 ? [{ kind: "extends" as const, base, targets, ...unstated }] : [];
  });
}

function isPlainObject(node: JsonValue): node is JsonObject {
  return isJsonObject(node) && node["type"] === "object" && node["additionalProperties"] === undefined;
}

/** Every enum of two or more strings, and every union all of whose arms are tagged objects. */
function assumeOpen(definitions: JsonObject): OpenNote {
  const targets: string[] = [];
  const visit = (node: JsonValue, at: string): void => {
    if (Array.isArray(node)) node.forEach((item, index) => visit(item, `${at}/${index}`));
    if (!isJsonObject(node)) return;
    if (isStringSet(node) || isTaggedUnion(node, definitions)) targets.push(at);
    for (const [key, value] of Object.entries(node)) {
      if (!["const", "enum", "default", "examples", "required"].includes(key)) visit(value, pointer(at, key));
    }
  };
  visit(definitions, "/$defs");
  return { kind: "open", targets, ...unstated };
}

function isStringSet(node: JsonObject): boolean {
  const members = node["enum"];
  return (
    Array.isArray(members) && members.length > 1 && members.every((member) => typeof member === "string")
  );
}

function isTaggedUnion(node: JsonObject, definitions: JsonObject): boolean {
  const arms = node["anyOf"] ?? node["oneOf"];
  if (!Array.isArray(arms) || arms.length < 2) return false;
  const tags = arms.map((arm) => tagsOf(arm, definitions, new Set()));
  return tags[0]!.some((tag) => tags.every((others) => others.includes(tag)));
}

/** The required properties of an arm whose value is a constant. */
function tagsOf(arm: JsonValue, definitions: JsonObject, seen: Set<string>): string[] {
  if (!isJsonObject(arm)) return [];
  const reference = arm["$ref"];
  if (typeof reference === "string") {
    const name = /^#\/\$defs\/([^/]+)$/.exec(reference)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    if (name === undefined || seen.has(name) || !Object.hasOwn(definitions, name)) return [];
    return tagsOf(definitions[name]!, definitions, new Set([...seen, name]));
  }
  const properties = isJsonObject(arm["properties"]) ? arm["properties"] : {};
  const required = Array.isArray(arm["required"]) ? arm["required"] : [];
  return Object.entries(properties)
    .filter(
      ([key, value]) => required.includes(key) && isJsonObject(value) && typeof value["const"] === "string",
    )
    .map(([key]) => key);
}
