import type { Resource } from "@mcpgen/protocol/authoring";
import { type Params, isObject } from "../jsonrpc/message.js";
import type { RequestContext } from "./context.js";
import { type Features, Listing } from "./listing.js";
import type { ResourceEntry, TemplateEntry } from "./resources.js";
import { uncached, unusableResult } from "./server-definition.js";

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
  const all = new Listing<Pick<ResourceEntry, "definition" | "enabled">>("resources", options.pageSize);
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
      throw unusableResult(`the list of the template ${uriTemplate} gave no list of resources with URIs`);
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
