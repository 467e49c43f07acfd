import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { LintSubject, Mend, SchemaPlace, Spot } from "./rule.js";

type Find = (subject: LintSubject) => Spot[];

/** What mends a place, or a keyword of it; nothing where that is not certain. */
type MendOf = (place: SchemaPlace, name: string) => Mend | undefined;

/** Any of `names` as a keyword, wherever `where` says. */
export function keyword(
  names: readonly string[],
  where: (place: SchemaPlace) => boolean = () => true,
  mendOf?: MendOf,
): Find {
  return ({ places }) =>
    places
      .filter(where)
      .flatMap((place) =>
        names
          .filter((name) => Object.hasOwn(place.schema, name))
          .map((name) => spot(pointer(place.pointer, name), `\`${name}\``, mendOf?.(place, name))),
      );
}

/** A spot, with what mends it if something does. */
export function spot(at: string, message: string, mend?: Mend): Spot {
  return { pointer: at, message, ...(mend && { mend }) };
}

/** Finds the same in the schemas of results, which hosts compile. */
export function inResults(find: Find): Find {
  return (subject) => [...find(subject), ...find({ ...subject, places: subject.results })];
}

/** Schemas that `is` is true of. */
export function schema(
  message: string,
  is: (schema: JsonObject, place: SchemaPlace) => boolean,
  mendOf?: (place: SchemaPlace) => Mend | undefined,
): Find {
  return ({ places }) =>
    places
      .filter((place) => is(place.schema, place))
      .map((place) => spot(place.pointer, message, mendOf?.(place)));
}

/** A keyword whose value `is` is true of. */
export function value(
  name: string,
  message: string,
  is: (value: JsonValue, schema: JsonObject) => boolean,
  mendOf?: MendOf,
): Find {
  return ({ places }) =>
    places
      .filter(({ schema: each }) => Object.hasOwn(each, name) && is(each[name]!, each))
      .map((place) => spot(pointer(place.pointer, name), message, mendOf?.(place, name)));
}

/** The removal of a keyword. */
export function withoutKeyword({ pointer: at }: SchemaPlace, name: string): Mend {
  return { edits: [{ remove: pointer(at, name) }] };
}

/** Names of properties, of all objects or of the arguments alone. */
export function propertyNames(message: string, is: (name: string) => boolean, rootOnly: boolean): Find {
  return ({ places }) =>
    places
      .filter(({ isRoot }) => isRoot || !rootOnly)
      .flatMap(({ schema: each, pointer: at }) =>
        Object.keys(objectIn(each, "properties"))
          .filter(is)
          .map((name) => ({
            pointer: pointer(at, "properties", name),
            message: `${message} ${JSON.stringify(name)}`,
          })),
      );
}

/** The tool's name, where `is` is true of it. */
export function toolName(
  message: (name: string, subject: LintSubject) => string,
  is: (name: string, subject: LintSubject) => boolean,
): Find {
  return (subject) =>
    is(subject.tool.name, subject)
      ? [{ pointer: pointer(subject.pointer, "name"), message: message(subject.tool.name, subject) }]
      : [];
}

/** A member that should be an object, or an empty one. */
export function objectIn(from: JsonObject, name: string): JsonObject {
  const member = from[name];
  return typeof member === "object" && member !== null && !Array.isArray(member) ? member : {};
}
