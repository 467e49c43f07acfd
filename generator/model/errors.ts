import type { Definition, Schema, SchemaNode } from "@mcpgen/engine";
import type { Assumption, ErrorCode } from "./model.js";
import { conjuncts, memberNodes } from "./object-view.js";
import type { ErrorNote } from "../notes/note.js";

/** The error codes that notes or definitions name, in natural order of code. */
export function findErrors(
  schema: Schema,
  notes: readonly ErrorNote[],
  assumptions: Assumption[],
): ErrorCode[] {
  const defined = definedCodes(schema);
  const errors = new Map<number, ErrorCode>();
  for (const note of notes) {
    for (const target of note.targets) {
      const code = Number(target);
      const definition = defined.get(code);
      errors.set(code, {
        code,
        name: note.name,
        ...(note.http !== undefined && { http: note.http }),
        ...(definition !== undefined && { definition }),
      });
    }
  }
  for (const [code, definition] of defined) {
    if (errors.has(code)) continue;
    const name = constantName(definition);
    const text = `The error is named ${name} after ${definition}.`;
    assumptions.push({ kind: "error", subject: String(code), text });
    errors.set(code, { code, name, definition });
  }
  return [...errors.values()].sort((a, b) => a.code - b.code);
}

/** Definitions that fix an error's `code`, by code; where several do, the first by name. */
function definedCodes(schema: Schema): ReadonlyMap<number, string> {
  const codes = new Map<number, string>();
  for (const definition of schema.definitions.values()) {
    const code = codeOf(schema, definition);
    if (code !== undefined && !codes.has(code)) codes.set(code, definition.name);
  }
  return codes;
}

/** The code in a whole response, or in an error itself. */
function codeOf(schema: Schema, { name, node }: Definition): number | undefined {
  const errors = memberNodes(schema, node, "error");
  if (errors.length > 0) return firstCode(schema, errors);
  // An object with a constant `code` is an error only where its name says so; `code` is a frequent member.
  return name.endsWith("Error") ? firstCode(schema, [node]) : undefined;
}

function firstCode(schema: Schema, errors: readonly SchemaNode[]): number | undefined {
  return errors.map((error) => constantInteger(schema, error)).find((code) => code !== undefined);
}

function constantInteger(schema: Schema, error: SchemaNode): number | undefined {
  for (const member of memberNodes(schema, error, "code")) {
    for (const { const: constant } of conjuncts(schema, member)) {
      if (typeof constant?.value === "number" && Number.isSafeInteger(constant.value)) return constant.value;
    }
  }
  return undefined;
}

/** `HeaderMismatchError` → `HEADER_MISMATCH`; one word alone keeps its `_ERROR`. */
function constantName(definition: string): string {
  const words = definition.replace(/Error$/, "").match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+/g) ?? [];
  return (words.length > 1 ? words : [...words, "Error"]).join("_").toUpperCase();
}
