import { explainRefusal, formOf } from "@mcpgen/engine/explain";
import {
  type JsonValue,
  type PatternBudget,
  type Schema,
  SchemaError,
  readDocument,
  validatorOf,
} from "@mcpgen/engine/interpreter";
import type { Judge } from "@mcpgen/protocol/model";
import {
  type Asked,
  type Params,
  McpError,
  invalidParams,
  isObject,
  isPromise,
  requireFunction,
  requireKnown,
} from "@mcpgen/base";
import {
  type Check,
  type Checked,
  type InputOf,
  type JsonSchema,
  type MessageSchema,
  type OutputOf,
  type Parse,
  type PreparingRequest,
  type ToolSchema,
  parsed,
  parsedResult,
} from "./schema-type.js";
import { type Side, isStandard, jsonSchemaOf, parserOf, shapeProblem } from "./standard-schema.js";

/** The schema that is sent to clients, and its check. */
export interface CheckedSchema {
  readonly schema: JsonSchema;
  readonly check: Parse;
}

/**
 * Makes a check from a schema that is known only at run time.
 *
 * @param place the name of the schema in errors
 * @param side the side of the schema that is sent to clients
 * @param root the `type` that the schema must have at its root
 * @param patternBudget the limit of work for the analysis of its patterns. Default: the budget of one document
 * @throws {McpError} `invalid-definition`: the value is not a schema, or the engine does not support it
 */
export function schemaCheck(
  given: ToolSchema,
  place: string,
  side: Side,
  root?: "object",
  patternBudget?: PatternBudget,
): CheckedSchema {
  const shape = isStandard(given) ? undefined : shapeProblem(given);
  if (shape !== undefined) throw invalid(place, shape);
  const schema = isStandard(given) ? jsonSchemaOf(given, side, place) : given;
  if (!isObject(schema)) throw invalid(place, "expected a JSON Schema object");
  if (root !== undefined && schema["type"] !== root)
    throw invalid(
      place,
      `expected "type": ${JSON.stringify(root)} at the root, got ${JSON.stringify(schema["type"]) ?? "no type"}`,
    );
  // Only the library checks the value: its JSON Schema may contain patterns that only the library can match.
  if (isStandard(given)) return { schema, check: parserOf(given) };
  return { schema, check: reading(schema, place, patternBudget) };
}

/** @throws {McpError} `invalid-definition` */
function reading(schema: JsonSchema, place: string, patternBudget: PatternBudget | undefined): Check {
  let read: Schema;
  try {
    read = readDocument(schema as JsonValue, patternBudget && { patternBudget });
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error;
    throw invalid(`${place}${error.pointer}`, error.message, error);
  }
  if (read.root === undefined) return () => undefined;
  return toolCheck(validatorOf(read) as Judge, () => schema);
}

/**
 * Makes a check from a validator. The check returns a few lines that explain why the validator refuses a value.
 *
 * @param schemaOf returns the schema of the validator, for the explanation; without it, the explanation names the first
 *   wrong place only
 */
export function toolCheck(judge: Judge, schemaOf?: () => JsonSchema | undefined): Check {
  return Object.assign(
    (value: unknown) => (judge(value) ? undefined : explainRefusal(judge, schemaOf?.(), value)),
    { judge },
  );
}

/** A check that passes the values that another check refuses to `refused`, with their problems. */
export function orElse(
  check: Parse,
  refused: (problem: string, value: unknown, request?: PreparingRequest) => Promise<Checked>,
): Parse {
  const parse: Parse = (value, request) => {
    const found = check(value, request);
    if (found === undefined) return found;
    const settle = (later: Checked): Checked | Promise<Checked> =>
      typeof later === "string" ? refused(later, value, request) : later;
    return isPromise(found) ? found.then(settle) : settle(found);
  };
  const { judge } = check;
  return judge ? Object.assign(parse, { judge }) : parse;
}

/**
 * The schemas of a method that no revision defines. A schema is JSON Schema, or of any library that implements Standard
 * Schema. It does not describe `_meta`.
 */
export interface MethodSchemas<
  Given extends MessageSchema = MessageSchema,
  Answer extends MessageSchema = MessageSchema,
> {
  readonly params?: Given;
  readonly result?: Answer;
}

/** The params that a handler gets: the output of their schema. */
export type ParamsOf<Given> = MessageSchema extends Given ? Params : OutputOf<Given>;

/** The handler of a method with these schemas. It returns the input of the result's schema. */
// The compiler resolves a conditional type before it checks the function: a string literal in a result keeps its type.
export type SchemaHandler<Given, Answer, Context> = MessageSchema extends Answer
  ? (params: ParamsOf<Given>, context: Context) => Params | Promise<Params>
  : (params: ParamsOf<Given>, context: Context) => InputOf<Answer> | Promise<InputOf<Answer>>;

/** A handler or listener of any method. */
type Handler<Context> = (params: never, context: Context) => unknown;

