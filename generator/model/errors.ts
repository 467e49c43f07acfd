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
      errors.set(code, {
        code,
        name: note.name,
        ...(note.http !== undefined && { http: note.http }),
        description: note.reason,
        ...defined.get(code),
      });
    }
  }
  for (const [code, found] of defined) {
    if (errors.has(code)) continue;
    const name = constantName(found.definition);
    const text = `The error is named ${name} after ${found.definition}.`;
    assumptions.push({ kind: "error", subject: String(code), text });
    errors.set(code, { code, name, ...found });
  }
  return [...errors.values()].sort((a, b) => a.code - b.code);
}

interface DefinedCode {
  readonly definition: string;
  readonly shape: "response" | "error";
}

/** Definitions that fix an error's `code`, by code; where several do, the first by name. */
function definedCodes(schema: Schema): ReadonlyMap<number, DefinedCode> {
  const codes = new Map<number, DefinedCode>();
  for (const definition of schema.definitions.values()) {
    const found = codeOf(schema, definition);
    if (found && !codes.has(found.code))
      codes.set(found.code, { definition: definition.name, shape: found.shape });
  }
  return codes;
}

function codeOf(
  schema: Schema,
  { name, node }: Definition,
): { code: number; shape: "response" | "error" } | undefined {
  const errors = memberNodes(schema, node, "error");
  const shape = errors.length > 0 ? "response" : "error";
  // An object with a constant `code` is an error only where its name says so; `code` is a frequent member.
  if (shape === "error" && !name.endsWith("Error")) return undefined;
  for (const body of shape === "response" ? errors : [node]) {
    const code = constantInteger(schema, body);
    if (code !== undefined) return { code, shape };
  }
  return undefined;
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
