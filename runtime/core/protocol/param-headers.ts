import { BoundedMap, isObject, mostLevels } from "@mcpgen/base";
import { toBase64 } from "./binary-content.js";

/** A parameter of a tool that a header mirrors (2026-07-28, Streamable HTTP, custom headers). */
export interface ParamHeader {
  /** In lower case: `mcp-param-region`. */
  readonly header: string;
  /** As the client sends it: `Mcp-Param-Region`. */
  readonly name: string;
  readonly path: readonly string[];
  readonly type: "string" | "integer" | "boolean";
}

export interface ParamHeaders {
  readonly headers: readonly ParamHeader[];
  /** The problem that makes the declarations, and so the tool, invalid. */
  readonly problem: string | undefined;
}

/** The keyword that declares a header. */
export const keyword = "x-mcp-header";

/** The prefix of the names of these headers. */
export const paramPrefix = "Mcp-Param-";

/** Most declarations of one schema; platforms accept few more headers in a request. */
const mostDeclared = 256;

/** A declared name: up to 256 characters that HTTP allows in a field name (RFC 9110, 5.1). */
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,256}$/;

/** The headers of each schema. Schemas are never modified in place. */
const known = new WeakMap<object, ParamHeaders>();

/** The headers an `inputSchema` declares, 256 at most. */
export function paramHeadersOf(inputSchema: unknown): ParamHeaders {
  if (!isObject(inputSchema)) return { headers: [], problem: undefined };
  let found = known.get(inputSchema);
  if (!found) known.set(inputSchema, (found = declaredIn(inputSchema)));
  return found;
}

type Declared = BoundedMap<string, ParamHeader>;

function declaredIn(inputSchema: object): ParamHeaders {
  if (isDeeper(inputSchema, mostLevels))
    return { headers: [], problem: `the schema is nested deeper than ${mostLevels} levels` };
  const headers: Declared = new BoundedMap({ count: mostDeclared, full: "refuse" });
  const problem = collect(inputSchema, [], headers);
  return { headers: Array.from(headers, ([, header]) => header), problem };
}

/**
 * Collects the declarations below `properties`. Returns the problem of a declaration anywhere else.
 *
 * @param path of the schema; changed during the walk and restored before the return
 */
function collect(schema: unknown, path: string[], headers: Declared): string | undefined {
  if (!isObject(schema)) return undefined;
  for (const [key, value] of Object.entries(schema)) {
    if (key === keyword) {
      const declared = declaration(schema, value, path);
      if (typeof declared === "string") return declared;
      const { header } = declared;
      if (headers.get(header)) return `${keyword}: ${header} is declared twice`;
      if (!headers.set(header, declared)) return `more than ${mostDeclared} parameters have ${keyword}`;
    } else if (key === "properties" && isObject(value)) {
      for (const [name, property] of Object.entries(value)) {
        path.push(name);
        const problem = collect(property, path, headers);
        path.pop();
        if (problem !== undefined) return problem;
      }
    } else if (declaresBelow(key, value))
      return `${keyword} is below ${key}, where it names no single parameter`;
  }
  return undefined;
}

/** Keywords whose values are data, not schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

/** Keywords whose values are schemas by name; the names are not keywords. */
const named: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "dependentSchemas",
  "dependencies",
  "$defs",
  "definitions",
]);

/** Whether a schema, or one schema of a list, has a declaration. */
function declares(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(declares);
  if (!isObject(schema)) return false;
  return (
    Object.hasOwn(schema, keyword) || Object.entries(schema).some(([key, value]) => declaresBelow(key, value))
  );
}

function declaresBelow(key: string, value: unknown): boolean {
  if (data.has(key)) return false;
  return named.has(key) && isObject(value) ? Object.values(value).some(declares) : declares(value);
}

/** Whether a value has more than `most` levels. Goes level by level, because recursion could exhaust the stack. */
function isDeeper(value: unknown, most: number): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > most) return true;
    level = level.flatMap((each) => (typeof each === "object" && each !== null ? Object.values(each) : []));
  }
  return false;
}

function declaration(
  { type }: Record<string, unknown>,
  name: unknown,
  path: readonly string[],
): ParamHeader | string {
  const place = path.join(".").slice(0, maxShown);
  if (typeof name !== "string" || !token.test(name))
    return `${place}: ${keyword} ${shown(name)} is not a header name`;
  if (path.length === 0) return `${keyword} is at the root`;
  if (type !== "string" && type !== "integer" && type !== "boolean")
    return `${place}: ${keyword} is for strings, integers and booleans, not ${shown(type) ?? "a schema without a type"}`;
  return { name: paramPrefix + name, header: (paramPrefix + name).toLowerCase(), path: [...path], type };
}

/** Most characters of a received text in an error. */
const maxShown = 100;

function shown(value: unknown): string | undefined {
  return JSON.stringify(value)?.slice(0, maxShown);
}

/**
 * The header of a value; `undefined` if the value has no header.
 *
 * @throws {RangeError} a header cannot carry the number exactly
 */
export function headerValue(value: unknown): string | undefined {
  if (typeof value === "string") return encodeHeaderValue(value);
  if (typeof value === "boolean") return String(value);
  if (typeof value !== "number") return undefined;
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${value} is not an integer that a header can carry exactly`);
  return String(value);
}

/** Before and after a value in base64. */
export const encodedStart = "=?base64?";
export const encodedEnd = "?=";

/** Encodes a value for a header (2026-07-28, Streamable HTTP, value encoding). */
export function encodeHeaderValue(value: string): string {
  const plain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$|^$/.test(value);
  if (plain && !(value.startsWith(encodedStart) && value.endsWith(encodedEnd))) return value;
  return `${encodedStart}${toBase64(new TextEncoder().encode(value))}${encodedEnd}`;
}
