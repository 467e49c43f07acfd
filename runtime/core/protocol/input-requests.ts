import { schemaProblem } from "@mcpgen/engine/explain";
import { isObject } from "@mcpgen/base";

/** Returns the problem of a form: only flat objects of primitives are allowed (elicitation, requested schema). */
export function formProblem(schema: unknown): string | undefined {
  if (isObject(schema) && "~standard" in schema) return "for a library, pass { schemas: methodSchemas }";
  if (!isObject(schema) || schema["type"] !== "object" || !isObject(schema["properties"]))
    return "requestedSchema is not an object schema with properties";
  for (const [name, property] of Object.entries(schema["properties"]))
    if (!isObject(property) || !isPrimitive(property))
      return `requestedSchema.properties.${name}: only strings, numbers, booleans and choices can be asked for`;
  return undefined;
}

function isPrimitive(property: Record<string, unknown>): boolean {
  const { type, items } = property;
  return type === "array" ? isObject(items) && isChoice(items) : scalars.has(type);
}

const scalars: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/**
 * Returns the problem of the content of an accepted form, in the same wording as for arguments of tools. Patterns and
 * formats are not checked.
 *
 * @param schema `requestedSchema` of the form
 */
export function contentProblem(schema: unknown, content: unknown): string | undefined {
  return schemaProblem(schema, content, "/content");
}

/** Whether a schema is a choice: a list of values, or one subschema with a title for each value. */
function isChoice({ enum: values, oneOf, anyOf }: Record<string, unknown>): boolean {
  return Array.isArray(values ?? oneOf ?? anyOf);
}

/**
 * The problem of the tool use in a conversation, if there is one (2025-11-25, sampling, message content constraints). A
 * message with tool results must not have other content, and must have a result for each tool use of the previous
 * message.
 */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return "messages is not a list";
  let pending: ReadonlySet<unknown> = new Set();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length)
      return `messages[${index}] mixes tool results with other content`;
    const resolved = new Set(results.map(({ toolUseId }) => toolUseId));
    for (const id of pending)
      if (!resolved.has(id)) return `messages[${index}] has no result for tool use ${JSON.stringify(id)}`;
    for (const id of resolved)
      if (!pending.has(id)) return `messages[${index}] has an unasked result for ${JSON.stringify(id)}`;
    pending = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id));
  }
  for (const id of pending) return `no message has a result for tool use ${JSON.stringify(id)}`;
  return undefined;
}

interface Block {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly toolUseId?: unknown;
}

function blocksOf(message: unknown): readonly Block[] {
  const content = isObject(message) ? message["content"] : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}
