import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import type { Judge } from "@mcpgen/protocol/model";
import { type Choices, buildInstance, firstChoices, heightsOf } from "../../generator/sample/build.js";
import type { Path } from "../../generator/sample/edit.js";
import { schemaOf } from "../support/revisions.js";
import { definitionOf } from "../support/definition-names.js";

/** A member of a value that is null. */
export interface NullPlace {
  /** JSON Pointer. */
  readonly pointer: string;
  /** Whether the definition wants the member. */
  readonly isRequired: boolean;
  readonly withNull: JsonObject;
  /** The value without the member. */
  readonly without: JsonObject;
}

/** Levels of a sample that have all their optional members. */
const fullLevels = 4;
/** Arms of each union that samples take in turn. */
const mostArms = 6;

/**
 * Valid values of a validator's definition with all the members that it names, an item in each list, and another arm of the unions in
 * each.
 *
 * @param as changes the text of a value
 */
export function fullSamples(
  revision: string,
  accepts: Judge,
  as = (text: string): string => text,
): JsonObject[] {
  const schema = schemaOf(revision);
  const { node } = schema.definitions.get(definitionOf(revision, accepts))!;
  const heightOf = heightsOf(schema);
  const first = firstChoices(heightOf);
  const made = Array.from({ length: mostArms }, (_, turn) => {
    const choices: Choices = {
      ...first,
      arm: (arms, room) => {
        const finite = arms.filter((arm) => heightOf(arm) < Infinity);
        return room > 0 ? finite[turn % finite.length]! : first.arm(arms, room);
      },
      member: (room) => room > 0,
      count: (least, most, room) => (room > 0 ? Math.min(most, Math.max(least, 1)) : least),
    };
    const made = buildInstance({ schema, choices }, [node], fullLevels, "example");
    return JSON.parse(as(JSON.stringify(made))) as JsonValue;
  });
  const distinct = new Map(made.map((value) => [JSON.stringify(value), value]));
  return [...distinct.values()].filter((value): value is JsonObject => isJsonObject(value) && accepts(value));
}

/**
 * The members of a value, at every depth, whose null its definition refuses.
 *
 * @param below only members behind this path
 */
export function nullPlaces(value: JsonObject, accepts: Judge, below: Path = []): NullPlace[] {
  return membersOf(value, [])
    .filter((path) => path.length > below.length && below.every((key, index) => path[index] === key))
    .map((path) => {
      const without = edited(value, [path], undefined);
      return {
        pointer: path.map((key) => `/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
        isRequired: !accepts(without),
        withNull: edited(value, [path], null),
        without,
      };
    })
    .filter(({ withNull }) => !accepts(withNull));
}

/** Paths of the members of all objects in a value, the outer ones first. */
function membersOf(value: JsonValue, path: Path): Path[] {
  if (Array.isArray(value)) return value.flatMap((item, index) => membersOf(item, [...path, index]));
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, member]) => [
    [...path, key],
    ...membersOf(member!, [...path, key]),
  ]);
}

/** The value with another one at each place; `undefined` for none. */
function edited(value: JsonObject, paths: readonly Path[], by: JsonValue | undefined): JsonObject {
  const copy = structuredClone(value);
  for (const path of paths) {
    const last = path.at(-1)!;
    const owner = path
      .slice(0, -1)
      .reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], copy);
    if (by === undefined) delete (owner as Record<string | number, unknown>)[last];
    else (owner as Record<string | number, unknown>)[last] = by;
  }
  return copy;
}

/** All optional members of a value null at once; `undefined` where the value would be refused without all of them. */
export function allNull(
  value: JsonObject,
  places: readonly NullPlace[],
  accepts: Judge,
): (Omit<NullPlace, "pointer" | "isRequired"> & { readonly pointers: readonly string[] }) | undefined {
  const optional = places.filter(({ isRequired }) => !isRequired).map(({ pointer }) => pointer);
  const outer = optional.filter((pointer) => !optional.some((other) => pointer.startsWith(`${other}/`)));
  const paths = outer.map((pointer) =>
    pointer
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~")),
  );
  const without = edited(value, paths, undefined);
  if (outer.length < 2 || !accepts(without)) return undefined;
  return { withNull: edited(value, paths, null), without, pointers: outer };
}
