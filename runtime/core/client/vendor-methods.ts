import type { RequestOptions } from "@mcpgen/protocol/model";
import { internalError, invalidParams, McpError, messageOf, type Params } from "@mcpgen/base";
import type { MethodSchemas } from "../schema/schema-check.js";
import {
  type InputOf,
  type MessageSchema,
  type OutputOf,
  type Parse,
  parsed,
  parsedResult,
} from "../schema/schema-type.js";
import type { AnswerContext, NotificationListener } from "./middleware.js";

/** Answers a request of the server whose method no revision defines. */
export type VendorHandler<Given = Params, Result = object> = (
  params: Given,
  context: AnswerContext,
) => Result | Promise<Result>;

/** The options of a request whose result has a schema. */
export interface VendorRequestOptions<Schema extends MessageSchema = MessageSchema> extends RequestOptions {
  /**
   * Parses the result; `{}` accepts any. It does not see `_meta` and `resultType`. A method that the negotiated revision
   * does not have is sent only with this option.
   */
  readonly result: Schema;
}

/**
 * The parameters of a handler or listener: the output of the schema, or the unchanged parameters if there is no schema.
 */
export type GivenBy<Schema> = [Schema] extends [never] ? Params : OutputOf<Schema>;

/** The handler of a method with these schemas. It returns the input of the schema of the result. */
// The compiler resolves a conditional type before it checks the function: a string literal in a result keeps its type.
export type VendorHandlerOf<Given, Taken> = [Taken] extends [never]
  ? VendorHandler<GivenBy<Given>>
  : VendorHandler<GivenBy<Given>, InputOf<Taken>>;

type Warn = (message: string) => void;

/** The handlers of vendor methods, and the handler for all other methods. */
export class VendorHandlers {
  readonly #byMethod = new Map<string, VendorHandler>();
  readonly #warn: Warn;

  /** @param warn receives schemas that cannot be read */
  constructor(warn: Warn) {
    this.#warn = warn;
  }

  /**
   * @param method `*` for all methods without a handler
   * @returns a function that removes the handler
   * @throws {McpError} `invalid-definition`: the method has a handler
   */
  add(method: string, { params, result }: MethodSchemas, handler: VendorHandler): () => void {
    if (typeof handler !== "function")
      throw new McpError("invalid-definition", `${method}: expected a function as its handler`);
    if (this.#byMethod.has(method))
      throw new McpError("invalid-definition", `${method} has a handler already. Remove it first.`);
    if (params) readAhead(params, `${method}: params`, this.#warn);
    if (result) readAhead(result, `${method}: result`, this.#warn);
    const checked = params ? withParams(method, params, handler) : handler;
    const whole = result ? withResult(method, result, checked) : checked;
    this.#byMethod.set(method, whole);
    return () => {
      if (this.#byMethod.get(method) === whole) this.#byMethod.delete(method);
    };
  }

  /** Whether a method has its own handler. */
  has(method: string): boolean {
    return this.#byMethod.has(method);
  }

  /** The handler of a method. */
  of(method: string): VendorHandler | undefined {
    return this.#byMethod.get(method) ?? this.#byMethod.get("*");
  }
}

function withParams(method: string, schema: MessageSchema, handler: VendorHandler): VendorHandler {
  const wrong = (problem: string): McpError =>
    invalidParams(`${method}: the parameters are wrong: ${problem}`);
  return async (params, context) => {
    const parse = await checkBy(schema, `${method}: params`);
    return handler((await parsed(parse, params, wrong)) as Params, context);
  };
}

function withResult(method: string, schema: MessageSchema, handler: VendorHandler): VendorHandler {
  const wrong = (problem: string): McpError =>
    internalError(`${method}: the result of the handler is wrong: ${problem}`);
  return async (params, context) => {
    const result = (await handler(params, context)) as Params;
    return parsedResult(await checkBy(schema, `${method}: result`), result, wrong);
  };
}

/** A listener that gets the output of the schema. Warns if the schema refuses them. */
export function parsing(
  method: string,
  schema: MessageSchema,
  listener: NotificationListener,
  warn: Warn,
): NotificationListener {
  const place = `${method}: params`;
  readAhead(schema, place, warn);
  return async (params, received, request) => {
    let given: unknown;
    try {
      given = await parsed(await checkBy(schema, place), params, invalidParams);
    } catch (error) {
      return warn(`${method} is left out: the parameters are wrong: ${messageOf(error)}`);
    }
    return listener(given as Params, received, request);
  };
}

/**
 * Reads a schema before its first use. An unreadable schema causes a warning, because handlers are registered
 * synchronously.
 */
function readAhead(schema: MessageSchema, place: string, warn: Warn): void {
  checkBy(schema, place).catch((error: unknown) => warn(messageOf(error)));
}

/** Checks made of schemas. A JSON Schema is read once. */
const checks = new WeakMap<object, Promise<Parse>>();

/**
 * Reads a schema.
 *
 * @param place the name of the schema in errors
 * @throws {McpError} `invalid-definition`: it is not a schema, or the engine does not support it
 */
export async function checkBy(schema: MessageSchema, place: string): Promise<Parse> {
  // Callers in JavaScript may pass anything; schemas of some libraries are functions.
  if (typeof schema !== "function" && (typeof schema !== "object" || schema === null))
    throw new McpError("invalid-definition", `${place}: expected a schema`);
  let check = checks.get(schema);
  if (!check) checks.set(schema, (check = read(schema, place)));
  return check;
}

/**
 * Loads the code on first use: few clients have vendor methods, and even fewer use schemas that need the interpreter.
 */
async function read(schema: MessageSchema, place: string): Promise<Parse> {
  const { isStandard, parserOf } = await import("../schema/standard-schema.js");
  if (isStandard(schema)) return parserOf(schema);
  const { schemaCheck } = await import("../schema/schema-check.js");
  return schemaCheck(schema, place, "input").check;
}
