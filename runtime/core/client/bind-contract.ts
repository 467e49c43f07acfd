import type { Open } from "@mcpgen/protocol/open";
import type { RequestOptions } from "@mcpgen/protocol/model";
import { McpError } from "@mcpgen/base";
import type { TemplateValue } from "@mcpgen/engine/uri-template";
import { UriTemplate } from "../protocol/templates.js";
import type { Client } from "./client.js";

/** A tool call that failed: `content` says why, for the model. */
export interface ToolFailure {
  readonly isError: true;
  readonly content: Open<"CallToolResult">["content"];
}

/** The outcome of a call of a tool that has an output schema. */
export type StructuredOutcome<Content> =
  | {
      readonly isError: false;
      readonly structuredContent: Content;
      readonly content: Open<"CallToolResult">["content"];
    }
  | ToolFailure;

/** The outcome of a call of a tool that has no output schema. */
export type ToolOutcome =
  | {
      readonly isError: false;
      readonly structuredContent?: unknown;
      readonly content: Open<"CallToolResult">["content"];
    }
  | ToolFailure;

/**
 * Suggests values of the argument `argument` that begin with `value`. `others` holds the known values of other
 * arguments.
 */
export type Complete<Name extends string> = (
  argument: Name,
  value: string,
  others?: { readonly [Other in Name]?: string },
  options?: RequestOptions,
) => Promise<Open<"CompleteResult">["completion"]>;

/** Returns the problem of structured content, or `undefined` if it is valid. */
export type ContentCheck = (value: unknown) => string | undefined | Promise<string | undefined>;

/** The methods of a client that is generated from a contract: each row begins with the name of the method. */
export interface ContractMethods {
  readonly tools: readonly (readonly [method: string, tool: string, check?: ContentCheck])[];
  readonly prompts?: readonly (readonly [method: string, prompt: string])[];
  readonly resources?: readonly (readonly [method: string, uri: string])[];
  readonly resourceTemplates?: readonly (readonly [method: string, uriTemplate: string])[];
  /** The methods that suggest values of arguments of prompts and of variables of URI templates. */
  readonly complete?: {
    readonly prompts?: readonly (readonly [method: string, prompt: string])[];
    readonly resourceTemplates?: readonly (readonly [method: string, uriTemplate: string])[];
  };
}

type TemplateValues = { readonly [name: string]: TemplateValue };
type Reference = Parameters<Client["complete"]>[0]["ref"];

/**
 * Makes the client of a contract. Generated code calls it and gives the result its exact type: a member for each list
 * of `methods`, with a function for each row.
 *
 * Functions of `tools` reject with `invalid-result` (McpError) if structured content fails the check of its row. All
 * functions reject with the errors of the methods of `client`.
 *
 * @param client a connected client, which sends the requests
 * @param methods the table of the contract
 */
export function bindContract(client: Client, methods: ContractMethods): { readonly client: Client } {
  const { prompts, resources, resourceTemplates, complete } = methods;
  return {
    client,
    tools: byMethod(
      methods.tools,
      (tool, check) => async (args?: object, options?: RequestOptions) =>
        outcomeOf(tool, await client.callTool(tool, args, options), check),
    ),
    ...(prompts && {
      prompts: byMethod(
        prompts,
        (prompt) => (args?: { readonly [name: string]: string }, options?: RequestOptions) =>
          client.getPrompt(prompt, args, options),
      ),
    }),
    ...(resources && {
      resources: byMethod(
        resources,
        (uri) => (options?: RequestOptions) => client.readResource(uri, options),
      ),
    }),
    ...(resourceTemplates && {
      resourceTemplates: byMethod(
        resourceTemplates,
        (uriTemplate) => async (variables: TemplateValues, options?: RequestOptions) =>
          client.readResource(new UriTemplate(uriTemplate).expand(variables), options),
      ),
    }),
    ...(complete && { complete: completions(client, complete) }),
  } as { readonly client: Client };
}

/** An object with a function for each row, under the name that the row begins with. */
function byMethod<Target, More>(
  rows: readonly (readonly [method: string, target: Target, more?: More])[],
  functionOf: (target: Target, more: More | undefined) => unknown,
): object {
  return Object.fromEntries(rows.map(([method, target, more]) => [method, functionOf(target, more)]));
}

async function outcomeOf(
  tool: string,
  result: Awaited<ReturnType<Client["callTool"]>>,
  check: ContentCheck | undefined,
): Promise<ToolOutcome> {
  const { isError, content, structuredContent } = result;
  if (isError === true) return { isError, content };
  const structured = structuredContent === undefined && check ? contentInText(content) : structuredContent;
  const problem = await check?.(structured);
  if (problem !== undefined)
    throw new McpError(
      "invalid-result",
      `the structured content of the tool ${tool} breaks the contract: ${problem}`,
      { data: { result } },
    );
  return { isError: false, content, ...(structured !== undefined && { structuredContent: structured }) };
}

/**
 * Reads structured content from the text block in which servers repeat it: revisions before 2025-06-18 have only that
 * form.
 */
function contentInText(content: Open<"CallToolResult">["content"]): unknown {
  const [block, ...others] = content;
  if (block?.type !== "text" || others.length > 0) return undefined;
  try {
    return JSON.parse(block.text);
  } catch {
    return undefined;
  }
}

function completions(client: Client, complete: NonNullable<ContractMethods["complete"]>): object {
  const { prompts, resourceTemplates } = complete;
  return {
    ...(prompts && {
      prompts: byMethod(prompts, (name) => completer(client, { type: "ref/prompt", name })),
    }),
    ...(resourceTemplates && {
      resourceTemplates: byMethod(resourceTemplates, (uri) =>
        completer(client, { type: "ref/resource", uri }),
      ),
    }),
  };
}

function completer(client: Client, ref: Reference): Complete<string> {
  return async (name, value, others, options) => {
    const context = others && { context: { arguments: others as { readonly [name: string]: string } } };
    const { completion } = await client.complete({ ref, argument: { name, value }, ...context }, options);
    return completion;
  };
}
