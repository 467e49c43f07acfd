import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { LintSubject, Mend, SchemaPlace, Spot } from "./rule.js";

type Find = (subject: LintSubject) => Spot[];

/** Returns the correction of a place or of its keyword; undefined if none is certain. */
type MendOf = (place: SchemaPlace, name: string) => Mend | undefined;

/** Finds any of the keywords `names` at places selected by `where`. */
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

/** Creates a spot, with a correction if there is one. */
export function spot(at: string, message: string, mend?: Mend): Spot {
  return { pointer: at, message, ...(mend && { mend }) };
}

/** Applies a search to schemas of results, too, because hosts compile them. */
export function inResults(find: Find): Find {
  return (subject) => [...find(subject), ...find({ ...subject, places: subject.results })];
}

/** Finds schemas for which `is` returns true. */
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

/** Finds keywords whose value satisfies `is`. */
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

/** A correction that removes a keyword. */
export function withoutKeyword({ pointer: at }: SchemaPlace, name: string): Mend {
  return { edits: [{ remove: pointer(at, name) }] };
}

/** Finds names of properties: of all objects, or only of the arguments. */
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

/** Finds the tool's name if it satisfies `is`. */
export function toolName(
  message: (name: string, subject: LintSubject) => string,
  is: (name: string, subject: LintSubject) => boolean,
): Find {
  return (subject) =>
    is(subject.tool.name, subject)
      ? [{ pointer: pointer(subject.pointer, "name"), message: message(subject.tool.name, subject) }]
      : [];
}

/** The member as an object; an empty object if it is something else. */
export function objectIn(from: JsonObject, name: string): JsonObject {
  const member = from[name];
  return typeof member === "object" && member !== null && !Array.isArray(member) ? member : {};
}
