import type { Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import type { Inferred, InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";
import type { Completer } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { CacheHints } from "./prepared.js";
import type { ArgumentNames, PromptArguments, PromptValues } from "./prompt-arguments.js";
import type { StructuredAnswer, ToolHandler } from "./tools.js";
import type { VariableNames } from "./uri-template-type.js";

/** A registered tool, resource or prompt. Each change notifies the connected clients. */
export interface Registration<Definition> {
  enable(): void;
  disable(): void;
  /** Changes members of its definition. */
  update(changes: Partial<Definition>): void;
  remove(): void;
}

interface Visibility<Definition> {
  /** Whether this client may see and use it. By default, every client may. */
  readonly visible?: (definition: Definition, context: HandlerContext) => boolean;
}

/** The definition of a tool. A schema is JSON Schema, or of a library that implements Standard JSON Schema. */
export interface ToolDefinition<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>
  extends Omit<Tool, "name" | "inputSchema" | "outputSchema">, Visibility<Tool> {
  /** The schema of an object. Default: `{ "type": "object" }`. */
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
}

export interface ResourceDefinition extends Omit<Resource, "uri" | "name">, Visibility<Resource> {
  /** Default: the URI. */
  readonly name?: string;
  readonly cache?: CacheHints;
}

export interface TemplateDefinition<Template extends string = string>
  extends Omit<ResourceTemplate, "uriTemplate" | "name">, Visibility<ResourceTemplate> {
  /** Default: the template. */
  readonly name?: string;
  readonly cache?: CacheHints;
  /** Completers by variable. */
  readonly complete?: CompletersFor<VariableNames<Template>>;
}

export interface PromptDefinition<Given extends PromptArguments = PromptArguments>
  extends Omit<Prompt, "name" | "arguments">, Visibility<Prompt> {
  /** A list of arguments, or the schema of an object with a member for each argument. */
  readonly arguments?: Given;
  /** Completers by argument. */
  readonly complete?: CompletersFor<ArgumentNames<Given>>;
}

/** A completer for each of some names. */
type CompletersFor<Names extends string> = [Names] extends [never]
  ? { readonly [name: string]: never }
  : { readonly [Name in Names]?: Completer };

/**
 * The handler of a tool. The type of its arguments is the type argument, or follows from the input schema. The type of its
 * result follows from the output schema.
 */
// The compiler resolves a conditional type before it checks the function: a string literal in a result keeps its type.
export type HandlerOf<Written, Input, Output, Given> = ToolSchema extends Output
  ? ToolHandler<ArgumentsOf<Written, Input>>
  : ToolHandler<ArgumentsOf<Written, Input>, Exactly<Given, InputOf<Output>>>;

/**
 * The result for `Content`, without further fields. TypeScript allows excess fields in the return value of a function, so a
 * misspelt optional field would compile.
 */
type Exactly<Given, Content> = [Excess<Given, Content>] extends [never]
  ? StructuredAnswer<Content>
  : Given & {
      readonly structuredContent: {
        readonly [Name in Excess<Given, Content>]: "this field is not in the outputSchema";
      };
    };

type Excess<Given, Content> = unknown extends Content
  ? never
  : Given extends { readonly structuredContent: infer Found }
    ? Exclude<keyof Found, NamesOf<Content>>
    : never;

type NamesOf<Content> = Content extends unknown ? keyof Content : never;

type ArgumentsOf<Written, Input> = [Written] extends [Inferred] ? Known<OutputOf<Input>> : Written;

/** Arguments are always an object, even if their schema does not say so. */
type Known<Arguments> = unknown extends Arguments ? { [name: string]: unknown } : Arguments;

/** The arguments of a prompt's handler. */
export type PromptValuesOf<Written, Given> = [Written] extends [Inferred] ? PromptValues<Given> : Written;