/** Sends a request to the client by `ask`. */
export type FormAsker = (
  name: string,
  asked: Asked,
  ask: (asked: Asked, parse?: (content: unknown) => Promise<unknown>) => Promise<Params>,
) => Promise<Params>;

/** Reads the schemas of vendor methods and of forms. */
export interface SchemaReader {
  /** A handler that parses params and results. @throws {McpError} `invalid-definition` */
  handler<Context>(method: string, schemas: MethodSchemas, handler: Handler<Context>): Handler<Context>;
  /** A listener that parses params; wrong params do not reach it. @throws {McpError} `invalid-definition` */
  listener<Context>(method: string, schemas: MethodSchemas, listener: Handler<Context>): Handler<Context>;
  /** Parses a result that was received. @throws {McpError} `invalid-result`, `invalid-definition` */
  result(method: string, schema: MessageSchema, result: Params): Promise<Params>;
  /**
   * Asks for input. The schema of a form may come from a library, which then parses the content of the answer.
   *
   * @param name the name of the request in errors
   * @param ask sends the request with a form in JSON Schema
   * @throws {McpError} `invalid-definition`, `invalid-result`
   */
  readonly ask: FormAsker;
}

/**
 * Reads the schemas of vendor methods. A server that is written in code has it; a server of a contract gets it as the
 * option `schemas`, because the interpreter of JSON Schema would double the bundle of a server without vendor methods.
 */
export const methodSchemas: SchemaReader = {
  handler(method, schemas, handler) {
    requireFunction(method, handler);
    requireKnown(schemas, { params: 0, result: 0 });
    const params = schemas.params && parserIn(schemas.params, `${method}: params`);
    const result = schemas.result && parserIn(schemas.result, `${method}: result`);
    return async (given: Params, context) => {
      const answer = await handler((await parsedParams(params, given)) as never, context);
      if (!result || !isObject(answer)) return answer;
      return parsedResult(result, answer, (problem) => {
        const error = new McpError(
          "internal-error",
          `the handler of ${method} answered against its result schema: ${problem}`,
        );
        delete error.stack;
        return error;
      });
    };
  },
  listener(method, schemas, listener) {
    requireFunction(method, listener);
    requireKnown(schemas, { params: 0 });
    const params = schemas.params && parserIn(schemas.params, `${method}: params`);
    return async (given: Params, context) => {
      let value: unknown;
      try {
        value = await parsedParams(params, given);
      } catch {
        return;
      }
      await listener(value as never, context);
    };
  },
  async result(method, schema, result) {
    const refuse = (problem: string): McpError =>
      new McpError("invalid-result", `${method}: the result is invalid: ${problem}`);
    return parsedResult(parserOfResult(method, schema), result, refuse);
  },
  async ask(name, asked, ask) {
    const given = asked.params?.["requestedSchema"];
    if (!isStandard(given)) return ask(asked);
    const place = `ask ${name}: requestedSchema`;
    const read = formOf(jsonSchemaOf(given, "input", place));
    if (!read.form)
      throw invalid(read.member === undefined ? place : `${place}, member ${read.member}`, read.problem);
    const requestedSchema = read.form;
    let last: { readonly content: unknown; readonly found: Exclude<Checked, string> } | undefined;
    // An answer is judged before the handler runs on: it is parsed once.
    const parse = async (content: unknown): Promise<Exclude<Checked, string>> => {
      if (last && last.content === content) return last.found;
      const found = await parserOf(given)(content);
      if (typeof found === "string")
        throw new McpError("invalid-result", `the client's answer to ${name} is refused: ${found}`);
      last = { content, found };
      return found;
    };
    const answer = await ask({ ...asked, params: { ...asked.params, requestedSchema } }, parse);
    if (answer["action"] !== "accept") return answer;
    const found = await parse(answer["content"]);
    return found ? { ...answer, content: found.value } : answer;
  },
};

/** Parsers of results: the same schema is passed with every request. */
const parsers = new WeakMap<MessageSchema, Parse>();

function parserOfResult(method: string, schema: MessageSchema): Parse {
  let parser = parsers.get(schema);
  if (!parser) parsers.set(schema, (parser = parserIn(schema, `${method}: result`)));
  return parser;
}

/**
 * The parser of a schema. A schema of a library needs no JSON Schema here: it is never sent, and not every library can
 * convert it.
 *
 * @param place the name of the schema in errors
 * @throws {McpError} `invalid-definition`: it is not a schema, or the engine does not support it
 */
function parserIn(schema: MessageSchema, place: string): Parse {
  return isStandard(schema) ? parserOf(schema) : schemaCheck(schema, place, "input").check;
}

/** The params as their schema (if any) parses them, without `_meta`, which the context holds. */
async function parsedParams(parse: Parse | undefined, given: Params): Promise<unknown> {
  const { _meta, ...params } = given;
  if (!parse) return params;
  return parsed(parse, params, (problem) => invalidParams(`the params are wrong: ${problem}`));
}

function invalid(place: string, problem: string, cause?: SchemaError): McpError {
  return new McpError("invalid-definition", `${place}: ${problem}.`, { cause });
}
