import { type JsonObject, canonicalise, isJsonObject, jsonObject } from "@mcpgen/engine";
import { baseReferences } from "./base-references.js";
import { areClosedByProgram, findClosedObjects } from "./closed-objects.js";
import { type BaseSchema, type Folded, foldCopies } from "./fold.js";
import { type Hoisted, hoistDefinitions } from "./local-definitions.js";
import { type StyleCounts, inPlainStyle } from "./plain-style.js";
import { basePrefix, passedPlaces, referencedDefinition, subschemas } from "./references.js";

/** The schema of an extension in canonical form, and what was changed on the way there. */
export interface CanonicalExtension extends Omit<Folded, "document"> {
  /** The content of schema.json. */
  readonly document: JsonObject;
  /** References to the published schema of a revision, which became references to the base. */
  readonly baseReferences: number;
  readonly hoisted: readonly Hoisted[];
  readonly style: StyleCounts;
  /** Definitions that extend others: `allOf` of references, and of an object perhaps. */
  readonly extending: readonly { readonly definition: string; readonly bases: readonly string[] }[];
  /** Places of objects that a program closed. Empty if an author seems to have closed some. */
  readonly reopened: readonly string[];
  /** Places of objects that are closed, and stay so. */
  readonly closed: readonly string[];
}

/**
 * The canonical form of an extension's schema: JSON Schema 2020-12 in canonical form that has the extension's own
 * definitions alone, and refers to those of the base as `base#/$defs/X`. It is its own canonical form.
 *
 * @param source canonical; it is left as it is
 * @param bases newest first
 * @param revisions ids of all revisions that are known
 */
export function canonicalExtension(
  source: JsonObject,
  bases: readonly BaseSchema[],
  revisions: readonly string[],
): CanonicalExtension {
  const renamed = baseReferences(source, revisions);
  const { document: whole, hoisted } = hoistDefinitions(renamed.document);
  const isByProgram = areClosedByProgram(findClosedObjects(whole["$defs"] as JsonObject));
  const { document: folded, ...changes } = foldCopies(whole, bases);
  const used = withoutUnused(folded["$defs"] as JsonObject, new Set(hoisted.map(({ name }) => name)));
  const passed = passedPlaces(used);
  const { definitions, counts } = inPlainStyle(used, (at) => passed.has(at));
  const { $schema, description } = folded;
  const document = canonicalise(
    jsonObject([
      ...($schema === undefined ? [] : [["$schema", $schema] as const]),
      ...(typeof description === "string" ? [["description", description] as const] : []),
      ["$defs", definitions],
    ]),
  );
  const { closed } = findClosedObjects(document["$defs"] as JsonObject);
  return {
    ...changes,
    document,
    baseReferences: renamed.count,
    hoisted: hoisted.filter(({ name }) => name in used),
    style: counts,
    extending: extendingDefinitions(document["$defs"] as JsonObject),
    reopened: isByProgram ? closed : [],
    closed: isByProgram ? [] : closed,
  };
}

/** The definitions, without those of `removable` that no other refers to. */
function withoutUnused(definitions: JsonObject, removable: ReadonlySet<string>): JsonObject {
  const used = new Set<string>();
  const pending = Object.keys(definitions).filter((name) => !removable.has(name));
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (used.has(name) || !Object.hasOwn(definitions, name)) continue;
    used.add(name);
    for (const { node } of subschemas(definitions[name]!)) {
      const target = typeof node["$ref"] === "string" ? referencedDefinition(node["$ref"]) : undefined;
      if (target !== undefined) pending.push(target);
    }
  }
  return jsonObject(Object.entries(definitions).filter(([name]) => used.has(name)));
}

function extendingDefinitions(definitions: JsonObject): CanonicalExtension["extending"] {
  return Object.entries(definitions).flatMap(([definition, node]) => {
    const arms = isJsonObject(node) ? node["allOf"] : undefined;
    if (!Array.isArray(arms)) return [];
    const bases = arms.flatMap((arm) =>
      isJsonObject(arm) && typeof arm["$ref"] === "string" ? [arm["$ref"]] : [],
    );
    return bases.length > 0 ? [{ definition, bases: bases.map(shownReference) }] : [];
  });
}

/** `base#/$defs/X` is the base's X. */
function shownReference(reference: string): string {
  const isOfBase = reference.startsWith(`${basePrefix}#`);
  const name = referencedDefinition(isOfBase ? reference.slice(basePrefix.length) : reference);
  return name === undefined || isOfBase ? reference : name;
}
