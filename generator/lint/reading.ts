import {
  type JsonObject,
  type JsonValue,
  atPointer,
  dialectOf,
  isJsonObject,
  readDocument,
  referenceTo,
  type UnreadPart,
  readableSchema,
} from "@mcpgen/engine";
import { isValid } from "@mcpgen/engine/interpreter";
import type { SchemaPlace } from "./rule.js";
import { tooDeep } from "../contract/contract.js";

/** URI of the schema in the document that refers to it. */
const address = "urn:mcpgen:lint";

/** A value, and the schema place at which it should be valid. */
export interface Question {
  readonly place: SchemaPlace;
  readonly value: JsonValue;
}

/**
 * Whether each value is valid at its place. Uses the whole schema, so that references resolve. Unreadable
 * parts accept everything; other findings report them.
 *
 * @param root the schema that contains the places
 */
export function answers(root: SchemaPlace, questions: readonly Question[]): boolean[] {
  if (questions.length === 0) return [];
  const { document } = readable(root.schema);
  const inside = ({ pointer }: SchemaPlace): string => pointer.slice(root.pointer.length);
  const read = wholeSchema(document, [...new Set(questions.map(({ place }) => inside(place)))]);
  return questions.map(({ place, value }) => read?.(inside(place), value) ?? true);
}

/** Returns a validator for places of a document; undefined if it cannot be read. */
function wholeSchema(
  document: JsonObject,
  places: readonly string[],
): ((place: string, value: JsonValue) => boolean) | undefined {
  const known = places.filter((place) => isJsonObject(atPointer(document, place)));
  const { $id } = document;
  const uri = typeof $id === "string" && /^[a-z][a-z\d+.-]*:[^#]*$/i.test($id) ? $id : address;
  const asking = {
    prefixItems: known.map((place) => ({ $ref: `${uri}${referenceTo(place)}` })),
    $defs: { whole: { ...document, $id: uri } },
  };
  const { schema } = readable(asking);
  const arms = schema?.root?.prefixItems;
  if (known.length === 0 || !schema || !arms) return undefined;
  const nodes = new Map(known.map((place, index) => [place, arms[index]!]));
  return (place, value) => {
    const node = nodes.get(place);
    return node === undefined || isValid(schema, node, value);
  };
}

/** The readable part of a schema; nothing if it is nested too deeply. */
export function readable(schema: JsonObject): ReturnType<typeof readableSchema> {
  if (tooDeep(schema) !== undefined) return { document: schema, parts: [] };
  return readableSchema(schema, (document) => readDocument(document));
}

/** The unreadable parts of a schema, with JSON Pointers relative to the contract. */
export function unreadParts({ schema, pointer }: SchemaPlace): UnreadPart[] {
  return readable(schema).parts.map((part) => ({ ...part, pointer: pointer + part.error.pointer }));
}

/** Whether `$schema` declares a dialect other than 2020-12. */
export function isOtherDialect(declared: JsonValue | undefined): boolean {
  if (declared === undefined) return false;
  try {
    return dialectOf({ $schema: declared }) !== "2020-12";
  } catch {
    return true;
  }
}
