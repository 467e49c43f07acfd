import type { Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import type { Inferred, InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";
import type { Completer } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { CacheHints } from "./prepared.js";
import type { ArgumentNames, PromptArguments, PromptValues } from "./prompt-arguments.js";
import type { StructuredAnswer, ToolAnswer } from "./tools.js";
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

/** What a tool's handler gets: what is written as a type argument, or what follows from the schema. */
export type ArgumentsOf<Written, Input> = [Written] extends [Inferred]
  ? ToolSchema extends Input
    ? { [name: string]: unknown }
    : OutputOf<Input>
  : Written;

/** What a tool's handler gives. */
// It is `never` while the compiler looks for type arguments inside the handler, before that of the schema is settled.
export type AnswerOf<Output> = [Output] extends [never]
  ? ToolAnswer
  : ToolSchema extends Output
    ? ToolAnswer
    : StructuredAnswer<InputOf<Output>>;

/** What a prompt's handler gets. */
export type PromptValuesOf<Written, Given> = [Written] extends [Inferred] ? PromptValues<Given> : Written;
