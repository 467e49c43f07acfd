import type {
  Implementation,
  Prompt,
  Resource,
  ResourceTemplate,
  ServerCapabilities,
  Tool,
} from "@mcpgen/protocol/authoring";
import { invalid, type Names, type Params, requireKnown } from "@mcpgen/base";
import { type Completer, type Completers, requireArguments } from "./completion.js";
import type { HandlerContext } from "./context.js";
import { type Features, otherFeatures } from "./features.js";
import type { Listed, Listing } from "./listing.js";
import type { PromptHandler } from "./prompts.js";
import type { ResourceHandler, TemplateEntry, TemplateHandler } from "./resources.js";
import type { SchemaReader } from "../schema/schema-check.js";
import type { LegacyEra } from "./server-definition.js";
import { Server, type ServerOptions, type ServerParts } from "./server.js";
import type { Check, Parse } from "../schema/schema-type.js";
import type { ToolHandler } from "./tools.js";
import { matcherOf } from "../protocol/templates.js";

/** Members of an entry that are not listed. */
interface Unlisted {
  /** The scopes that a request for it needs, for `permit` of an HTTP endpoint. */
  readonly scopes?: readonly string[];
  /** Whether its handler may run again for each answer of a client. */
  readonly replay?: boolean;
}

/** The contract of a server: its tools, resources and prompts as the protocol lists them. */
export interface Contract {
  readonly name: string;
  readonly version: string;
  readonly title?: string;
  readonly instructions?: string;
  readonly capabilities?: ServerCapabilities;
  readonly tools?: readonly (Tool & Unlisted)[];
  readonly resources?: readonly (Resource & Unlisted)[];
  readonly resourceTemplates?: readonly (ResourceTemplate & Unlisted)[];
  readonly prompts?: readonly (Prompt & Unlisted)[];
}

/** The handlers for a contract. */
export interface ContractHandlers {
  readonly tools?: { readonly [name: string]: ToolHandler<never> };
  readonly resources?: { readonly [uri: string]: ResourceHandler };
  readonly resourceTemplates?: { readonly [uriTemplate: string]: TemplateHandler<never> };
  readonly prompts?: { readonly [name: string]: PromptHandler<never> };
  /** Suggestions, by prompt name or URI template. */
  readonly completions?: {
    readonly [reference: string]: { readonly [name: string]: ContractCompleter | undefined };
  };
}

// `never` accepts arguments of any name, even a name that all objects have, such as `toString`.
type ContractCompleter = (value: string, settled: never, context: HandlerContext) => ReturnType<Completer>;

/** Generated checks of the arguments and the structured content of tools. */
export interface ToolChecks {
  readonly [tool: string]: { readonly input: Parse; readonly output?: Check };
}

export interface DefineServerOptions extends ServerOptions {
  readonly checks: ToolChecks;
  /** `methodSchemas`, for vendor methods with schemas. Without it, vendor methods cannot have schemas. */
  readonly schemas?: SchemaReader;
}

/**
 * Makes a server for a contract.
 *
 * @param legacyEra for legacy revisions
 * @throws {McpError} `invalid-definition`: a handler or a check is missing, or the contract has no entry for it
 */
export function defineServer(
  contract: Contract,
  handlers: ContractHandlers,
  options: DefineServerOptions,
  legacyEra?: LegacyEra,
): Server {
  return new ContractServer(contract, handlers, options, fillOthers, { others: otherFeatures(), legacyEra });
}

/**
 * Like `defineServer`, for a contract that has only tools: a bundle omits resources, prompts and completions.
 *
 * @throws {McpError} `invalid-definition`: as `defineServer`, and for a contract with more than tools
 */
export function defineToolServer(
  contract: Contract,
  handlers: ContractHandlers,
  options: DefineServerOptions,
  legacyEra?: LegacyEra,
): Server {
  return new ContractServer(contract, handlers, options, requireToolsAlone, { legacyEra });
}

/** Fills the listings of resources, templates and prompts. */
type FillOthers = (
  features: Features,
  contract: Contract,
  handlers: ContractHandlers,
  declared: object,
) => void;

