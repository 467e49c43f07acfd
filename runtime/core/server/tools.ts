import type { CallToolResult, Tool } from "@mcpgen/protocol/authoring";
import { McpError, invalidParams, isMcpError, messageOf, rpc } from "../peer/errors.js";
import { type Params, isObject, isPromise } from "../peer/message.js";
import { isSuspended } from "./ask-in-rounds.js";
import type { HandlerContext, RequestContext } from "./context.js";
import type { Listed, Listing } from "./listing.js";
import { unfit } from "./unfit.js";

/** Says what is wrong with a value in a few lines; nothing if it is right. */
export type Check = (value: unknown) => string | undefined | Promise<string | undefined>;

/**
 * What a tool may answer: a text or a list of content, for a result with that alone; a result; or structured content,
 * which is repeated as text for models and old clients where `content` is left out.
 */
export type ToolAnswer = string | CallToolResult["content"] | CallToolResult | StructuredToolAnswer;

export interface StructuredToolAnswer extends Pick<CallToolResult, "isError" | "_meta"> {
  readonly structuredContent: unknown;
  readonly content?: CallToolResult["content"];
}

export type ToolHandler<Arguments = never> = (
  args: Arguments,
  context: HandlerContext,
) => ToolAnswer | Promise<ToolAnswer>;

export interface ToolEntry extends Listed {
  definition: Params & Tool;
  handler: ToolHandler;
  checkInput: Check;
  checkOutput: Check | undefined;
}

/** `tools/call`: finds the tool, checks its arguments, runs it and checks its answer. */
export function callTool(
  tools: Listing<ToolEntry>,
  params: { readonly name: string; readonly arguments?: Params },
  context: RequestContext,
): Params | Promise<Params> {
  const tool = tools.find(params.name, context);
  if (!tool) throw invalidParams(`there is no tool ${JSON.stringify(params.name)}`);
  const args = params.arguments ?? {};
  const problem = tool.checkInput(args);
  if (problem instanceof Promise)
    return problem.then((found) => (found === undefined ? run(tool, args, context) : refuse(found, context)));
  return problem === undefined ? run(tool, args, context) : refuse(problem, context);
}

/**
 * Wrong arguments are for the model to mend (2025-11-25 on: an execution error); revisions before make them
 * a protocol error, and name its code. A server may choose one of the two for all.
 */
function refuse(problem: string, { terms, connection }: RequestContext): Params {
  const message = `the arguments are wrong: ${problem}`;
  const code = terms.spoken.table.errors["INVALID_TOOL_ARGUMENTS"]?.code;
  const { wrongArguments = code === undefined ? "result" : "error" } = connection.core;
  if (wrongArguments === "result") return failure(message);
  throw new McpError("invalid-params", message, { rpcCode: code ?? rpc.invalidParams });
}

function run(tool: ToolEntry, args: Params, context: RequestContext): Params | Promise<Params> {
  let answer: ToolAnswer | Promise<ToolAnswer>;
  try {
    answer = tool.handler(args as never, context);
    if (isPromise(answer))
      return Promise.resolve(answer).then(
        (value) => finish(tool, value),
        (error: unknown) => failed(error, context),
      );
  } catch (error) {
    return failed(error, context);
  }
  return finish(tool, answer);
}

/** A tool that fails tells the model so; errors that name a code of JSON-RPC are meant for the client. */
function failed(error: unknown, context: RequestContext): Params {
  if (isSuspended(error) || (isMcpError(error) && error.rpcCode !== undefined)) throw error;
  // A handler that swallowed what an ask threw runs again: what it makes of that is no failure.
  if (!context.over && !context.rounds?.wanted.size) context.report(error);
  return failure(messageOf(error));
}

function failure(text: string): Params {
  return { content: [{ type: "text", text }], isError: true };
}

function finish(tool: ToolEntry, answer: ToolAnswer): Params | Promise<Params> {
  const result = resultOf(tool, answer);
  if (!tool.checkOutput || result["isError"] === true) return result;
  const problem = tool.checkOutput(result["structuredContent"]);
  if (problem instanceof Promise) return problem.then((found) => checked(tool, result, found));
  return checked(tool, result, problem);
}

function checked({ definition }: ToolEntry, result: Params, problem: string | undefined): Params {
  if (problem === undefined) return result;
  throw new McpError(
    "internal-error",
    `the tool ${definition.name} answered against its outputSchema: ${problem}`,
    {
      rpcCode: rpc.internalError,
    },
  );
}

function resultOf(tool: ToolEntry, answer: ToolAnswer): Params {
  if (typeof answer === "string") return { content: [{ type: "text", text: answer }] };
  if (isList(answer)) return { content: answer };
  if (!isObject(answer)) throw unfitTool(tool);
  const { content, structuredContent } = answer;
  if (isList(content)) return answer;
  const text = content === undefined && (JSON.stringify(structuredContent) as string | undefined);
  if (typeof text !== "string") throw unfitTool(tool);
  return { ...answer, content: [{ type: "text", text }] };
}

function isList(value: unknown): value is CallToolResult["content"] {
  return Array.isArray(value) && value.every(isObject);
}

function unfitTool({ definition }: ToolEntry): McpError {
  return unfit(
    `the tool ${definition.name} gave no text, no list of content, and no result with one or with structuredContent`,
  );
}
