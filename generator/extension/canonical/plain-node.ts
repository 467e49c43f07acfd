import { type JsonObject, type JsonValue, canonicalText, isJsonObject, keywords } from "@mcpgen/engine";

/** A node without the style of the program that wrote it. */
export interface PlainNode {
  /** What the node itself asserts, as text: equal nodes have equal texts. */
  readonly text: string;
  /** Its subschemas, each under the place that it has in the node. */
  readonly children: readonly PlainChild[];
  /** The one subschema that says everything the node says; the node then has no text and no children. */
  readonly alias?: JsonValue;
}

export interface PlainChild {
  /** Children of one label form a set. */
  readonly label: string;
  readonly node: JsonValue;
}

/**
 * How much of a copy may differ from the definition that it is a copy of.
 *
 * - `equal`: both accept the same values; only the style differs.
 * - `alike`: a program that prints schemas from types may also close objects, and add the pattern of a format, the
 *   range of a JavaScript integer, and `number` for an integer.
 */
export type Likeness = "equal" | "alike";

/** Stands for the types of the arms that are only a type, beside other arms. */
const unionTypes = "types of the union";

/** A node as `Likeness` compares it. Annotations are left out, `format` among them. */
export function plainNode(node: JsonValue, likeness: Likeness): PlainNode {
  if (!isJsonObject(node)) return { text: node === false ? "never" : "", children: [] };
  const own: JsonObject = {};
  const children: PlainChild[] = [];
  for (const [keyword, value] of Object.entries(node)) {
    if (keywords.get(keyword)?.annotation || isStyle(keyword, value, node, likeness)) continue;
    addKeyword(keyword, value, own, children);
  }
  const values = stringValues(own, children);
  if (values) return { text: canonicalText(values), children: [] };
  if (Array.isArray(own["type"]) || typeof own["type"] === "string") own["type"] = typesOf(own["type"]);
  mergeTypes(own, children, likeness);
  if (likeness === "alike") {
    for (const keyword of ["type", unionTypes])
      if (Array.isArray(own[keyword])) own[keyword] = asNumbers(own[keyword]);
  }
  const text = Object.keys(own).length === 0 ? "" : canonicalText(own);
  const [only] = children;
  const isAlias = text === "" && children.length === 1 && /^(?:\$ref|allOf|union)$/.test(only!.label);
  return isAlias ? { text: "", children: [], alias: only!.node } : { text, children };
}

/** Whether the keyword changes nothing, or only what a likeness leaves out. */
function isStyle(keyword: string, value: JsonValue, node: JsonObject, likeness: Likeness): boolean {
  const alike = likeness === "alike";
  switch (keyword) {
    case "additionalProperties":
      return isAnything(value) || (alike && value === false);
    case "propertyNames":
      return isAnything(value) || (isJsonObject(value) && canonicalText(value) === '{"type":"string"}');
    case "items":
      return isAnything(value);
    case "required":
      return Array.isArray(value) && value.length === 0;
    case "pattern":
      return alike && ("format" in node || "contentEncoding" in node);
    case "minimum":
      return alike && value === -Number.MAX_SAFE_INTEGER;
    case "maximum":
      return alike && value === Number.MAX_SAFE_INTEGER;
    default:
      return false;
  }
}

function isAnything(value: JsonValue): boolean {
  return value === true || (isJsonObject(value) && Object.keys(value).length === 0);
}

function addKeyword(keyword: string, value: JsonValue, own: JsonObject, children: PlainChild[]): void {
  const add = (label: string, node: JsonValue): void => void children.push({ label, node });
  switch (keywords.get(keyword)?.shape) {
    case "schema":
      return add(keyword, value);
    case "schemaMap":
      if (isJsonObject(value))
        for (const [name, node] of Object.entries(value)) add(`${keyword}/${name}`, node);
      return;
    case "schemaSet": {
      // A union of arms that exclude one another is both.
      const label = keyword === "allOf" ? keyword : "union";
      if (Array.isArray(value)) for (const node of value) add(label, node);
      return;
    }
    case "schemaList":
      if (Array.isArray(value)) for (const [index, node] of value.entries()) add(`${keyword}/${index}`, node);
      return;
    default:
      // The place that a reference names is a child, which the caller resolves.
      if (keyword === "$ref" && typeof value === "string") add("$ref", { $ref: value });
      else own[keyword] = value;
  }
}

/** The values of an `enum`, a `const`, or a union of nothing else; their type is implied. */
function stringValues(own: JsonObject, children: readonly PlainChild[]): JsonValue[] | undefined {
  const named = Object.keys(own).filter((keyword) => keyword !== "type");
  if (children.length === 0 && named.length === 1) return valuesOf(own);
  if (children.length === 0 || named.length > 0) return undefined;
  const arms: JsonValue[] = [];
  for (const { label, node } of children) {
    const values = label === "union" && isJsonObject(node) ? valuesOf(node) : undefined;
    if (!values) return undefined;
    arms.push(...values);
  }
  return sortedUnique(arms);
}

function valuesOf(node: JsonObject): JsonValue[] | undefined {
  const asserting = Object.keys(node).filter((keyword) => !keywords.get(keyword)?.annotation);
  if (asserting.some((keyword) => !["type", "const", "enum"].includes(keyword))) return undefined;
  const { const: constant, enum: values } = node;
  if (constant !== undefined) return values === undefined ? [constant] : undefined;
  return Array.isArray(values) ? sortedUnique(values) : undefined;
}

function sortedUnique(values: readonly JsonValue[]): JsonValue[] {
  const byText = new Map(values.map((value) => [canonicalText(value), value]));
  return [...byText.keys()].sort().map((text) => byText.get(text)!);
}

function typesOf(type: JsonValue): string[] {
  return [...new Set([type].flat().map(String))].sort();
}

function asNumbers(types: readonly JsonValue[]): string[] {
  return [...new Set(types.map((type) => (type === "integer" ? "number" : String(type))))].sort();
}

/** Arms of a union that say nothing but a type are one arm: `anyOf: [string, null]` is `type: [null, string]`. */
function mergeTypes(own: JsonObject, children: PlainChild[], likeness: Likeness): void {
  const arms = children.filter(({ label }) => label === "union");
  const bare = arms.filter(({ node }) => isBareType(node, likeness));
  if (bare.length === 0 || "type" in own) return;
  const types = typesOf(bare.flatMap(({ node }) => (node as JsonObject)["type"]!));
  for (const arm of bare) children.splice(children.indexOf(arm), 1);
  own[bare.length === arms.length ? "type" : unionTypes] = types;
}

function isBareType(node: JsonValue, likeness: Likeness): boolean {
  if (!isJsonObject(node)) return false;
  const asserting = Object.entries(node).filter(
    ([keyword, value]) => !keywords.get(keyword)?.annotation && !isStyle(keyword, value, node, likeness),
  );
  return asserting.length === 1 && asserting[0]![0] === "type";
}
