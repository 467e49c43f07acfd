import { type JsonObject, type JsonValue, pointer } from "@mcpgen/engine";
import type { LintSubject, SchemaPlace, Spot } from "./rule.js";

type Find = (subject: LintSubject) => Spot[];

/** Any of `names` as a keyword, wherever `where` says. */
export function keyword(names: readonly string[], where: (place: SchemaPlace) => boolean = () => true): Find {
  return ({ places }) =>
    places
      .filter(where)
      .flatMap(({ schema, pointer: at }) =>
        names
          .filter((name) => Object.hasOwn(schema, name))
          .map((name) => ({ pointer: pointer(at, name), message: `\`${name}\`` })),
      );
}

/** Schemas that `is` is true of. */
export function schema(message: string, is: (schema: JsonObject, place: SchemaPlace) => boolean): Find {
  return ({ places }) =>
    places.filter((place) => is(place.schema, place)).map((place) => ({ pointer: place.pointer, message }));
}

/** A keyword whose value `is` is true of. */
export function value(
  name: string,
  message: string,
  is: (value: JsonValue, schema: JsonObject) => boolean,
): Find {
  return ({ places }) =>
    places
      .filter(({ schema: each }) => Object.hasOwn(each, name) && is(each[name]!, each))
      .map(({ pointer: at }) => ({ pointer: pointer(at, name), message }));
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
