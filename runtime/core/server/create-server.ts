import type { Prompt, Resource, ResourceTemplate, Tool, Implementation } from "@mcpgen/protocol/authoring";
import type { Open } from "@mcpgen/protocol/open";
import type { Inferred, InputOf, OutputOf, ToolSchema } from "../schema/schema-type.js";
import { type Completer, complete, requireArguments } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { CacheHints } from "./server-definition.js";
import {
  type ArgumentNames,
  type PromptArguments,
  type PromptValues,
  argumentsOf,
  type PromptEntry,
  type PromptHandler,
  getPrompt,
} from "./prompts.js";
import type { StructuredAnswer, ToolHandler, ToolEntry } from "./tools.js";
import { type VariableNames, type VariablesOf, TemplateMatcher } from "../protocol/template-matcher.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { schemaCheck } from "../schema/schema-check.js";
import { checkDefinition, checkSpelling, requireHandler, checkServerOptions } from "./definition-check.js";
import type { Listed, Listing } from "./listing.js";
import { type ResourceHandler, type TemplateEntry, type TemplateHandler, readResource } from "./resources.js";
import { Server, type ServerOptions } from "./server.js";

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
  extends Omit<Open<"Tool">, "name" | "inputSchema" | "outputSchema">, Visibility<Tool> {
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
  /** Completers by variable. */
  readonly complete?: CompletersFor<VariableNames<Template>>;
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

/** A server that is defined in code. Tools, resources and prompts may change while it runs. */
export class CodeFirstServer extends Server {
  constructor(info: Implementation, options: ServerOptions) {
    checkServerOptions(info, options);
    checkSpelling("info", info, "Implementation");
    checkSpelling("capabilities", options.capabilities ?? {}, "ServerCapabilities");
    super(info, options, true);
    this.features.others = { readResource, getPrompt, complete };
  }

  /**
   * Registers a tool. Its handler gets the arguments as `inputSchema` parses them, and returns what `outputSchema`
   * accepts. Types follow from the schemas; a JSON Schema must be written in the call for that. A type argument replaces
   * the type of the arguments.
   *
   * @throws {McpError} `invalid-definition`: an option or a schema is wrong, or the name is taken
   */
  tool<
    Arguments = Inferred,
    const Input extends ToolSchema = ToolSchema,
    const Output extends ToolSchema = ToolSchema,
    Given = unknown,
  >(
    name: string,
    definition: ToolDefinition<Input, Output>,
    handler: HandlerOf<NoInfer<Arguments>, NoInfer<Input>, NoInfer<Output>, Given>,
  ): Registration<Omit<ToolDefinition, "visible">> {
    const place = `tool ${JSON.stringify(name)}`;
    checkDefinition(place, definition, "Tool", ["visible"]);
    requireHandler(place, handler);
    const { visible, inputSchema = { type: "object" }, outputSchema, ...rest } = definition;
    const schemas = schemasOf(place, { inputSchema, ...(outputSchema ? { outputSchema } : {}) });
    const entry = {
      definition: { name, ...rest, ...schemas.definition } as Params & Tool,
      enabled: true,
      visible,
      handler: handler as unknown as ToolHandler,
      ...schemas.checks,
    } as ToolEntry;
    return this.#register("tools", name, this.features.tools, entry, (changed, changes) => {
      checkDefinition(place, changes, "Tool");
      const next = schemasOf(place, changes as ToolDefinition);
      Object.assign(changed, next.checks);
      return { ...changes, ...next.definition };
    });
  }

  /** Registers a resource. @throws {McpError} `invalid-definition` */
  resource(
    uri: string,
    definition: ResourceDefinition,
    handler: ResourceHandler,
  ): Registration<Omit<Resource, "uri">> {
    const place = `resource ${JSON.stringify(uri)}`;
    checkDefinition(place, definition, "Resource", ["visible", "cache"]);
    requireHandler(place, handler);
    const { visible, cache, ...rest } = definition;
    const entry = {
      definition: { uri, name: uri, ...rest } as Params & Resource,
      enabled: true,
      visible,
      handler,
      hints: cache,
    };
    return this.#register("resources", uri, this.features.resources, entry, (_, changes) => {
      checkDefinition(place, changes, "Resource");
      return changes;
    });
  }

  /**
   * Registers a template for resources (RFC 6570). If the template is written in the call, the names of its variables
   * follow from it.
   *
   * @throws {McpError} `invalid-definition`
   */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    definition: TemplateDefinition<NoInfer<Template>>,
    handler: TemplateHandler<VariablesOf<Template>>,
  ): Registration<Omit<ResourceTemplate, "uriTemplate">> {
    const place = `template ${JSON.stringify(uriTemplate)}`;
    checkDefinition(place, definition, "ResourceTemplate", ["visible", "cache", "complete"]);
    requireHandler(place, handler);
    const { visible, cache, complete = {}, ...rest } = definition;
    const template = new TemplateMatcher(uriTemplate);
    requireArguments(place, template.variables, complete);
    const entry = {
      definition: { uriTemplate, name: uriTemplate, ...rest } as Params & ResourceTemplate,
      template,
      enabled: true,
      visible,
      handler: handler as TemplateHandler<never> as TemplateEntry["handler"],
      completers: complete,
      hints: cache,
    };
    return this.#register("templates", uriTemplate, this.features.templates, entry, (_, changes) => {
      checkDefinition(place, changes, "ResourceTemplate");
      return changes;
    });
  }

  /**
   * Registers a prompt. Its handler gets the arguments, parsed by their schema if they have one. Types follow from
   * `arguments`; a type argument replaces them.
   *
   * @throws {McpError} `invalid-definition`
   */
  prompt<Arguments = Inferred, const Given extends PromptArguments = PromptArguments>(
    name: string,
    definition: PromptDefinition<Given>,
    handler: PromptHandler<PromptValuesOf<NoInfer<Arguments>, NoInfer<Given>>>,
  ): Registration<Omit<PromptDefinition, "visible" | "complete">> {
    const place = `prompt ${JSON.stringify(name)}`;
    checkDefinition(place, definition, "Prompt", ["visible", "complete"]);
    requireHandler(place, handler);
    const { visible, complete = {}, arguments: given, ...rest } = definition;
    const values = valuesOf(place, given === undefined ? {} : { arguments: given });
    const entry: PromptEntry = {
      definition: { name, ...rest, ...values.definition } as Params & Prompt,
      enabled: true,
      visible,
      handler: handler as PromptHandler,
      completers: complete,
      ...values.checks,
    };
    requireArguments(place, entry.definition.arguments?.map((argument) => argument.name) ?? [], complete);
    return this.#register("prompts", name, this.features.prompts, entry, (changed, changes) => {
      checkDefinition(place, changes, "Prompt");
      const next = valuesOf(place, changes as PromptDefinition);
      Object.assign(changed, next.checks);
      return { ...changes, ...next.definition };
    });
  }

  #register<Entry extends Listed>(
    kind: "tools" | "resources" | "templates" | "prompts",
    key: string,
    listing: Listing<Entry>,
    entry: Entry,
    /** Applies changes to the entry, and returns the changed members of its definition. */
    update: (entry: Entry, changes: Partial<Params>) => Partial<Params>,
  ): Registration<never> {
    if (typeof key !== "string" || key === "")
      throw new McpError(
        "invalid-definition",
        `${kind}: expected a name, got ${JSON.stringify(key) ?? typeof key}.`,
      );
    const member = keyMembers[kind];
    const given = entry.definition[member];
    if (given !== key)
      throw new McpError(
        "invalid-definition",
        `${kind}: ${JSON.stringify(key)}: its definition has another ${member}, ${JSON.stringify(given)}. Leave ${member} out.`,
      );
    if (listing.entries.has(key))
      throw new McpError(
        "invalid-definition",
        `${kind}: ${JSON.stringify(key)} is registered already. Choose another name, or update the registration.`,
      );
    listing.entries.set(key, entry);
    const changed = (): void => {
      this.features.changed(kind);
      this.refresh();
    };
    changed();
    return {
      enable: () => {
        entry.enabled = true;
        changed();
      },
      disable: () => {
        entry.enabled = false;
        changed();
      },
      update: (changes: Partial<Params> = {}) => {
        if (member in changes && changes[member] !== key)
          throw new McpError(
            "invalid-definition",
            `${kind}: ${JSON.stringify(key)} is known by its ${member}. Register another instead.`,
          );
        entry.definition = { ...entry.definition, ...update(entry, changes) };
        changed();
      },
      remove: () => {
        // Another registration may have taken the key since.
        if (listing.entries.get(key) !== entry) return;
        listing.entries.delete(key);
        changed();
      },
    };
  }
}

