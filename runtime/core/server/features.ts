import type { Resource, ServerCapabilities } from "@mcpgen/protocol/authoring";
import {
  internalError,
  invalidParams,
  isObject,
  McpError,
  mostReserved,
  type Params,
  weightOf,
} from "@mcpgen/base";
import { contentWarnings } from "../protocol/binary-content.js";
import { notFound } from "../protocol/error-table.js";
import { metaKeys } from "../protocol/meta.js";
import { type Received, isGranted, mayGet } from "../protocol/revision-view.js";
import { type CompleteParams, complete } from "./completion.js";
import { Listing, type ListingOptions, type ToolDescriber } from "./listing.js";
import { type PromptEntry, getPrompt } from "./prompts.js";
import type { RequestContext } from "./request.js";
import { type ResourceEntry, type TemplateEntry, readResource } from "./resources.js";
import { type MethodHandler, uncached } from "./server-definition.js";
import { type ToolEntry, callsOf } from "./tools.js";

/** Options of the lists of a server. */
export interface ListOptions extends ListingOptions {
  /** Whether lists may change while the server runs; clients are then notified. */
  readonly changing: boolean;
}

/** Resources, templates, prompts, completions, and the bytes of content. A server of tools alone is bundled without them. */
export interface OtherFeatures {
  /** The capabilities for the kinds that have or had entries. */
  capabilities(features: Features): ServerCapabilities;
  /** The handlers by method. */
  handlers(features: Features): readonly [string, MethodHandler][];
  /** What judges the content that a server receives. */
  judgingContent(warn: (message: string) => void): Received;
}

/** Tools, resources, templates and prompts, and the methods that serve them. */
export class Features {
  readonly tools: Listing<ToolEntry>;
  readonly resources: Listing<ResourceEntry>;
  readonly templates: Listing<TemplateEntry>;
  readonly prompts: Listing<PromptEntry>;
  readonly options: ListOptions;
  /** Describes the tools that are not in `tools`. */
  describeTool: ToolDescriber | undefined;
  /** Absent in a server of tools alone. */
  readonly #others: OtherFeatures | undefined;

  constructor(options: ListOptions, others: OtherFeatures | undefined) {
    this.options = options;
    this.#others = others;
    this.tools = new Listing("tools", options);
    this.resources = new Listing("resources", options);
    this.templates = new Listing("resourceTemplates", options);
    this.prompts = new Listing("prompts", options);
  }

  capabilities(): ServerCapabilities {
    return {
      ...(this.tools.wasFilled ? { tools: this.listCapability } : {}),
      ...this.#others?.capabilities(this),
    };
  }

  /** The capability of a list. */
  get listCapability(): { readonly listChanged?: true } {
    return this.options.changing ? { listChanged: true } : {};
  }

