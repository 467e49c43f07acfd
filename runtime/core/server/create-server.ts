import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import type { UsedExtension } from "@mcpgen/protocol/model";
import type { Inferred, ToolSchema } from "../schema/schema-type.js";
import { type Completers, requireArguments } from "./completion.js";
import type {
  Added,
  HandlerOf,
  InputFor,
  MembersOf,
  PromptDefinition,
  PromptRegistration,
  PromptValuesOf,
  ResourceDefinition,
  ResourceRegistration,
  TemplateDefinition,
  TemplateRegistration,
  ToolDefinition,
  ToolRegistration,
} from "./definitions.js";
import { type PromptArguments, argumentsOf, type PromptEntry, type PromptHandler } from "./prompts.js";
import type { ToolEntry } from "./tools.js";
import type { VariablesOf } from "@mcpgen/engine/uri-template";
import { matcherOf } from "../protocol/templates.js";
import { BoundedMap, invalid, type Params, requireFunction } from "@mcpgen/base";
import { argumentsCheck } from "../schema/arguments.js";
import { methodSchemas, schemaCheck } from "../schema/schema-check.js";
import type { HandlerContext } from "./context.js";
import { checkHandler, checkSpelling, checkServerOptions } from "./definition-check.js";
import type { ServerEvent } from "../protocol/events.js";
import type { OtherMethod } from "../protocol/hooks.js";
import type { ServerMiddleware } from "./middleware.js";
import { type Mount, type MountOptions, Offers } from "./offers.js";
import { listResources, otherFeatures } from "./features.js";
import { type Build, addedBy, register } from "./registration.js";
import type { ResourceEntry, ResourceHandler, TemplateEntry, TemplateHandler } from "./resources.js";
import type { LegacyEra, Direction } from "./server-definition.js";
import { Server, type ServerOptions } from "./server.js";

/** Number of cached pages of a list whose entries differ between clients. */
const cachedViews = 64;

/**
 * A server that is defined in code. Tools, resources and prompts may change while it runs.
 *
 * @typeParam Members the members that its extensions add to definitions
 */
export class CodeFirstServer<Members = unknown> extends Server {
  readonly #offers: Offers;

