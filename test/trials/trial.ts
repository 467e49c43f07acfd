import type { JsonObject, JsonValue } from "@mcpgen/engine";

/** The revision that each trial brings in, and the one before it, whose words handlers and clients use. */
export const next = "2027-01-15";
export const pin = "2026-07-28";

/** The definitions of a schema, to be changed in place. */
export type Definitions = { [name: string]: { [keyword: string]: JsonValue } };

/** A note without its reason and link. */
export type NoteText = JsonObject;

/** A message on the wire. */
export type Frame = Readonly<Record<string, JsonValue>>;

/** A change of the protocol that is not made yet. */
export interface Trial {
  readonly name: string;
  /** What changes: the members and types of messages, or the methods and the handshake. */
  readonly of: "members" | "methods";
  /** Makes the next revision of the newest one. */
  readonly change: (definitions: Definitions) => void;
  /** What a person adds to the notes that are carried over. */
  readonly notes?: readonly NoteText[];
  /** Requests of the new revision that show the change: what is wrong with them, by the words of the trial alone. */
  readonly seen: (exchange: Exchange) => boolean;
  /** Losses that are meant, as `pointer how`. */
  readonly losses?: readonly RegExp[];
  /** What of a tour changes for the client of the new revision, because the protocol no longer says it. */
  readonly without?: readonly string[];
}

/** A request and its answer. */
export interface Exchange {
  readonly method: string;
  readonly request: Frame;
  readonly result: Frame;
}

/** The members of an object type. */
export function membersOf(definition: Definitions[string]): { [name: string]: JsonValue } {
  return definition["properties"] as { [name: string]: JsonValue };
}

/** Gives a definition another member in place of `from`. */
export function rename(definition: Definitions[string], from: string, to: string): void {
  const { [from]: schema, ...others } = membersOf(definition);
  definition["properties"] = { ...others, [to]: schema! };
  const required = (definition["required"] ?? []) as string[];
  if (required.includes(from)) definition["required"] = [...required.filter((name) => name !== from), to];
}

/** Takes members from a definition. */
export function remove(definition: Definitions[string], ...names: readonly string[]): void {
  const members = Object.entries(membersOf(definition)).filter(([name]) => !names.includes(name));
  definition["properties"] = Object.fromEntries(members);
  const required = ((definition["required"] ?? []) as string[]).filter((name) => !names.includes(name));
  if (required.length > 0) definition["required"] = required;
  else delete definition["required"];
}

/** Gives a definition more members, or others of the same names. */
export function declare(
  definition: Definitions[string],
  members: JsonObject,
  required: readonly string[] = [],
): void {
  definition["properties"] = { ...membersOf(definition), ...members };
  const all = new Set([...((definition["required"] ?? []) as string[]), ...required]);
  if (all.size > 0) definition["required"] = [...all];
}

/** Takes an arm from a union of definitions. */
export function without(definition: Definitions[string], ...arms: readonly string[]): void {
  const refs = new Set<unknown>(arms.map((name) => `#/$defs/${name}`));
  definition["anyOf"] = (definition["anyOf"] as JsonObject[]).filter(({ $ref }) => !refs.has($ref));
}

/** Adds arms to a union of definitions. */
export function withArms(definition: Definitions[string], ...arms: readonly string[]): void {
  definition["anyOf"] = [...(definition["anyOf"] as JsonObject[]), ...arms.map(reference)];
}

export function reference(name: string): JsonObject {
  return { $ref: `#/$defs/${name}` };
}

/** An object type. */
export function object(properties: JsonObject, required: readonly string[] = []): Definitions[string] {
  return { type: "object", properties, ...(required.length > 0 && { required: [...required] }) };
}

/** The definitions of a request and its response, as schemas write them; the union of requests gets it, too. */
export function request(
  definitions: Definitions,
  base: string,
  method: string,
  params: JsonObject,
  result: JsonObject,
): void {
  const { id, jsonrpc } = membersOf(definitions["CallToolRequest"]!) as JsonObject;
  const envelope = { id: id!, jsonrpc: jsonrpc! };
  definitions[`${base}Request`] = object(
    { ...envelope, method: { const: method, type: "string" }, params: params },
    ["id", "jsonrpc", "method", "params"],
  );
  definitions[`${base}ResultResponse`] = object({ ...envelope, result }, ["id", "jsonrpc", "result"]);
  withArms(definitions["ClientRequest"]!, `${base}Request`);
}

export const text: JsonObject = { type: "string" };

/** Whether a value is an object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
