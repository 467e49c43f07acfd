import type { GetPromptResult, Prompt, PromptArgument } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import { invalidParams, isObject, type Params } from "@mcpgen/base";
import type { HandlerContext } from "./context.js";
import type { RequestContext } from "./request.js";
import { notFound } from "../protocol/error-table.js";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import type { Listed, Listing } from "./listing.js";
import type { Completers } from "./completion.js";
import type { Parse, JsonSchema, InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";
import { type OtherResult, otherResult } from "./server-definition.js";

/** The return value of a prompt handler: a result, or the text of one user message. */
export type PromptAnswer =
  Open<"GetPromptResult"> | BinaryPrompt | string | OtherResult<"prompts/get", GetPromptResult>;

/** A result whose content may have bytes. */
interface BinaryPrompt extends Pick<Open<"GetPromptResult">, "description" | "_meta"> {
  readonly messages: WithBytes<Open<"GetPromptResult">["messages"][number]>[];
}

export type PromptHandler<Arguments = never> = (
  args: Arguments,
  context: HandlerContext,
) => PromptAnswer | Promise<PromptAnswer>;

export interface PromptEntry extends Listed {
  readonly definition: Params & Prompt;
  readonly handler: PromptHandler;
  readonly completers: Completers;
  /** Checks the arguments, if they have a schema. */
  readonly checkInput?: Parse | undefined;
}

/** Handles `prompts/get`: finds the prompt, checks the arguments and calls the handler. */
export async function getPrompt(
  prompts: Listing<PromptEntry>,
  params: { readonly name: string; readonly arguments?: Params },
  context: RequestContext,
): Promise<Params> {
  const prompt = prompts.find(params.name, context);
  if (!prompt) throw notFound(context.protocol.revision, "prompt", params.name, () => prompts.names(context));
  const args = params.arguments ?? {};
  const missing = prompt.definition.arguments?.filter(
    ({ name, required }) => required && !Object.hasOwn(args, name),
  );
  if (missing?.length)
    throw invalidParams(
      `the prompt ${params.name} needs the arguments ${missing.map(({ name }) => name).join(", ")}`,
    );
  const found = await prompt.checkInput?.(args, context);
  if (typeof found === "string")
    throw invalidParams(`the arguments of the prompt ${params.name} are wrong: ${found}`);
  const answer = await prompt.handler((found ? found.value : args) as never, context);
  if (typeof answer !== "string") return resultOf(answer, params.name);
  return { messages: [{ role: "user", content: { type: "text", text: answer } }] };
}

function resultOf(answer: Exclude<PromptAnswer, string>, name: string): Params | Promise<Params> {
  const { messages }: Params = isObject(answer) ? (answer as Params) : {};
  if (Array.isArray(messages) && messages.every(isObject))
    return (encodeBytes(answer) ?? answer) as Params | Promise<Params>;
  return otherResult(answer, `the prompt ${name} gave neither text nor { messages: [{ role, content }] }`);
}

/** The arguments of a prompt: a list of arguments, or the schema of an object with a member for each argument. */
export type PromptArguments = readonly PromptArgument[] | ToolSchema;

/** The arguments that a prompt handler gets. */
export type PromptValues<Given> = PromptArguments extends Given
  ? { [name: string]: string }
  : Given extends readonly PromptArgument[]
    ? ListedValues<Given>
    : OutputOf<Given>;

/** Names of a prompt's arguments. */
export type ArgumentNames<Given> = PromptArguments extends Given
  ? string
  : Given extends readonly PromptArgument[]
    ? Given[number]["name"]
    : unknown extends InputOf<Given>
      ? string
      : keyof InputOf<Given> & string;

type ListedValues<List extends readonly PromptArgument[]> = number extends List["length"]
  ? { [name: string]: string }
  : { [Name in RequiredIn<List>["name"]]: string } & {
      [Name in Exclude<List[number], RequiredIn<List>>["name"]]?: string;
    };

type RequiredIn<List extends readonly PromptArgument[]> = Extract<List[number], { readonly required: true }>;

/** Converts the members of an object schema to arguments of a prompt. */
export function argumentsOf({ properties, required }: JsonSchema): PromptArgument[] {
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(isObject(properties) ? properties : {}).map(([name, property]) => {
    const { title, description } = isObject(property) ? property : {};
    return {
      name,
      ...(typeof title === "string" ? { title } : {}),
      ...(typeof description === "string" ? { description } : {}),
      ...(needed.includes(name) ? { required: true } : {}),
    };
  });
}