/** The member of a definition that is its key. */
const keyMembers = { tools: "name", resources: "uri", templates: "uriTemplate", prompts: "name" } as const;

/** The given schemas of a tool: for its definition, and as checks of calls. */
function schemasOf(
  place: string,
  given: { readonly inputSchema?: unknown; readonly outputSchema?: unknown },
): { readonly definition: object; readonly checks: Partial<ToolEntry> } {
  const { inputSchema, outputSchema } = given;
  const input =
    inputSchema === undefined
      ? undefined
      : schemaCheck(inputSchema as ToolSchema, `${place}: inputSchema`, "input", "object");
  const output =
    outputSchema === undefined
      ? undefined
      : schemaCheck(outputSchema as ToolSchema, `${place}: outputSchema`, "output");
  return {
    definition: {
      ...(input ? { inputSchema: input.schema } : {}),
      ...(output ? { outputSchema: output.schema } : {}),
    },
    checks: {
      ...(input ? { checkInput: input.check } : {}),
      ...(output ? { checkOutput: output.check } : {}),
    },
  };
}

/** The arguments of a prompt: for its definition, and as a check. */
function valuesOf(
  place: string,
  { arguments: given }: { readonly arguments?: unknown },
): { readonly definition: object; readonly checks: Partial<PromptEntry> } {
  if (given === undefined) return { definition: {}, checks: {} };
  if (Array.isArray(given)) return { definition: { arguments: given }, checks: { checkInput: undefined } };
  const checked = schemaCheck(given as ToolSchema, `${place}: arguments`, "input", "object");
  return {
    definition: { arguments: argumentsOf(checked.schema) },
    checks: { checkInput: checked.check },
  };
}

/**
 * Makes a server that is defined in code: register tools, resources and prompts, then serve it.
 *
 * @throws {McpError} `invalid-definition`
 */
export function createServer(info: Implementation, options: ServerOptions): CodeFirstServer {
  return new CodeFirstServer(info, options);
}
