import type { Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import type { UsedExtension } from "@mcpgen/protocol/model";
import type { Open } from "@mcpgen/protocol/open";
import type { Inferred, InputOf, OutputOf, StandardJsonSchema, ToolSchema } from "../schema/schema-type.js";
import type { AddedToolOptions } from "./added-members.js";
import type { Completer } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { ArgumentNames, PromptArguments, PromptHandler, PromptValues } from "./prompts.js";
import type { ResourceHandler, TemplateHandler } from "./resources.js";
import type { Scopes } from "./listing.js";
import type { CacheHints } from "./server-definition.js";
import type { StructuredAnswer, ToolHandler } from "./tools.js";
import type { VariableNames, VariablesOf } from "@mcpgen/engine/uri-template";

/** What a server offers: tools, resources, templates of resources, prompts. */
export type Kind = "tools" | "resources" | "templates" | "prompts";

/** The member of a definition that is its key. */
export const keyMembers = {
  tools: "name",
  resources: "uri",
  templates: "uriTemplate",
  prompts: "name",
} as const;

interface Visibility<Definition> {
  /** Whether this client may see and use it. By default, every client may. */
  readonly visible?: (definition: Definition, context: HandlerContext) => boolean;
  /** Scopes that `permit` of an HTTP endpoint requires for it. Default: none. */
  readonly scopes?: Scopes;
  /**
   * Whether the handler may run again from its first line, with the answers so far and the results of `context.once`, where it
   * cannot wait for its client (2026-07-28): after a restart, in another process, without `state.parking`. Default: `false`, such
   * a call then ends with `state-lost`.
   */
  readonly replay?: boolean;
}

/** The members that extensions add to a definition of the protocol. */
export type Added<Members, Definition extends string> = Members extends {
  readonly [Name in Definition]: infer Found;
}
  ? Found
  : unknown;

/** The members that all of these extensions add, by definition. */
export type MembersOf<Used extends readonly unknown[]> = Used extends readonly [infer First, ...infer Rest]
  ? MembersOfOne<First> & MembersOf<Rest>
  : unknown;

type MembersOfOne<Used> = Used extends UsedExtension<"server", never, infer Members> ? Members : unknown;

/** The definition of a tool. A schema is JSON Schema, or of a library that implements Standard JSON Schema. */
export interface ToolDefinition<Input extends ToolSchema = ToolSchema, Output extends ToolSchema = ToolSchema>
  extends Omit<Open<"Tool">, "name" | "inputSchema" | "outputSchema">, Visibility<Tool>, AddedToolOptions {
  /** The schema of an object. Default: `{ "type": "object" }`. */
  readonly inputSchema?: Input;
  readonly outputSchema?: Output;
}

export interface ResourceDefinition extends Omit<Open<"Resource">, "uri" | "name">, Visibility<Resource> {
  /** Default: the URI. */
  readonly name?: string;
  readonly cache?: CacheHints;
}

export interface TemplateDefinition<Template extends string = string>
  extends Omit<Open<"ResourceTemplate">, "uriTemplate" | "name">, Visibility<ResourceTemplate> {
  /** Default: the template. */
  readonly name?: string;
  readonly cache?: CacheHints;
  /**
   * Returns resources of this template for `resources/list`, on each request for it. What it throws is reported (`handler-error`); the
   * list then has the other resources. Default: clients see the template alone.
   */
  readonly list?: TemplateLister;
  /** Completers by variable. */
  readonly complete?: CompletersFor<VariableNames<Template>>;
}

/** Lists the resources of a template that this client may see. */
export type TemplateLister = (
  context: HandlerContext,
) => readonly ListedResource[] | Promise<readonly ListedResource[]>;

/** A resource that the `list` of a template returns. */
export interface ListedResource extends Omit<Open<"Resource">, "name"> {
  /** Default: the URI. */
  readonly name?: string;
}

export interface PromptDefinition<Given extends PromptArguments = PromptArguments>
  extends Omit<Open<"Prompt">, "name" | "arguments">, Visibility<Prompt> {
  /** A list of arguments, or the schema of an object with a member for each argument. */
  readonly arguments?: Given;
  /** Completers by argument. */
  readonly complete?: CompletersFor<ArgumentNames<Given>>;
}

/** Completers by name. */
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

/** The type of the arguments of a prompt handler. */
export type PromptValuesOf<Written, Given> = [Written] extends [Inferred] ? PromptValues<Given> : Written;

/**
 * A registered tool, resource, resource template or prompt. Each change notifies the connected clients, once for all
 * changes of a turn.
 */
export interface Registration {
  readonly enabled: boolean;
  enable(): void;
  /** Hides it from clients, and refuses their requests for it. */
  disable(): void;
  remove(): void;
}

/** Members to change; `undefined` removes a member, or restores its default. */
type Changes<Definition> = { readonly [Name in keyof Definition]?: Definition[Name] | undefined };

export interface ToolRegistration<
  Input extends ToolSchema = ToolSchema,
  Output extends ToolSchema = ToolSchema,
> extends Registration {
  /**
   * Changes members of the definition, the name or the handler. Later calls use them; calls that run keep the handler and
   * the schemas they started with. The types of the handler follow from the schemas in this call, otherwise from those of
   * the registration.
   *
   * @throws {McpError} `invalid-definition`: as `tool`, or the tool was removed; nothing is changed then
   */
  update<
    Arguments = Inferred,
    const NewInput extends ToolSchema = Input,
    const NewOutput extends ToolSchema = Output,
    Given = unknown,
  >(
    changes: Changes<ToolDefinition<NewInput, NewOutput>> & {
      readonly name?: string | undefined;
      readonly handler?:
        HandlerOf<NoInfer<Arguments>, NoInfer<NewInput>, NoInfer<NewOutput>, Given> | undefined;
    },
  ): void;
}

/** The input schema of a tool, or one that stands for the type argument that replaces its type. */
export type InputFor<Written, Input extends ToolSchema> = [Written] extends [Inferred]
  ? Input
  : StandardJsonSchema<Written>;

export interface ResourceRegistration extends Registration {
  /**
   * As `update` of a tool. Without a name, a resource is named by its new URI.
   *
   * @throws {McpError} `invalid-definition`
   */
  update(
    changes: Changes<ResourceDefinition> & {
      readonly uri?: string | undefined;
      readonly handler?: ResourceHandler | undefined;
    },
  ): void;
}

export interface TemplateRegistration<Template extends string = string> extends Registration {
  /**
   * As `update` of a tool. The variables of the handler and of `complete` follow from `uriTemplate` in this call, otherwise
   * from that of the registration.
   *
   * @throws {McpError} `invalid-definition`: also if a completer is for a variable that the template does not have
   */
  update<const NewTemplate extends string = Template>(
    changes: Changes<TemplateDefinition<NoInfer<NewTemplate>>> & {
      readonly uriTemplate?: NewTemplate | undefined;
      readonly handler?: TemplateHandler<VariablesOf<NoInfer<NewTemplate>>> | undefined;
    },
  ): void;
}

export interface PromptRegistration<Given extends PromptArguments = PromptArguments> extends Registration {
  /**
   * As `update` of a tool. The types of the handler and of `complete` follow from `arguments` in this call, otherwise from
   * those of the registration.
   *
   * @throws {McpError} `invalid-definition`: also if a completer is for an argument that the prompt does not have
   */
  update<Arguments = Inferred, const NewGiven extends PromptArguments = Given>(
    changes: Changes<PromptDefinition<NewGiven>> & {
      readonly name?: string | undefined;
      readonly handler?: PromptHandler<PromptValuesOf<NoInfer<Arguments>, NoInfer<NewGiven>>> | undefined;
    },
  ): void;
}
