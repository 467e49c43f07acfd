import type { GetPromptResult, Prompt } from "@mcpgen/protocol/authoring";
import { invalidParams } from "../jsonrpc/errors.js";
import { type Params, isObject } from "../jsonrpc/message.js";
import type { HandlerContext, RequestContext } from "./context.js";
import type { Listed, Listing } from "./listing.js";
import type { Completers } from "./completion.js";
import type { Parse } from "../schema/check.js";
import { unfit } from "./unfit.js";

/** What a prompt may give: a result, or a text for one message of the user's. */
export type PromptAnswer = GetPromptResult | string;

export type PromptHandler<Arguments = never> = (
  args: Arguments,
  context: HandlerContext,
) => PromptAnswer | Promise<PromptAnswer>;

export interface PromptEntry extends Listed {
  definition: Params & Prompt;
  handler: PromptHandler;
  completers: Completers;
  /** Of the schema that the arguments have, where they have one. */
  checkInput?: Parse | undefined;
}

/** `prompts/get`: finds the prompt, sees that its required arguments are there, and runs it. */
export async function getPrompt(
  prompts: Listing<PromptEntry>,
  params: { readonly name: string; readonly arguments?: Params },
  context: RequestContext,
): Promise<Params> {
  const prompt = prompts.find(params.name, context);
  if (!prompt) throw invalidParams(`there is no prompt ${JSON.stringify(params.name)}`);
  const args = params.arguments ?? {};
  const missing = prompt.definition.arguments?.filter(
    ({ name, required }) => required && !Object.hasOwn(args, name),
  );
  if (missing?.length)
    throw invalidParams(
      `the prompt ${params.name} needs the arguments ${missing.map(({ name }) => name).join(", ")}`,
    );
  const found = await prompt.checkInput?.(args);
  if (typeof found === "string")
    throw invalidParams(`the arguments of the prompt ${params.name} are wrong: ${found}`);
  const answer = await prompt.handler((found ? found.value : args) as never, context);
  if (typeof answer !== "string") return resultOf(answer, params.name);
  return { messages: [{ role: "user", content: { type: "text", text: answer } }] };
}

function resultOf(answer: GetPromptResult, name: string): Params {
  if (isObject(answer) && Array.isArray(answer.messages) && answer.messages.every(isObject)) return answer;
  throw unfit(`the prompt ${name} gave no text, and no result with messages`);
}
