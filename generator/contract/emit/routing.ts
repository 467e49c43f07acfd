import { type JsonObject, type JsonValue, isJsonObject, naturalCompare, pointer } from "@mcpgen/engine";
import type { EmittedFile } from "../../print/emitted-file.js";
import { jsonExpression } from "./json-expression.js";
import type { ContractInput } from "./input.js";
import { templateParts } from "./uri-template.js";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";

/** Requests that one thing of a contract answers, and the headers that repeat its arguments. */
interface Route {
  readonly method: string;
  readonly name: string;
  readonly headers?: readonly ParamHeader[];
}

/** `routing.ts`: what gateways route by, as data. */
export function emitRouting(input: ContractInput): EmittedFile {
  const routes = routesOf(input);
  const headers = new Set(routes.flatMap((route) => (route.headers ?? []).map((each) => each.header)));
  const { contract, place } = input.document;
  const templates = (contract.resourceTemplates ?? []).map(({ uriTemplate }, index) => ({
    uriTemplate,
    parts: templateParts(uriTemplate, place(`/resourceTemplates/${index}/uriTemplate`)),
  }));
  const data = { format: 1, headers: [...headers].sort(naturalCompare), routes, templates };
  const { origin, render } = input;
  return { content: render("contract-routing.ts", { origin, routing: jsonExpression(data) }) };
}

function routesOf({ document: { contract, place } }: ContractInput): Route[] {
  const { tools = [], resources = [], prompts = [] } = contract;
  return [
    ...tools.map(({ name, inputSchema }, index): Route => {
      const at = `${pointer("/tools", index)}/inputSchema`;
      const headers = paramHeaders(inputSchema, (below) => place(at + below));
      return { method: "tools/call", name, ...(headers.length > 0 && { headers }) };
    }),
    ...resources.map(({ uri }): Route => ({ method: "resources/read", name: uri })),
    ...prompts.map(({ name }): Route => ({ method: "prompts/get", name })),
  ];
}

/** A header that repeats an argument (2026-07-28, Streamable HTTP, custom headers). */
interface ParamHeader {
  readonly header: string;
  /** The path of the argument, from `arguments`. */
  readonly path: readonly string[];
  readonly type: string;
}

const keyword = "x-mcp-header";
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const types: ReadonlySet<JsonValue | undefined> = new Set(["string", "integer", "boolean"]);

/**
 * The headers that an `inputSchema` declares: along `properties` alone, for elsewhere no argument is known.
 *
 * @param place of a pointer below the schema
 * @throws CodedError MG6006 for a declaration that makes the tool invalid
 */
function paramHeaders(inputSchema: JsonObject, place: (pointer: string) => Place): ParamHeader[] {
  const found: ParamHeader[] = [];
  const seen = new Set<string>();
  for (const { header, at } of headersIn(inputSchema, "", [], place)) {
    const name = header.header.toLowerCase();
    if (seen.has(name)) throw refused(`the header ${header.header} is declared twice`, place(at));
    seen.add(name);
    found.push(header);
  }
  return found;
}

function* headersIn(
  schema: JsonObject,
  at: string,
  path: readonly string[],
  place: (pointer: string) => Place,
): Generator<{ readonly header: ParamHeader; readonly at: string }> {
  if (Object.hasOwn(schema, keyword))
    yield { header: declared(schema, at, path, place), at: pointer(at, keyword) };
  for (const [key, value] of Object.entries(schema)) {
    if (key === keyword || key === "properties" || data.has(key) || !declares(value)) continue;
    throw refused(`expected ${keyword} below properties only, got it below ${key}`, place(pointer(at, key)));
  }
  const properties = schema["properties"];
  if (!isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    const below = pointer(pointer(at, "properties"), name);
    if (isJsonObject(property)) yield* headersIn(property, below, [...path, name], place);
  }
}

/** Keywords whose values are data and no schemas. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples"]);

function declares(value: JsonValue): boolean {
  if (Array.isArray(value)) return value.some(declares);
  if (!isJsonObject(value)) return false;
  return (
    Object.hasOwn(value, keyword) ||
    Object.entries(value).some(([key, inner]) => !data.has(key) && declares(inner))
  );
}

function declared(
  { [keyword]: name, type }: JsonObject,
  at: string,
  path: readonly string[],
  place: (pointer: string) => Place,
): ParamHeader {
  const where = place(pointer(at, keyword));
  if (typeof name !== "string" || !token.test(name))
    throw refused(`expected ${keyword} to be the name of a header, got ${JSON.stringify(name)}`, where);
  if (path.length === 0)
    throw refused(`expected ${keyword} on an argument, got it on the root schema`, where);
  if (!types.has(type))
    throw refused(
      `expected ${keyword} on a string, an integer or a boolean, got ${JSON.stringify(type)}`,
      where,
    );
  return { header: `Mcp-Param-${name}`, path, type: type as string };
}

function refused(message: string, place: Place): CodedError {
  return new CodedError("MG6006", message, {
    place,
    next: "Correct or remove it: clients ignore a tool with an invalid header.",
  });
}
