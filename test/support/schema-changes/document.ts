import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";

/** A schema inside a document. */
export interface Place {
  readonly path: readonly string[];
  readonly node: JsonObject;
}

export type Role = "client" | "server";

/** A method in one direction, as the unions of a document list it. */
export interface Sent {
  readonly method: string;
  readonly kind: "request" | "notification";
  readonly sender: Role;
  readonly definition: string;
}

export const strings = (value: JsonValue | undefined): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];

export const definitionsOf = (document: JsonObject): Record<string, JsonObject> =>
  document["$defs"] as Record<string, JsonObject>;

export const opposite = (role: Role): Role => (role === "client" ? "server" : "client");

export const referenced = (node: JsonValue | undefined): string | undefined =>
  isJsonObject(node) && typeof node["$ref"] === "string" ? node["$ref"].slice("#/$defs/".length) : undefined;

/** Returns all schemas in a value, outermost first. */
export function placesIn(value: JsonValue | undefined, path: readonly string[] = []): Place[] {
  if (!isJsonObject(value)) return [];
  const below = (keyword: string): Place[] => {
    const content = value[keyword];
    return isJsonObject(content) || Array.isArray(content)
      ? Object.entries(content).flatMap(([key, child]) =>
          placesIn(child as JsonValue, [...path, keyword, key]),
        )
      : [];
  };
  return [
    { path, node: value },
    ...["properties", "$defs", "anyOf", "oneOf", "allOf"].flatMap(below),
    ...["items", "additionalProperties"].flatMap((keyword) => placesIn(value[keyword], [...path, keyword])),
  ];
}

const unions = [
  ["ClientRequest", "client", "request"],
  ["ServerRequest", "server", "request"],
  ["ClientNotification", "client", "notification"],
  ["ServerNotification", "server", "notification"],
] as const;

export const unionNames: readonly string[] = unions.map(([name]) => name);

/** Returns the methods that the unions of a document list. */
export function sentIn(document: JsonObject): Sent[] {
  const definitions = definitionsOf(document);
  return unions.flatMap(([union, sender, kind]) => {
    const node = definitions[union];
    if (!node) return [];
    const arms = (node["anyOf"] as JsonValue[] | undefined) ?? [node];
    return arms.flatMap((arm) => {
      // A union of one message may be published as a copy of that message.
      const definition = referenced(arm) ?? definitionWith(definitions, methodOf(node)) ?? union;
      const method = definition === undefined ? undefined : methodOf(definitions[definition]);
      return definition === undefined || method === undefined ? [] : [{ method, kind, sender, definition }];
    });
  });
}

function definitionWith(
  definitions: Readonly<Record<string, JsonObject>>,
  method: string | undefined,
): string | undefined {
  return Object.keys(definitions).find(
    (name) => !unionNames.includes(name) && method !== undefined && methodOf(definitions[name]) === method,
  );
}

export function methodOf(definition: JsonObject | undefined): string | undefined {
  const properties = definition?.["properties"];
  const method = isJsonObject(properties) ? properties["method"] : undefined;
  const constant = isJsonObject(method) ? method["const"] : undefined;
  return typeof constant === "string" ? constant : undefined;
}

/** Returns the definitions of results of a request, by the naming of the published schemas. */
export function answersTo(document: JsonObject, { definition }: Sent): string[] {
  const definitions = definitionsOf(document);
  const base = definition.replace(/Request$/, "");
  const response = definitions[`${base}ResultResponse`]?.["properties"];
  const result = isJsonObject(response) ? response["result"] : undefined;
  if (isJsonObject(result)) {
    const arms = (result["anyOf"] as JsonValue[] | undefined) ?? [result];
    return arms.map(referenced).filter((name) => name !== undefined);
  }
  const named = [`${base}Result`, "EmptyResult", "Result"].find((name) => name in definitions);
  return named === undefined ? [] : [named];
}

/** The names of the definitions that refer to a definition, by its name. */
export type Holders = ReadonlyMap<string, ReadonlySet<string>>;

export function holdersIn(document: JsonObject): Holders {
  const holders = new Map<string, Set<string>>();
  for (const [name, node] of Object.entries(definitionsOf(document))) {
    for (const place of placesIn(node)) {
      const target = referenced(place.node);
      if (target === undefined) continue;
      const known = holders.get(target);
      if (known) known.add(name);
      else holders.set(target, new Set([name]));
    }
  }
  return holders;
}

/** Returns the names of definitions from which one of `names` is reachable, including `names`. */
export function holdersOf(holders: Holders, names: Iterable<string>): Set<string> {
  const found = new Set(names);
  for (const name of found) for (const holder of holders.get(name) ?? []) found.add(holder);
  return found;
}
