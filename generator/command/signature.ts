import { type JsonObject, type JsonValue, atPointer, isJsonObject, referencedPointer } from "@mcpgen/engine";

/** Characters of a signature that stand on one line. */
const widest = 110;

/** `get_weather(city: string, units?: "metric" | "imperial") → { celsius: number }`; an argument a line where it is long. */
export function toolSignature(tool: JsonObject): string {
  const { inputSchema = {}, outputSchema } = tool;
  const root = followed(inputSchema, inputSchema);
  const members = isJsonObject(root) ? membersOf(root).map((each) => memberText(each, inputSchema)) : [];
  const result = outputSchema === undefined ? "" : ` → ${typeText(outputSchema, outputSchema)}`;
  return signature(String(tool["name"]), members, result);
}

/** `review(code, style?)`: arguments of prompts are texts. */
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

/** Levels of objects that are shown member by member. */
const deepest = 3;

/** Schemas that one text looks at: references may multiply what a server sends. */
const most = 500;

/** The characters left of `most`. */
interface Budget {
  left: number;
}

/**
 * The values that a JSON Schema allows, as a short type for people: `string`, `"a" | "b"`, `{ city: string, days?:
 * integer }`. Keywords that only validation needs are left out. A type that is too deep, or refers to itself, is shown
 * by its kind.
 *
 * @param root the schema that local references start at
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

/** The names that `type` gives; those of a schema that only describes members or items are known as well. */
function typesOf({ type, properties, items }: JsonObject): readonly string[] {
  if (typeof type === "string") return [type];
  if (Array.isArray(type)) return type.filter((name) => typeof name === "string");
  if (properties !== undefined) return ["object"];
  return items === undefined ? [] : ["array"];
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

/** A member of an object, or an argument. */
interface SignatureMember {
  readonly name: string;
  readonly schema: JsonValue;
  readonly isRequired: boolean;
}

/** The members of an object's schema: those that are required first, each group in the schema's order. */
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

/** `days?: integer = 3`. */
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

/** A name in a signature: in quotes, where it holds other characters than those of a word. */
function keyText(name: string): string {
  return /^[A-Za-z_$][\w$-]*$/.test(name) ? name : JSON.stringify(name);
}

function union(types: readonly string[]): string {
  // Alternatives of alternatives are alternatives.
  const flat = types.flatMap((type) => (/["{(]/.test(type) ? [type] : type.split(" | ")));
  const distinct = [...new Set(flat)];
  return distinct.length === 0 ? "never" : distinct.join(" | ");
}

/** The target of a local reference. It follows a few references in a row at most, for they may form a circle. */
export function followed(schema: JsonValue | undefined, root: JsonValue): JsonValue | undefined {
  let node = schema;
  for (let steps = 0; steps < 8 && isJsonObject(node) && typeof node["$ref"] === "string"; steps++) {
    const at = node["$ref"];
    if (at !== "#" && !at.startsWith("#/")) return true;
    node = atPointer(root, referencedPointer(at));
  }
  return isJsonObject(node) && "$ref" in node ? true : node;
}