  constructor(info: Implementation, options: ServerOptions, legacyEra: LegacyEra | undefined) {
    checkServerOptions(info, options);
    checkSpelling("info", info, "Implementation");
    checkSpelling("capabilities", options.capabilities ?? {}, "ServerCapabilities");
    super(info, options, {
      changing: true,
      views: () => new BoundedMap({ count: cachedViews, full: "evict" }),
      schemas: methodSchemas,
      others: otherFeatures(listResources),
      legacyEra,
    });
    this.#offers = new Offers(
      this,
      () => this.refresh(),
      addedBy(options.extensions ?? []),
      options.extensions,
    );
  }

  protected override checkHandler(direction: Direction, method: string, given: unknown): void {
    checkHandler(this.definition, direction, method, given);
  }

  override use<Other extends string = OtherMethod>(middleware: ServerMiddleware<Other>): () => void {
    requireFunction("use", middleware);
    return super.use(middleware);
  }

  override onEvent(listener: (event: ServerEvent) => void): () => void {
    requireFunction("onEvent", listener);
    return super.onEvent(listener);
  }

  /**
   * Registers a tool. Its handler gets the arguments as `inputSchema` parses them, and returns what `outputSchema`
   * accepts. Types follow from the schemas; a JSON Schema gives types only if it is written in the call. A type
   * argument replaces the type of the arguments.
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
    definition: ToolDefinition<Input, Output> & Added<Members, "Tool">,
    handler: HandlerOf<NoInfer<Arguments>, NoInfer<Input>, NoInfer<Output>, Given>,
  ): ToolRegistration<InputFor<Arguments, Input>, Output> {
    return register(this.#offers, "tools", name, definition, handler, toolEntry);
  }

  /** Registers a resource. @throws {McpError} `invalid-definition` */
  resource(
    uri: string,
    definition: ResourceDefinition & Added<Members, "Resource">,
    handler: ResourceHandler,
  ): ResourceRegistration {
    return register(this.#offers, "resources", uri, definition, handler, resourceEntry);
  }

  /**
   * Registers a template for resources (RFC 6570). If the template is written in the call, the names of its variables
   * follow from it.
   *
   * @throws {McpError} `invalid-definition`
   */
  resourceTemplate<const Template extends string>(
    uriTemplate: Template,
    definition: TemplateDefinition<NoInfer<Template>> & Added<Members, "ResourceTemplate">,
    handler: TemplateHandler<VariablesOf<Template>>,
  ): TemplateRegistration<Template> {
    return register(this.#offers, "templates", uriTemplate, definition, handler, templateEntry);
  }

  /**
   * Registers a prompt. Its handler gets the arguments, parsed by their schema if they have one. Types follow from
   * `arguments`; a type argument replaces them.
   *
   * @throws {McpError} `invalid-definition`
   */
  prompt<Arguments = Inferred, const Given extends PromptArguments = PromptArguments>(
    name: string,
    definition: PromptDefinition<Given> & Added<Members, "Prompt">,
    handler: PromptHandler<PromptValuesOf<NoInfer<Arguments>, NoInfer<Given>>>,
  ): PromptRegistration<Given> {
    return register(this.#offers, "prompts", name, definition, handler, promptEntry);
  }

  /**
   * Shows the tools, resources, templates and prompts of another server, and follows its changes. Handlers, schemas,
   * icons, `visible`, completers and `cache` stay. Parts of the other server as a whole do not come along: its
   * `instructions`, `capabilities` and options, handlers of `handle` and `on`, middleware and listeners.
   *
   * @throws {McpError} `invalid-definition`: an option is wrong, a name or a URI is taken, the server shows this one, or it
   *   is written in the words of another revision; nothing is changed then
   */
  mount(server: Server, options: MountOptions = {}): Mount {
    if (!(server instanceof Server))
      throw invalid("mount: expected a server of createServer or defineServer.");
    // The offers of a contract never change.
    const guest = server instanceof CodeFirstServer ? server.#offers : new Offers(server);
    return this.#offers.mount(guest, options);
  }

  /** Notifies the subscribers of a resource that it has changed, including clients of servers that show this one. */
  override resourceUpdated(uri: string): void {
    super.resourceUpdated(uri);
    this.#offers.resourceUpdated(uri);
  }

  /** Notifies the clients that the list of resources has changed because the `list` of a template returns others. */
  resourceListChanged(): void {
    this.#offers.changed("resources");
  }
}

const toolEntry: Build<ToolEntry> = (place, given) => {
  const { visible, handler, inputSchema = { type: "object", properties: {} }, outputSchema, ...rest } = given;
  const input = argumentsCheck(inputSchema as ToolSchema, `${place}: inputSchema`);
  const output =
    outputSchema === undefined
      ? undefined
      : schemaCheck(outputSchema as ToolSchema, `${place}: outputSchema`, "output");
  const schemas = { inputSchema: input.schema, ...(output ? { outputSchema: output.schema } : {}) };
  return {
    definition: { ...rest, ...schemas } as Params & Tool,
    visible,
    handler,
    checkInput: input.check,
    checkOutput: output?.check,
  };
};

const resourceEntry: Build<ResourceEntry> = (_, { visible, handler, cache, ...rest }) => ({
  definition: { name: rest["uri"], ...rest } as Params & Resource,
  visible,
  handler,
  hints: cache,
});

const templateEntry: Build<TemplateEntry> = (place, given) => {
  const { visible, handler, cache, complete: completers = {}, list, ...rest } = given;
  const template = matcherOf(rest["uriTemplate"] as string);
  requireArguments(place, template.variables, completers as Completers);
  return {
    definition: { name: template.text, ...rest } as Params & ResourceTemplate,
    visible,
    handler,
    template,
    completers: completers as Completers,
    list,
    hints: cache,
  };
};

const promptEntry: Build<PromptEntry> = (place, given) => {
  const { visible, handler, complete: completers = {}, arguments: listed, ...rest } = given;
  const values = valuesOf(place, listed);
  const definition = { ...rest, ...values.definition } as Params & Prompt;
  const names = definition.arguments?.map((argument) => argument.name) ?? [];
  requireArguments(place, names, completers as Completers);
  return {
    definition,
    visible,
    handler,
    completers: completers as Completers,
    checkInput: values.checkInput,
  };
};

/** Converts the arguments of a prompt to the list of its definition and to a check. */
function valuesOf(
  place: string,
  given: unknown,
): { readonly definition: object; readonly checkInput?: PromptEntry["checkInput"] } {
  if (given === undefined) return { definition: {} };
  if (Array.isArray(given)) return { definition: { arguments: given } };
  const { schema, check } = argumentsCheck(given as ToolSchema, `${place}: arguments`);
  return { definition: { arguments: argumentsOf(schema) }, checkInput: check };
}

/**
 * Makes a server that is defined in code: register tools, resources and prompts, then serve it.
 *
 * @param legacyEra for legacy revisions
 * @throws {McpError} `invalid-definition`
 */
export function createServer<const Used extends readonly UsedExtension<"server", HandlerContext>[] = []>(
  info: Implementation,
  options: ServerOptions & { readonly extensions?: Used },
  legacyEra?: LegacyEra,
): CodeFirstServer<MembersOf<Used>> {
  return new CodeFirstServer(info, options, legacyEra);
}
