import {
  type JsonObject,
  type JsonValue,
  PatternBudget,
  SchemaError,
  isJsonObject,
  pointer,
  readDocument,
} from "@mcpgen/engine";
import { type Schema, type SchemaNode, isValid } from "@mcpgen/engine/interpreter";
import { expectationOf, gotText } from "../../contract/fault.js";
import type { Issue } from "../../page/browser/dev/messages.js";

/** Issues that are listed. */
const most = 50;

/** Levels at which places are looked for; deeper ones count as one place. */
const deepest = 60;

/** Judges values by the schemas of one server, whose patterns share a budget of work. */
export class ValueJudge {
  readonly #budget = new PatternBudget();
  readonly #read = new WeakMap<JsonObject, Schema | string>();

  /**
   * The issues of a value, each at the innermost place that shows it. Formats count, although JSON Schema leaves that
   * open: a user who tries a tool wants to know.
   */
  issues(schema: JsonObject, value: JsonValue): readonly Issue[] {
    const read = this.#schemaOf(schema);
    if (typeof read === "string") return [{ pointer: "", message: `the schema cannot be read: ${read}` }];
    try {
      return [...take(issuesAt(read, read.root ?? { pointer: "" }, value, "", 0), most)];
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      return [{ pointer: "", message: `the schema cannot judge: ${error.message}` }];
    }
  }

  #schemaOf(schema: JsonObject): Schema | string {
    let read = this.#read.get(schema);
    if (read === undefined) this.#read.set(schema, (read = readOrReason(schema, this.#budget)));
    return read;
  }
}

function readOrReason(schema: JsonObject, patternBudget: PatternBudget): Schema | string {
  try {
    return readDocument(schema, { enums: "written", patternBudget });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    return error.message;
  }
}

function* take<T>(items: Iterable<T>, count: number): Generator<T> {
  let left = count;
  for (const item of items) {
    if (left-- === 0) return;
    yield item;
  }
}

function isRight(schema: Schema, node: SchemaNode, value: JsonValue): boolean {
  return isValid(schema, node, value, { formats: "assertion" });
}

function* issuesAt(
  schema: Schema,
  node: SchemaNode,
  value: JsonValue,
  at: string,
  level: number,
): Generator<Issue> {
  if (isRight(schema, node, value)) return;
  let isFound = false;
  for (const issue of level < deepest ? innerIssues(schema, node, value, at, level + 1) : []) {
    isFound = true;
    yield issue;
  }
  if (isFound) return;
  const expected = node.format === undefined ? expectationOf(node) : `a string of the format ${node.format}`;
  yield { pointer: at, message: `expected ${expected}, got ${gotText(value)}` };
}

/** Issues of members and items, and of what stands beside them. */
function* innerIssues(
  schema: Schema,
  node: SchemaNode,
  value: JsonValue,
  at: string,
  level: number,
): Generator<Issue> {
  const others = [
    ...(node.ref === undefined ? [] : [schema.definitions.get(node.ref)!.node]),
    ...(node.allOf ?? []),
  ];
  for (const other of others) yield* issuesAt(schema, other, value, at, level);
  if (isJsonObject(value)) yield* memberIssues(schema, node, value, at, level);
  else if (Array.isArray(value) && node.items)
    for (const [index, item] of value.entries())
      if (index >= (node.prefixItems?.length ?? 0))
        yield* issuesAt(schema, node.items, item, pointer(at, index), level);
}

function* memberIssues(
  schema: Schema,
  { properties, additionalProperties, patternProperties, required = [] }: SchemaNode,
  value: JsonObject,
  at: string,
  level: number,
): Generator<Issue> {
  for (const name of required)
    if (!Object.hasOwn(value, name)) yield { pointer: pointer(at, name), message: "it is missing" };
  for (const [name, member] of Object.entries(value)) {
    const described = properties?.get(name);
    if (described) yield* issuesAt(schema, described, member, pointer(at, name), level);
    else if (additionalProperties?.never && !patternProperties)
      yield { pointer: pointer(at, name), message: "there is no such member" };
  }
}
