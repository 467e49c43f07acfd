import type { Schema, SchemaNode, TypeName } from "./ir.js";
import { type JsonObject, type JsonValue, isJsonObject, jsonEqual } from "./json.js";
import { evaluatedItems, evaluatedKeys } from "./evaluated.js";
import { memberPatternsOf, patternOf } from "./patterns/compiled.js";
import { hasRepeated } from "./repeated.js";

/**
 * Whether `value` is valid against `node`, read straight from the IR: for schemas that are known only at
 * run time, and the independent reading that emitted validators are compared with. Formats are annotations.
 * Values nested to any depth are judged. As in emitted validators, a described member that is `undefined`
 * counts as absent, and numbers that JSON does not have are refused where the schema describes numbers.
 *
 * @param schema the document that `node`'s references lead into
 */
export function isValid(schema: Schema, node: SchemaNode, value: JsonValue): boolean {
  return new Interpreter(schema).judge(node, value);
}

/** Calls of `valid` inside one another; deeper ones are put off, so that no value exhausts the stack. */
const deepest = 256;

/** Whether a value is valid against a node. */
interface Question {
  readonly node: SchemaNode;
  readonly value: JsonValue;
}

class Interpreter {
  private readonly schema: Schema;
  private depth = 0;
  /** Questions met too deep, for which `true` was assumed. */
  private postponed: Question[] = [];
  /** Answers to questions that had been put off. */
  private answers: Map<SchemaNode, Map<JsonValue, boolean>> | undefined;

  constructor(schema: Schema) {
    this.schema = schema;
  }

  judge(node: SchemaNode, value: JsonValue): boolean {
    const verdict = this.valid(node, value);
    return this.postponed.length === 0 ? verdict : this.judgeDeep({ node, value });
  }

  /** Answers what was put off first, and asks again: an assumption may have led either way. */
  private judgeDeep(question: Question): boolean {
    const open = [question, ...this.postponed];
    for (;;) {
      const { node, value } = open.at(-1)!;
      this.postponed = [];
      const verdict = this.answers?.get(node)?.get(value) ?? this.valid(node, value);
      if (this.postponed.length > 0) {
        for (const earlier of this.postponed) open.push(earlier);
        continue;
      }
      open.pop();
      if (open.length === 0) return verdict;
      this.remember(node, value, verdict);
    }
  }

  private remember(node: SchemaNode, value: JsonValue, verdict: boolean): void {
    this.answers ??= new Map();
    let known = this.answers.get(node);
    if (!known) this.answers.set(node, (known = new Map<JsonValue, boolean>()));
    known.set(value, verdict);
  }

  private valid(node: SchemaNode, value: JsonValue): boolean {
    if (this.depth >= deepest) {
      const known = this.answers?.get(node)?.get(value);
      if (known === undefined) this.postponed.push({ node, value });
      return known ?? true;
    }
    this.depth++;
    const verdict = this.validHere(node, value);
    this.depth--;
    return verdict;
  }

  private validHere(node: SchemaNode, value: JsonValue): boolean {
    return (
      !node.never &&
      validScalar(node, value) &&
      (node.ref === undefined || this.valid(this.schema.definitions.get(node.ref)!.node, value)) &&
      this.validCombined(node, value) &&
      (!Array.isArray(value) || this.validArray(node, value)) &&
      (!isJsonObject(value) || this.validObject(node, value))
    );
  }

  private validCombined(node: SchemaNode, value: JsonValue): boolean {
    const valid = (child: SchemaNode): boolean => this.valid(child, value);
    if (node.allOf && !node.allOf.every(valid)) return false;
    if (node.anyOf && !node.anyOf.some(valid)) return false;
    if (node.oneOf && node.oneOf.filter(valid).length !== 1) return false;
    if (node.not && valid(node.not)) return false;
    const branch = node.if && (valid(node.if) ? node.then : node.else);
    return branch === undefined || valid(branch);
  }

  private validArray(node: SchemaNode, items: readonly JsonValue[]): boolean {
    if (items.length < (node.minItems ?? 0) || items.length > (node.maxItems ?? Infinity)) return false;
    const prefix = node.prefixItems?.length ?? 0;
    const described = node.items ? items.length : Math.min(prefix, items.length);
    for (let index = 0; index < described; index++) {
      const child = node.prefixItems?.[index] ?? node.items;
      if (child && !this.valid(child, items[index]!)) return false;
    }
    if (node.contains) {
      const matches = items.filter((item) => this.valid(node.contains!, item)).length;
      if (matches < (node.minContains ?? 1) || matches > (node.maxContains ?? Infinity)) return false;
    }
    return (!node.uniqueItems || !hasRepeated(items)) && this.validRestOfItems(node, items);
  }

