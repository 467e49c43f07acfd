import { type Definition, type Schema, type SchemaNode, naturalCompare } from "@mcpgen/engine";
import type { Assumption, ErrorCode } from "./model.js";
import { conjuncts, memberNodes } from "./object-view.js";
import type { ErrorNote } from "../notes/note.js";

/**
 * The error codes that notes or definitions name, in natural order of code, then of name. A code may have several names.
 *
 * @param among the definitions that may fix a code; all of them without it
 */
export function findErrors(
  schema: Schema,
  notes: readonly ErrorNote[],
  assumptions: Assumption[],
  among?: ReadonlySet<string>,
): ErrorCode[] {
  const defined = definedCodes(schema, among);
  const errors = notes.flatMap(({ targets, name, http }) =>
    targets.map((target): ErrorCode => {
      const code = Number(target);
      const definition = defined.get(code);
      return {
        code,
        name,
        ...(http !== undefined && { http }),
        ...(definition !== undefined && { definition }),
      };
    }),
  );
  const named = new Set(errors.map(({ code }) => code));
  for (const [code, definition] of defined) {
    if (named.has(code)) continue;
    const name = constantName(definition);
    const text = `The error is named ${name} after ${definition}.`;
    assumptions.push({ kind: "error", subject: String(code), text });
    errors.push({ code, name, definition });
  }
  const byName = new Map(errors.map((error) => [error.name, error]));
  return [...byName.values()].sort((a, b) => a.code - b.code || naturalCompare(a.name, b.name));
}

/** Definitions that fix an error's `code`, by code; where several do, the first by name. */
function definedCodes(schema: Schema, among?: ReadonlySet<string>): ReadonlyMap<number, string> {
  const codes = new Map<number, string>();
  for (const definition of schema.definitions.values()) {
    if (among && !among.has(definition.name)) continue;
    const code = codeOf(schema, definition);
    if (code !== undefined && !codes.has(code)) codes.set(code, definition.name);
  }
  return codes;
}

/** The code in a whole response, or in an error itself. */
function codeOf(schema: Schema, { name, node }: Definition): number | undefined {
  const errors = memberNodes(schema, node, "error");
  if (errors.length > 0) return firstCode(schema, errors);
  // An object with a constant `code` is an error only if its name shows it; `code` is a frequent member.
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