class ContractServer extends Server {
  constructor(
    contract: Contract,
    handlers: ContractHandlers,
    given: DefineServerOptions,
    fillMore: FillOthers,
    parts: ServerParts,
  ) {
    const options = given ?? {};
    requireKnown(options, known);
    const { name, version, title, instructions, capabilities } = contract;
    const declared = { ...capabilities, ...options.capabilities };
    // Removes undefined members: JSON cannot have them.
    super(
      { name, version, title } as Implementation,
      { instructions, ...options, capabilities: declared } as ServerOptions,
      { schemas: options.schemas, ...parts },
    );
    fill(this.features.tools, "tools", contract.tools, handlers.tools, "name", (definition, handler) => ({
      ...checksOf(definition.name, definition, options.checks),
      handler,
    }));
    fillMore(this.features, contract, handlers, declared);
    const { tools, resources, templates, prompts } = this.features;
    for (const { entries } of [tools, resources, templates, prompts])
      for (const [key, { replay }] of entries) this.requireStore(JSON.stringify(key), replay);
    this.refresh();
  }
}

const fillOthers: FillOthers = (features, contract, handlers) => {
  const { resources, templates, prompts } = features;
  const { completions = {} } = handlers;
  fill(resources, "resources", contract.resources, handlers.resources, "uri", (_, handler) => ({
    handler,
    hints: undefined,
  }));
  const completersOf = (key: string, names: readonly string[]): Completers => {
    const completers = Object.hasOwn(completions, key) ? (completions[key] as Completers) : {};
    requireArguments(`completions of ${JSON.stringify(key)}`, names, completers);
    return completers;
  };
  fill(
    templates,
    "resourceTemplates",
    contract.resourceTemplates,
    handlers.resourceTemplates,
    "uriTemplate",
    ({ uriTemplate }, handler) => {
      const template = matcherOf(uriTemplate);
      return {
        handler: handler as TemplateEntry["handler"],
        hints: undefined,
        template,
        completers: completersOf(uriTemplate, template.variables),
      };
    },
  );
  fill(prompts, "prompts", contract.prompts, handlers.prompts, "name", (definition, handler) => ({
    handler,
    completers: completersOf(definition.name, definition.arguments?.map(({ name }) => name) ?? []),
  }));
  const unknownKey = Object.keys(completions).find(
    (key) => !prompts.entries.has(key) && !templates.entries.has(key),
  );
  if (unknownKey !== undefined)
    throw invalid(`completions: the contract has no prompt or template ${JSON.stringify(unknownKey)}.`);
};

/** @throws {McpError} `invalid-definition`: the contract, the handlers or the capabilities have more than tools */
const requireToolsAlone: FillOthers = (_, contract, handlers, declared) => {
  const more = ["resources", "resourceTemplates", "prompts", "completions"].find((kind) =>
    [contract, handlers, declared].some((some) => Object.hasOwn(some, kind)),
  );
  if (more !== undefined) throw invalid(`${more}: only defineServer takes them.`);
};

const known: Names<DefineServerOptions> = {
  revisions: 0,
  extensions: 0,
  checks: 0,
  schemas: 0,
  instructions: 0,
  capabilities: 0,
  lists: 0,
  state: 0,
  changes: 0,
  validation: 0,
  wrongArguments: 0,
  errors: 0,
  timeouts: 0,
  clock: 0,
  onEvent: 0,
};

function checksOf(
  name: string,
  { outputSchema }: Tool,
  checks: ToolChecks,
): { checkInput: Parse; checkOutput: Check | undefined } {
  const found = Object.hasOwn(checks, name) && checks[name];
  if (!found || (outputSchema && !found.output))
    throw invalid(`tools: there is no check for ${JSON.stringify(name)}.`);
  return { checkInput: found.input, checkOutput: found.output };
}

/** Fills a listing from the contract and its handlers, which must have the same keys. */
function fill<Definition extends object, Handler, Entry extends Listed>(
  listing: Listing<Entry>,
  kind: string,
  definitions: readonly (Definition & Unlisted)[] = [],
  handlers: { readonly [key: string]: Handler } = {},
  keyOf: keyof Definition,
  rest: (definition: Definition, handler: Handler) => Omit<Entry, keyof Listed>,
): void {
  for (const { scopes, replay, ...others } of definitions) {
    const definition = others as unknown as Definition;
    const key = definition[keyOf] as string;
    const handler = Object.hasOwn(handlers, key) && handlers[key];
    if (!handler) throw invalid(`${kind}: there is no handler for ${JSON.stringify(key)}.`);
    if (listing.entries.has(key)) throw invalid(`${kind}: the contract has ${JSON.stringify(key)} twice.`);
    listing.entries.set(key, {
      definition: definition as Params,
      enabled: true,
      scopes,
      replay,
      ...rest(definition, handler),
    } as unknown as Entry);
  }
  for (const key of Object.keys(handlers))
    if (!listing.entries.has(key)) throw invalid(`${kind}: the contract has no ${JSON.stringify(key)}.`);
  listing.changed();
}