  private validRestOfItems(node: SchemaNode, items: readonly JsonValue[]): boolean {
    if (!node.unevaluatedItems) return true;
    const evaluated = evaluatedItems(this.schema, node, items, (child, item) => this.valid(child, item));
    return items.every((item, index) => evaluated.has(index) || this.valid(node.unevaluatedItems!, item));
  }

  private validObject(node: SchemaNode, object: JsonObject): boolean {
    for (const key of node.required ?? []) if (!isPresent(object, key)) return false;
    for (const [key, names] of node.dependentRequired ?? []) {
      if (isPresent(object, key) && !names.every((name) => isPresent(object, name))) return false;
    }
    for (const [key, child] of node.dependentSchemas ?? []) {
      if (isPresent(object, key) && !this.valid(child, object)) return false;
    }
    for (const [key, child] of node.properties ?? []) {
      if (isPresent(object, key) && !this.valid(child, object[key]!)) return false;
    }
    return !speaksOfKeys(node) || this.validKeys(node, object);
  }

  private validKeys(node: SchemaNode, object: JsonObject): boolean {
    const keys = Object.keys(object);
    if (keys.length < (node.minProperties ?? 0) || keys.length > (node.maxProperties ?? Infinity))
      return false;
    const { propertyNames, unevaluatedProperties } = node;
    if (propertyNames && !keys.every((key) => this.valid(propertyNames, key))) return false;
    if (!keys.every((key) => unnamedNodes(node, key).every((child) => this.valid(child, object[key]!))))
      return false;
    if (!unevaluatedProperties) return true;
    const evaluated = evaluatedKeys(this.schema, node, object, (child, member) => this.valid(child, member));
    return keys.every((key) => evaluated.has(key) || this.valid(unevaluatedProperties, object[key]!));
  }
}

/**
 * Whether a described member is there. Names that every object inherits something under are only there as
 * own members.
 */
function isPresent(object: JsonObject, key: string): boolean {
  return object[key] !== undefined && (!(key in Object.prototype) || Object.hasOwn(object, key));
}

/** Whether anything is said of members by other means than their name. */
function speaksOfKeys(node: SchemaNode): boolean {
  return (
    (node.additionalProperties ??
      node.patternProperties ??
      node.propertyNames ??
      node.unevaluatedProperties) !== undefined ||
    node.minProperties !== undefined ||
    node.maxProperties !== undefined
  );
}

/** The subschemas that judge the member `key`, without the one named after it. */
function unnamedNodes(node: SchemaNode, key: string): SchemaNode[] {
  const nodes = memberPatternsOf(node)
    .filter(({ pattern }) => pattern.test(key))
    .map(({ child }) => child);
  const additional = nodes.length === 0 && !node.properties?.has(key) ? node.additionalProperties : undefined;
  return additional ? [additional] : nodes;
}

function validScalar(node: SchemaNode, value: JsonValue): boolean {
  if (node.types && !node.types.some((type) => hasType(value, type))) return false;
  if (node.const && !jsonEqual(node.const.value, value)) return false;
  if (node.enum && !node.enum.some((member) => jsonEqual(member, value))) return false;
  if (typeof value === "number") return validNumber(node, value);
  return typeof value !== "string" || validString(node, value);
}

function hasType(value: JsonValue, type: TypeName): boolean {
  switch (type) {
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "null":
      return value === null;
    case "integer":
      return Number.isInteger(value);
    case "number":
      return Number.isFinite(value);
    default:
      return typeof value === type;
  }
}

function validNumber(node: SchemaNode, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = node;
  const bound = minimum ?? maximum ?? exclusiveMinimum ?? exclusiveMaximum ?? multipleOf;
  return (
    bound === undefined ||
    (Number.isFinite(value) &&
      (minimum === undefined || value >= minimum) &&
      (maximum === undefined || value <= maximum) &&
      (exclusiveMinimum === undefined || value > exclusiveMinimum) &&
      (exclusiveMaximum === undefined || value < exclusiveMaximum) &&
      (multipleOf === undefined || Number.isInteger(value / multipleOf)))
  );
}

function validString(node: SchemaNode, value: string): boolean {
  if (node.minLength !== undefined || node.maxLength !== undefined) {
    let length = 0; // code points, not UTF-16 units (validation, section 6.3)
    for (const _ of value) length++;
    if (length < (node.minLength ?? 0) || length > (node.maxLength ?? Infinity)) return false;
  }
  return node.pattern === undefined || patternOf(node).test(value);
}
