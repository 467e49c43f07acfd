import type { Implementation, Prompt, Resource, ResourceTemplate, Tool } from "@mcpgen/protocol/authoring";
import { McpError } from "../peer/errors.js";
import type { Params } from "../peer/message.js";
import { schemaCheck, type ToolSchema } from "../schema/schema-check.js";
import { type Completers, requireArguments } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { Listed, Listing } from "./listing.js";
import type { CacheHints } from "./prepared.js";
import type { PromptHandler } from "./prompts.js";
import type { ResourceHandler, TemplateHandler } from "./resources.js";
import { Server, type ServerOptions } from "./server.js";
import type { ToolEntry, ToolHandler } from "./tools.js";
import { UriTemplate } from "./uri-template.js";

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

/** A tool as its author writes it: schemas as JSON Schema, or of any library that speaks Standard JSON Schema. */
export interface ToolDefinition
  extends Omit<Tool, "name" | "inputSchema" | "outputSchema">, Visibility<Tool> {
  /** Of an object; one without members if it is left out. */
  readonly inputSchema?: ToolSchema;
  readonly outputSchema?: ToolSchema;
}

export interface ResourceDefinition extends Omit<Resource, "uri" | "name">, Visibility<Resource> {
  /** The URI, if left out. */
  readonly name?: string;
  readonly cache?: CacheHints;
}

export interface TemplateDefinition
  extends Omit<ResourceTemplate, "uriTemplate" | "name">, Visibility<ResourceTemplate> {
  /** The template, if left out. */
  readonly name?: string;
  readonly cache?: CacheHints;
  /** Suggestions for its variables. */
  readonly complete?: Completers;
}

export interface PromptDefinition extends Omit<Prompt, "name">, Visibility<Prompt> {
  /** Suggestions for its arguments. */
  readonly complete?: Completers;
}

/** A server that is written in code, and may change what it offers while it runs. */
export class CodeFirstServer extends Server {
  constructor(info: Implementation, options: ServerOptions) {
    super(info, options, true);
  }

  /**
   * Offers a tool.
   *
   * @throws {McpError} `invalid-definition`: a schema is wrong, or the name is taken
   */
  tool<Arguments = { [name: string]: unknown }>(
    name: string,
    { visible, inputSchema, outputSchema, ...rest }: ToolDefinition,
    handler: ToolHandler<Arguments>,
  ): Registration<Tool> {
    const place = `tool ${JSON.stringify(name)}`;
    if (typeof handler !== "function")
      throw new McpError("invalid-definition", `${place}: there is no handler.`);
    const input = schemaCheck(inputSchema ?? { type: "object" }, `${place}: inputSchema`, "object");
    const output = outputSchema && schemaCheck(outputSchema, `${place}: outputSchema`);
    const definition = {
      name,
      ...rest,
      inputSchema: input.schema,
      ...(output ? { outputSchema: output.schema } : {}),
    } as Params & Tool;
    const entry: ToolEntry = {
      definition,
      enabled: true,
      visible,
      handler: handler as ToolHandler,
      checkInput: input.check,
      checkOutput: output?.check,
    };
    return this.register(
      "tools",
      name,
      this.features.tools,
      entry,
      (changed, { inputSchema: next, outputSchema: then }) => {
        if (next)
          changed.checkInput = schemaCheck(next as ToolSchema, `${place}: inputSchema`, "object").check;
        if (then) changed.checkOutput = schemaCheck(then as ToolSchema, `${place}: outputSchema`).check;
      },
    );
  }

  /** Offers one resource. */
  resource(
    uri: string,
    { visible, cache, ...rest }: ResourceDefinition,
    handler: ResourceHandler,
  ): Registration<Resource> {
    return this.register("resources", uri, this.features.resources, {
      definition: { uri, name: uri, ...rest } as Params & Resource,
      enabled: true,
      visible,
      handler,
      hints: cache,
    });
  }

  /** Offers the resources whose URIs fit a template (RFC 6570). */
  resourceTemplate(
    uriTemplate: string,
    { visible, cache, complete = {}, ...rest }: TemplateDefinition,
    handler: TemplateHandler,
  ): Registration<ResourceTemplate> {
    const template = new UriTemplate(uriTemplate);
    requireArguments(`template ${JSON.stringify(uriTemplate)}`, template.variables, complete);
    return this.register("templates", uriTemplate, this.features.templates, {
      definition: { uriTemplate, name: uriTemplate, ...rest } as Params & ResourceTemplate,
      template,
      enabled: true,
      visible,
      handler,
      completers: complete,
      hints: cache,
    });
  }

  /** Offers a prompt. */
  prompt<Arguments = { [name: string]: string }>(
    name: string,
    { visible, complete = {}, ...rest }: PromptDefinition,
    handler: PromptHandler<Arguments>,
  ): Registration<Prompt> {
    const names = (rest.arguments ?? []).map((argument) => argument.name);
    requireArguments(`prompt ${JSON.stringify(name)}`, names, complete);
    return this.register("prompts", name, this.features.prompts, {
      definition: { name, ...rest } as Params & Prompt,
      enabled: true,
      visible,
      handler: handler as PromptHandler,
      completers: complete,
    });
  }

  private register<Entry extends Listed>(
    kind: "tools" | "resources" | "templates" | "prompts",
    key: string,
    listing: Listing<Entry>,
    entry: Entry,
    updated?: (entry: Entry, changes: Partial<Params>) => void,
  ): Registration<never> {
    if (key === "") throw new McpError("invalid-definition", `${kind}: a name must not be empty.`);
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
      update: (changes: Partial<Params>) => {
        const { definition } = entry;
        const named = (["name", "uri", "uriTemplate"] as const).find(
          (name) => definition[name] === key && name in changes && changes[name] !== key,
        );
        if (named !== undefined)
          throw new McpError(
            "invalid-definition",
            `${kind}: ${JSON.stringify(key)} is known by its ${named}. Register another instead.`,
          );
        updated?.(entry, changes);
        entry.definition = { ...entry.definition, ...changes };
        changed();
      },
      remove: () => {
        // What was registered under the name since is another's.
        if (listing.entries.get(key) !== entry) return;
        listing.entries.delete(key);
        changed();
      },
    };
  }
}

/**
 * A server that is written in code: register tools, resources and prompts on it, then serve it.
 *
 * @throws {McpError} `invalid-definition`
 */
export function createServer(info: Implementation, options: ServerOptions): CodeFirstServer {
  return new CodeFirstServer(info, options);
}
