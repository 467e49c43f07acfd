import type { JsonObject, JsonValue } from "@mcpgen/engine";

/** The definitions of a schema, to be changed in place. */
export type Definitions = { [name: string]: { [keyword: string]: JsonValue } };

export const text: JsonObject = { type: "string" };

/** The members of an object type. */
export function membersOf(definition: Definitions[string]): { [name: string]: JsonValue } {
  return definition["properties"] as { [name: string]: JsonValue };
}

/** Renames a member of a definition. */
export function rename(definition: Definitions[string], from: string, to: string): void {
  const { [from]: schema, ...others } = membersOf(definition);
  definition["properties"] = { ...others, [to]: schema! };
  const required = (definition["required"] ?? []) as string[];
  if (required.includes(from)) definition["required"] = [...required.filter((name) => name !== from), to];
}

/** Removes members from a definition. */
export function remove(definition: Definitions[string], ...names: readonly string[]): void {
  const members = Object.entries(membersOf(definition)).filter(([name]) => !names.includes(name));
  definition["properties"] = Object.fromEntries(members);
  const required = ((definition["required"] ?? []) as string[]).filter((name) => !names.includes(name));
  if (required.length > 0) definition["required"] = required;
  else delete definition["required"];
}

/** Adds members to a definition, or replaces them. */
export function declare(
  definition: Definitions[string],
  members: JsonObject,
  required: readonly string[] = [],
): void {
  definition["properties"] = { ...membersOf(definition), ...members };
  const all = new Set([...((definition["required"] ?? []) as string[]), ...required]);
  if (all.size > 0) definition["required"] = [...all];
}

/** Removes arms from a union of definitions. */
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

/** Makes an object type. */
export function object(properties: JsonObject, required: readonly string[] = []): Definitions[string] {
  return { type: "object", properties, ...(required.length > 0 && { required: [...required] }) };
}

/** Adds a client request and its result, in the form of the schemas. */
export function addRequest(
  definitions: Definitions,
  base: string,
  method: string,
  params: JsonObject,
  result: JsonObject,
): void {
  const { id, jsonrpc } = membersOf(definitions["CallToolRequest"]!) as JsonObject;
  const envelope = { id: id!, jsonrpc: jsonrpc! };
  definitions[`${base}Request`] = object({ ...envelope, method: { const: method, type: "string" }, params }, [
    "id",
    "jsonrpc",
    "method",
    "params",
  ]);
  definitions[`${base}ResultResponse`] = object({ ...envelope, result }, ["id", "jsonrpc", "result"]);
  withArms(definitions["ClientRequest"]!, `${base}Request`);
}
