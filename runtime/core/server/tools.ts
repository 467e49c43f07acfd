import type { CallToolResult, Tool } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import {
  internalError,
  invalidParams,
  isMcpError,
  isObject,
  isPromise,
  messageOf,
  type Params,
} from "@mcpgen/base";
import type { Parse, Checked } from "../schema/schema-type.js";
import { isSuspended } from "./rounds.js";
import type { HandlerContext } from "./context.js";
import type { RequestContext } from "./request.js";
import type { Listed, Listing } from "./listing.js";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import { notFound, refusal } from "../protocol/error-table.js";
import { type MethodHandler, type OtherResult, isOtherResult, otherResult } from "./server-definition.js";

/**
 * The return value of a tool handler: a text, a list of content, a result, or structured content. Without `content`,
 * the result repeats structured content as text, for models and clients of older revisions. A gateway may return a
 * result that it read from another server. A revision may have other results, each with its `resultType`.
 */
export type ToolAnswer = PlainAnswer | OtherResult<"tools/call", CallToolResult>;

type PlainAnswer = string | Content | Open<"CallToolResult"> | AuthoredResult | StructuredToolAnswer;

type Content = WithBytes<Open<"CallToolResult">["content"][number]>[];

/** A result whose content may have bytes. */
interface AuthoredResult extends Pick<CallToolResult, "isError" | "_meta"> {
  readonly content: Content;
  readonly structuredContent?: unknown;
}

export interface StructuredToolAnswer extends Pick<CallToolResult, "isError" | "_meta"> {
  readonly structuredContent: unknown;
  readonly content?: Content;
}

/** The return value of a handler whose tool has an output schema. Without `content`, the result repeats it as text. */
export type StructuredAnswer<Content> = Structured<Content> | Failure;

// A type, not an interface: only a type is assignable to a result of the protocol, which has an index signature.
type Structured<Content> = Pick<CallToolResult, "_meta"> & {
  readonly structuredContent: Content;
  readonly content?: WithBytes<CallToolResult["content"][number]>[];
  readonly isError?: false;
};

/** The result of a failed tool; `content` is the message for the model. */
type Failure = Pick<CallToolResult, "content" | "_meta"> & { readonly isError: true };

export type ToolHandler<Arguments = never, Answer = ToolAnswer> = (
  args: Arguments,
  context: HandlerContext,
) => Answer | Promise<Answer>;

export interface ToolEntry extends Listed {
  readonly definition: Params & Tool;
  readonly handler: ToolHandler;
  readonly checkInput: Parse;
  readonly checkOutput: Parse | undefined;
}

/** The handler of `tools/call`: finds the tool, checks the arguments, calls its handler and checks the result. */
export function callsOf(tools: Listing<ToolEntry>): MethodHandler {
  return (params: { readonly name: string; readonly arguments?: Params }, context: RequestContext) => {
    const tool = tools.find(params.name, context);
    if (!tool) throw notFound(context.protocol.revision, "tool", params.name, () => tools.names(context));
    const args = params.arguments ?? {};
    if (tool.checkInput.judge?.(args)) return run(tool, args, context);
    const found = tool.checkInput(args, context);
    if (found === undefined) return run(tool, args, context);
    return isPromise(found)
      ? found.then((later) => start(tool, later, args, context))
      : start(tool, found, args, context);
  };
}

function start(
  tool: ToolEntry,
  found: Checked,
  args: Params,
  context: RequestContext,
): Params | Promise<Params> {
  if (typeof found === "string") return refuse(tool.definition.name, found, context);
  return run(tool, found ? (found.value as Params) : args, context);
}

const invalidArguments = "INVALID_TOOL_ARGUMENTS";

/**
 * Answers wrong arguments. Since 2025-11-25 they are a result, so that the model can correct them; earlier revisions
 * define a JSON-RPC error. The option `wrongArguments` chooses one for all revisions.
 */
function refuse(name: string, problem: string, { protocol, connection }: RequestContext): Params {
  const message = `the arguments are wrong: ${problem}`;
  const code = protocol.revision.table.errors[invalidArguments]?.code;
  const { wrongArguments = code === undefined ? "result" : "error" } = connection.definition;
  if (wrongArguments === "result") return failure(message);
  throw refusal(protocol.revision, invalidArguments, invalidParams(message), name);
}

function run(tool: ToolEntry, args: Params, context: RequestContext): Params | Promise<Params> {
  let answer: ToolAnswer | Promise<ToolAnswer>;
  try {
    answer = tool.handler(args as never, context);
    if (isPromise(answer))
      return Promise.resolve(answer).then(
        (value) => finish(tool, value),
        (error: unknown) => failed(tool, error, context),
      );
  } catch (error) {
    return failed(tool, error, context);
  }
  return finish(tool, answer);
}

/**
 * Converts an exception of the handler to a result for the model. Errors with a JSON-RPC code or a name are for the client. The
 * result has the text of an `McpError`; that of another error only if `errors.thrown` allows it.
 */
function failed(tool: ToolEntry, error: unknown, context: RequestContext): Params {
  if (isSuspended(error) || (isMcpError(error) && (error.rpcCode ?? error.protocolName) !== undefined))
    throw error;
  // A handler that caught the rejection of an ask runs again: its own exception is not reported.
  if (!context.over && !context.rounds?.wanted.size) context.report(error);
  const isSent = isMcpError(error) || context.connection.thrownErrors === "message";
  return failure(isSent ? messageOf(error) : `the tool ${tool.definition.name} failed`);
}

function failure(text: string): Params {
  return { content: [{ type: "text", text }], isError: true };
}

function finish(tool: ToolEntry, answer: ToolAnswer): Params | Promise<Params> {
  const content = isObject(answer) ? answer["content"] : answer;
  const isText =
    typeof content === "string" || (isList(content) && content.every(({ type }) => type === "text"));
  const encoding = isText ? undefined : encodeBytes(answer);
  return encoding ? encoding.then((encoded) => complete(tool, encoded)) : complete(tool, answer);
}

function complete(tool: ToolEntry, answer: ToolAnswer): Params | Promise<Params> {
  const result = resultOf(tool, answer);
  if (!tool.checkOutput || result["isError"] === true || isOtherResult(result)) return result;
  const found = tool.checkOutput(result["structuredContent"]);
  return isPromise(found)
    ? found.then((later) => checked(tool, answer, result, later))
    : checked(tool, answer, result, found);
}

/** @param result the result for `answer`, before the schema transformed its structured content */
function checked(tool: ToolEntry, answer: ToolAnswer, result: Params, found: Checked): Params {
  if (typeof found === "string")
    throw internalError(`the tool ${tool.definition.name} broke its outputSchema, without isError: ${found}`);
  return found && isObject(answer) ? resultOf(tool, { ...answer, structuredContent: found.value }) : result;
}

function resultOf({ definition }: ToolEntry, answer: ToolAnswer): Params {
  if (typeof answer === "string") return { content: [{ type: "text", text: answer }] };
  if (isList(answer)) return { content: answer };
  const { content, structuredContent } = isObject(answer) ? (answer as Params) : {};
  if (isList(content)) return answer as Params;
  const text = content === undefined && (JSON.stringify(structuredContent) as string | undefined);
  if (typeof text === "string") return { ...(answer as Params), content: [{ type: "text", text }] };
  return otherResult(
    answer,
    `the tool ${definition.name} gave neither text nor { content: […] } nor { structuredContent: … }`,
  );
}

function isList(value: unknown): value is CallToolResult["content"] {
  return Array.isArray(value) && value.every(isObject);
}
