import { existsSync } from "node:fs";
import { join } from "node:path";
import { type JsonObject, type JsonValue, escapeToken, isJsonObject, pointerTokens } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { isDate } from "../notes/revision-name.js";
import { loadJson } from "../files/json-file.js";

/** Our documentation, shared by revisions (schema/docs.json); its texts may differ between them. */
export interface Documentation {
  definition(name: string, revision: string): string | undefined;
  method(name: string, revision: string): string | undefined;
  /** Address of the page of the specification that describes a method of a revision. */
  page(method: string, revision: string): string | undefined;
  /** The text for the node at a JSON Pointer of a canonical schema. */
  at(pointer: string, revision: string): string | undefined;
}

/** Key of the text for revisions older than all that are named. Revisions without a date are the newest. */
const always = "*";

const site = "https://modelcontextprotocol.io/specification";

/** No documentation: for schemas that are not the project's own. */
export const undocumented: Documentation = {
  definition: () => undefined,
  method: () => undefined,
  page: () => undefined,
  at: () => undefined,
};

/** @throws CodedError MG1204 when docs.json is not of the form docs/notes.md describes */
export async function loadDocumentation(schemaDir: string): Promise<Documentation> {
  const file = join(schemaDir, "docs.json");
  if (!existsSync(file)) return undocumented;
  const { value } = await loadJson(file);
  if (!isJsonObject(value) || value["format"] !== 1) {
    throw new CodedError("MG1204", 'expected { "format": 1, "definitions": { … }, … }', {
      place: { file },
      next: "Restore the file from version control.",
    });
  }
  return documentation(value);
}

export function documentation(content: JsonObject): Documentation {
  const table = (name: string): JsonObject => objectOf(content[name]);
  const definitions = table("definitions");
  const properties = table("properties");
  const shared = table("shared");
  return {
    definition: (name, revision) => text(definitions, name, revision),
    method: (name, revision) => text(table("methods"), name, revision),
    page: (method, revision) => {
      const page = own(objectOf(own(table("pages"), method)), revision);
      return typeof page === "string" ? `${site}/${revision}/${page}` : undefined;
    },
    at: (pointer, revision) => {
      const place = documentedPlace(pointer);
      if (!place) return undefined;
      if (place.path === "") return text(definitions, place.definition, revision);
      const known = objectOf(own(properties, place.definition));
      return text(known, place.path, revision) ?? text(shared, place.property, revision);
    },
  };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

function own(object: JsonObject, key: string): JsonValue | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** The text under `key`: the same for every revision, or the one that holds since the latest of several. */
function text(object: JsonObject, key: string, revision: string): string | undefined {
  const value = own(object, key);
  if (typeof value === "string") return value;
  const texts = objectOf(value);
  // In code unit order the key for all that came before precedes every date.
  const since = Object.keys(texts)
    .filter((first) => first === always || !isDate(revision) || first <= revision)
    .sort()
    .at(-1);
  const chosen = since === undefined ? undefined : texts[since];
  return typeof chosen === "string" ? chosen : undefined;
}

/**
 * The definition, and the path of property names below it, that a pointer names; `undefined` for places
 * that are neither a definition nor a property. Items, arms and the like are stepped through silently.
 */
function documentedPlace(
  pointer: string,
): { definition: string; path: string; property: string } | undefined {
  const [holder, definition, ...rest] = pointerTokens(pointer);
  if (holder !== "$defs" || definition === undefined) return undefined;
  const path: string[] = [];
  let isProperty = rest.length === 0;
  for (let index = 0; index < rest.length; index++) {
    const keyword = rest[index]!;
    isProperty = keyword === "properties";
    if (isProperty) path.push(rest[++index] ?? "");
    else if (["anyOf", "oneOf", "allOf", "prefixItems", "patternProperties"].includes(keyword)) index++;
  }
  if (!isProperty) return undefined;
  return { definition, path: path.map(escapeToken).join("/"), property: path.at(-1) ?? "" };
}