  /** The handlers by method. */
  handlers(): readonly [string, MethodHandler][] {
    return [
      ["tools/list", pagesOf(this.tools)],
      ["tools/call", callsOf(this.tools)],
      ...(this.#others?.handlers(this) ?? []),
    ];
  }
}

/** The handler of the method that lists entries. */
export function pagesOf(listing: unknown): MethodHandler {
  return ({ cursor }: Params, context: RequestContext) => (listing as Listing<never>).page(cursor, context);
}

/**
 * Resources, templates, prompts, completions, and the bytes of content.
 *
 * @param list for templates that list resources; absent in a server from a contract
 */
export function otherFeatures(list?: typeof listResources): OtherFeatures {
  return {
    capabilities: capabilitiesOf,
    // Requests of clients hold none.
    judgingContent: (warn) => contentWarnings(warn, ["incomingResults"]),
    handlers: (features) => {
      const { resources, templates, prompts } = features;
      return [
        [
          "resources/list",
          ({ cursor }: Params, context: RequestContext) =>
            list?.(features, cursor, context) ?? resources.page(cursor, context),
        ],
        ["resources/templates/list", pagesOf(templates)],
        ["resources/read", (params: never, context) => readResource(resources, templates, params, context)],
        ["prompts/list", pagesOf(prompts)],
        ["prompts/get", (params: never, context) => getPrompt(prompts, params, context)],
        ["completion/complete", completing(features)],
      ];
    },
  };
}

function capabilitiesOf({
  resources,
  templates,
  prompts,
  options,
  listCapability: list,
}: Features): ServerCapabilities {
  const completes = [...prompts.entries.values(), ...templates.entries.values()].some(
    ({ completers }) => Object.keys(completers).length > 0,
  );
  // Clients keep requesting a list that was declared, even when its last entry has been removed.
  const reads = resources.wasFilled || templates.wasFilled;
  return {
    ...(reads ? { resources: { ...list, ...(options.changing ? { subscribe: true } : {}) } } : {}),
    ...(prompts.wasFilled ? { prompts: list } : {}),
    ...(completes ? { completions: {} } : {}),
  };
}

function completing({ prompts, templates }: Features): MethodHandler {
  return (params: CompleteParams, context: RequestContext) => {
    const { type, name = "", uri = "" } = params.ref;
    if (type === "ref/prompt") {
      const prompt = prompts.find(name, context);
      if (!prompt) throw notFound(context.protocol.revision, "prompt", name, () => prompts.names(context));
      const names = prompt.definition.arguments?.map((argument) => argument.name) ?? [];
      return complete(params, names, prompt.completers, context);
    }
    const found = templates.find(uri, context);
    if (!found) throw invalidParams(`there is no resource template ${JSON.stringify(uri)}`);
    return complete(params, found.template.variables, found.completers, context);
  };
}

/**
 * Handles `resources/list` where templates list resources: first the registered resources, then those of each template, in
 * the order of registration. A URI is listed once.
 *
 * @returns `undefined` if no template of this client lists resources
 */
export function listResources(
  features: Features,
  cursor: unknown,
  context: RequestContext,
): Promise<Params> | undefined {
  const listing: TemplateEntry[] = [];
  for (const [key, { list }] of features.templates.entries) {
    const template = list && features.templates.find(key, context);
    if (template) listing.push(template);
  }
  return listing.length === 0 ? undefined : page(features, listing, cursor, context);
}

async function page(
  { resources, options }: Features,
  templates: readonly TemplateEntry[],
  cursor: unknown,
  context: RequestContext,
): Promise<Params> {
  const found = await Promise.all(templates.map((template) => resourcesOf(template, context)));
  context.hints = { ...(options.cache ?? uncached), cacheScope: "private" };
  // The lists are made for this request: so are their pages.
  const all = new Listing<Pick<ResourceEntry, "definition" | "enabled">>("resources", {
    pageSize: options.pageSize,
  });
  const add = (definition: Params & Resource): void => {
    if (!all.entries.has(definition.uri)) all.entries.set(definition.uri, { definition, enabled: true });
  };
  for (const key of resources.entries.keys()) {
    const resource = resources.find(key, context);
    if (resource) add(resource.definition);
  }
  for (const definition of found.flat()) add(definition);
  return all.page(cursor, context).value;
}

/** The resources that a template lists; none if that fails. */
async function resourcesOf(
  { list, definition }: TemplateEntry,
  context: RequestContext,
): Promise<readonly (Params & Resource)[]> {
  const { uriTemplate, mimeType } = definition;
  try {
    const found: unknown = await list!(context);
    if (!Array.isArray(found) || !found.every(isResource))
      throw internalError(`the list of the template ${uriTemplate} gave no list of resources with URIs`);
    // Contents have the type of the template, unless the handler says another.
    const byDefault = mimeType === undefined ? {} : { mimeType };
    return found.map(({ uri, name = uri, ...rest }) => ({ uri, name, ...byDefault, ...rest }));
  } catch (error) {
    const place = { method: context.request.method, name: uriTemplate };
    if (!context.over) context.connection.reportError(error, place, context.request.id);
    return [];
  }
}

function isResource(value: unknown): value is Params & Resource {
  return isObject(value) && typeof value["uri"] === "string";
}

/** Handles `subscriptions/listen` (2026-07-28, subscriptions). Resolves when the server ends the stream. */
export function listen(params: { readonly notifications: Params }, context: RequestContext): Promise<Params> {
  const { connection, protocol, requestId, signal } = context;
  // A bus may throw: nothing is reserved or acknowledged before.
  connection.definition.followChanges();
  // The request stays in memory as long as the stream is open.
  const weight = weightOf(context.request, mostReserved);
  connection.reserve(weight);
  const honoured = honouredFilter(params.notifications, context);
  const wanted = new Map(
    Object.entries(honoured).map(([member, value]) => [member, new Set([value].flat())]),
  );
  const _meta = { [metaKeys.subscriptionId]: requestId };
  context.send("notifications/subscriptions/acknowledged", { notifications: honoured });
  return new Promise((resolve, reject) => {
    const unfollow = connection.follow({
      wanted,
      changed({ method, uri, params: sent = { uri } as Params }) {
        const { filter, filterKey } = protocol.revision.table.outgoingNotifications.get(method) ?? {};
        if (wanted.get(filter!)?.has(filterKey === undefined || sent[filterKey])) context.send(method, sent);
      },
      closing() {
        end();
        resolve({ _meta });
      },
    });
    const end = (): void => {
      connection.release(weight);
      unfollow();
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new McpError("cancelled", "the subscription was ended"));
    });
  });
}

/** The part of a filter that the server honours: the notifications whose capabilities are declared. */
function honouredFilter(filter: Params, { connection, protocol }: RequestContext): Params {
  const declared = connection.definition.capabilities();
  const honoured: Record<string, unknown> = {};
  for (const facts of protocol.revision.table.outgoingNotifications.values()) {
    const { filter: member } = facts;
    if (
      member !== undefined &&
      filter[member] &&
      isGranted(facts, "server", declared) &&
      mayGet(facts, protocol)
    )
      honoured[member] = filter[member];
  }
  return honoured;
}
