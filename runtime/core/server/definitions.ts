import type { Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import type { Inferred, InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";
import type { Completer } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { CacheHints } from "./prepared.js";
import type { ArgumentNames, PromptArguments, PromptValues } from "./prompt-arguments.js";
import type { StructuredAnswer, ToolHandler } from "./tools.js";
import type { VariableNames } from "./uri-template-type.js";

/** What was registered, to change or withdraw it while clients are connected; they are told. */
export interface Registration<Definition> {
  enable(): void;
  disable(): void;
  /** Changes what the list says of it. */
  update(changes: Partial<Definition>): void;
  remove(): void;
}

interface Visibility<Definition> {
  /** Whether this client gets to see and use it; everybody does without it. */
  readonly visible?: (definition: Definition, context: HandlerContext) => boolean;
}

/** A tool as its author writes it: schemas as JSON Schema, or of any library that implements Standard JSON Schema. */
export interface ToolDefinition<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>
  extends Omit<Tool, "name" | "inputSchema" | "outputSchema">, Visibility<Tool> {
  /** Of an object; one without members if it is left out. */
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
}

export interface ResourceDefinition extends Omit<Resource, "uri" | "name">, Visibility<Resource> {
  /** The URI, if left out. */
  readonly name?: string;
  readonly cache?: CacheHints;
}

export interface TemplateDefinition<Template extends string = string>
  extends Omit<ResourceTemplate, "uriTemplate" | "name">, Visibility<ResourceTemplate> {
  /** The template, if left out. */
  readonly name?: string;
  readonly cache?: CacheHints;
  /** Suggestions for its variables. */
  readonly complete?: CompletersFor<VariableNames<Template>>;
}

export interface PromptDefinition<Given extends PromptArguments = PromptArguments>
  extends Omit<Prompt, "name" | "arguments">, Visibility<Prompt> {
  /** A list, or a schema of an object whose members they are. */
  readonly arguments?: Given;
  /** Suggestions for its arguments. */
  readonly complete?: CompletersFor<ArgumentNames<Given>>;
}

/** A completer for each of some names. */
type CompletersFor<Names extends string> = [Names] extends [never]
  ? { readonly [name: string]: never }
  : { readonly [Name in Names]?: Completer };

/**
 * A tool's handler: what it gets is written as a type argument, or follows from one schema; what it gives, from the
 * other.
 */
// A conditional type is settled before the compiler looks at the function: a text in a result stays one of its choices.
export type HandlerOf<Written, Input, Output, Given> = ToolSchema extends Output
  ? ToolHandler<ArgumentsOf<Written, Input>>
  : ToolHandler<ArgumentsOf<Written, Input>, Exactly<Given, InputOf<Output>>>;

/**
 * What is given for `Content`, and no field beside. The result of a function may hold more than its type names; a
 * misspelt field would pass.
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

/** Arguments are an object, whatever the schema says of them. */
type Known<Arguments> = unknown extends Arguments ? { [name: string]: unknown } : Arguments;

/** What a prompt's handler gets. */
export type PromptValuesOf<Written, Given> = [Written] extends [Inferred] ? PromptValues<Given> : Written;
