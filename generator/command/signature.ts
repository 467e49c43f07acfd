import { type JsonObject, type JsonValue, atPointer, isJsonObject, referencedPointer } from "@mcpgen/engine";

/** Maximum length in characters of a signature on one line. */
const widest = 110;

/**
 * The signature of a tool, e.g. `get_weather(city: string, units?: "metric" | "imperial") → { celsius: number
 * }`. A long signature has one argument per line.
 */
export function toolSignature(tool: JsonObject): string {
  const { inputSchema = {}, outputSchema } = tool;
  const root = followed(inputSchema, inputSchema);
  const members = isJsonObject(root) ? membersOf(root).map((each) => memberText(each, inputSchema)) : [];
  const result = outputSchema === undefined ? "" : ` → ${typeText(outputSchema, outputSchema)}`;
  return signature(String(tool["name"]), members, result);
}

/** The signature of a prompt, e.g. `review(code, style?)`. Its arguments are always strings. */
export function promptSignature({ name, arguments: args }: JsonObject): string {
  return signature(
    String(name),
    promptArguments(args).map(
      ({ name: argument, isRequired }) => `${keyText(argument)}${isRequired ? "" : "?"}`,
    ),
    "",
  );
}

/** An argument of a prompt. */
interface PromptArgument {
  readonly name: string;
  readonly isRequired: boolean;
}

export function promptArguments(args: JsonValue | undefined): PromptArgument[] {
  if (!Array.isArray(args)) return [];
  return args.flatMap((argument) =>
    isJsonObject(argument) && typeof argument["name"] === "string"
      ? [{ name: argument["name"], isRequired: argument["required"] === true }]
      : [],
  );
}

function signature(name: string, members: readonly string[], result: string): string {
  const line = `${name}(${members.join(", ")})${result}`;
  if (line.length <= widest || members.length === 0) return line;
  return `${name}(\n${members.map((member) => `  ${member},\n`).join("")})${result}`;
}

/** Depth to which the members of objects are shown. */
const deepest = 3;

/**
 * Maximum number of schemas read for one signature. A server's references could otherwise multiply them
 * without limit.
 */
const most = 500;

/** The rest of `most` schemas that may still be read. */
interface Budget {
  left: number;
}

/**
 * Describes a JSON Schema as a short type: `string`, `"a" | "b"`, `{ city: string, days?: integer }`. Omits
 * keywords that only validation needs. A type that is too deep or recursive is shown as e.g. `object`.
 *
 * @param root the document that local references resolve in
 */
export function typeText(
  schema: JsonValue | undefined,
  root: JsonValue,
  depth = 0,
  budget: Budget = { left: most },
): string {
  if (--budget.left < 0) return "…";
  const node = followed(schema, root);
  if (node === false) return "never";
  if (!isJsonObject(node)) return "any";
  if (node["const"] !== undefined) return JSON.stringify(node["const"]);
  if (Array.isArray(node["enum"])) return union(node["enum"].map((value) => JSON.stringify(value)));
  const alternatives = node["anyOf"] ?? node["oneOf"];
  if (Array.isArray(alternatives) && depth < deepest + 2)
    return union(alternatives.map((alternative) => typeText(alternative, root, depth + 1, budget)));
  const types = typesOf(node);
  if (types.length === 0) return "any";
  return union(types.map((type) => ofType(type, node, root, depth, budget)));
}

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

/** The types that a schema names. Without `type`, `properties` implies object and `items` implies array. */
export function typesOf({ type, properties, items }: JsonObject): readonly string[] {
  const named = [type].flat().filter((name) => typeNames.has(name as string)) as string[];
  if (named.length > 0) return named;
  return [...(properties === undefined ? [] : ["object"]), ...(items === undefined ? [] : ["array"])];
}

function ofType(type: string, node: JsonObject, root: JsonValue, depth: number, budget: Budget): string {
  if (type === "object") return objectText(node, root, depth, budget);
  if (type !== "array") return type;
  const item = depth > deepest ? "any" : typeText(node["items"], root, depth + 1, budget);
  return /[ |]/.test(item) && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
}

function objectText(node: JsonObject, root: JsonValue, depth: number, budget: Budget): string {
  const members = membersOf(node);
  if (members.length === 0) {
    const { additionalProperties } = node;
    return isJsonObject(additionalProperties) && depth < deepest
      ? `{ [name]: ${typeText(additionalProperties, root, depth + 1, budget)} }`
      : "object";
  }
  if (depth >= deepest) return "object";
  return `{ ${members.map((member) => memberText(member, root, depth + 1, budget)).join(", ")} }`;
}

/** A property of an object, or an argument. */
interface SignatureMember {
  readonly name: string;
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** The properties of an object schema: required ones first, otherwise in the schema's order. */
export function membersOf({ properties, required }: JsonObject): SignatureMember[] {
  if (!isJsonObject(properties)) return [];
  const names = Array.isArray(required) ? required : [];
  const members = Object.entries(properties).map(([name, schema]) => ({
    name,
    schema: schema!,
    isRequired: names.includes(name),
  }));
  return [
    ...members.filter(({ isRequired }) => isRequired),
    ...members.filter(({ isRequired }) => !isRequired),
  ];
}

/** One property as text, e.g. `days?: integer = 3`. */
function memberText(
  { name, schema, isRequired }: SignatureMember,
  root: JsonValue,
  depth = 1,
  budget: Budget = { left: most },
): string {
  const node = followed(schema, root);
  const fallback = isJsonObject(node) ? node["default"] : undefined;
  const shown = fallback === undefined ? "" : ` = ${JSON.stringify(fallback)}`;
  return `${keyText(name)}${isRequired ? "" : "?"}: ${typeText(schema, root, depth, budget)}${shown}`;
}

/** A name in a signature, quoted unless it is a plain word. */
function keyText(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name);
}

function union(types: readonly string[]): string {
  // Flatten nested alternatives.
  const flat = types.flatMap((type) => (/["{(]/.test(type) ? [type] : type.split(" | ")));
  const distinct = [...new Set(flat)];
  return distinct.length === 0 ? "never" : distinct.join(" | ");
}

/** Resolves a local `$ref`. Follows only a few references in a row, since they may form a cycle. */
export function followed(schema: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  let node = schema;
  for (let steps = 0; steps < 8 && isJsonObject(node) && typeof node["$ref"] === "string"; steps++) {
    const at = node["$ref"];
    if (at !== "#" && !at.startsWith("#/")) return true;
    node = atPointer(root, referencedPointer(at));
  }
  return isJsonObject(node) && "$ref" in node ? true : node;
}
