import { invalid, isObject, type Params, type RequestMessage } from "@mcpgen/base";
import type { Server } from "../../server/server.js";
import type { Features } from "../../server/features.js";
import { type Listed, isScopes } from "../../server/listing.js";
import { statedRevision } from "../../server/request.js";
import { placeOf } from "../../server/server-definition.js";
import type { Denial, PermitCall, Principal } from "./exchange.js";

/**
 * Decides whether a principal may send the requests of one POST.
 *
 * @param calls one request, or the requests of a batch
 * @param principal what `authenticate` returned; empty without `authenticate`
 * @returns a denial, or `undefined` if the requests may run
 */
export type Permit = (
  calls: readonly PermitCall[],
  principal: Principal,
) => Denial | undefined | Promise<Denial | undefined>;

/**
 * The call of a request, and its scopes.
 *
 * @throws {McpError} `invalid-definition`: `scopes` of the definition returned something else
 */
export function permitCallOf(server: Server, { method, params: received }: RequestMessage): PermitCall {
  const params = isObject(received) ? received : {};
  const readings = inWords(server, method, params);
  const scopes = new Set<string>();
  for (const words of readings) {
    const called = innerCallOf(server, method, words);
    for (const scope of scopesOfCall(server, called.method, called.params, method)) scopes.add(scope);
  }
  // Without a spread: in Node 20, each spread object that then gets a member needs a new hidden class.
  return Object.assign(placeOf(method, readings[0]!), { params, scopes: [...scopes] });
}

/**
 * The params in the authoring vocabulary, in which the definitions (and their scopes) are found. The revision of the
 * request's session is not known yet, so the params are read by each revision; few revisions read them differently.
 * Params that the vocabulary cannot express stay unchanged, because they do not reach a handler.
 */
function inWords({ definition }: Server, method: string, params: Params): readonly Params[] {
  const stated = statedRevision(definition, params);
  const readings = (stated ? [stated] : definition.legacy).flatMap((revision) => {
    try {
      return [revision.lift("incomingRequests", method, params, undefined, false)];
    } catch {
      return [];
    }
  });
  return readings.length > 0 ? [...new Set(readings)] : [params];
}

/**
 * The scopes that a call needs.
 *
 * @param place the place of the definition in errors
 * @throws {McpError} `invalid-definition`: `scopes` of the definition returned something else
 */
export function scopesOfCall(
  server: Server,
  method: string,
  params: Params,
  place = method,
): readonly string[] {
  const scopes: string[] = [];
  for (const [entry, args] of calledBy(server, method, params))
    for (const scope of scopesOf(entry, args, place)) if (!scopes.includes(scope)) scopes.push(scope);
  return scopes;
}

function scopesOf({ scopes = [] }: Listed, args: unknown, method: string): readonly string[] {
  // A list was checked when the definition was registered.
  if (typeof scopes !== "function") return scopes;
  const given: unknown = scopes(isObject(args) ? args : {});
  if (isScopes(given)) return given;
  throw invalid(`${method}: scopes returned ${JSON.stringify(given)}, which is no list of scopes.`);
}

/**
 * The entries that a request may call, with its arguments. There are several if `visible` or a list of URIs leaves it
 * open.
 */
function calledBy(
  { features, definition }: Server,
  method: string,
  params: Params,
): (readonly [Listed, unknown])[] {
  const { tools, prompts, templates } = features;
  let facts;
  for (const { table } of definition.revisions) if ((facts = table.incomingRequests.get(method))) break;
  const kind = facts?.capability?.path[0];
  const { name, uri, arguments: args } = params;
  if (kind === "tools") return named(tools.entries, name, args);
  if (kind === "prompts") return named(prompts.entries, name, args);
  if (kind === "resources") return read(features, uri);
  const ref = isObject(params["ref"]) ? params["ref"] : {};
  if (kind === "completions")
    return [...named(prompts.entries, ref["name"], {}), ...named(templates.entries, ref["uri"], {})];
  return facts?.listening ? watched(features, params["notifications"]) : [];
}

function named(
  entries: ReadonlyMap<string, Listed>,
  key: unknown,
  args: unknown,
): (readonly [Listed, unknown])[] {
  const entry = entries.get(key as string);
  return entry?.enabled ? [[entry, args]] : [];
}

/**
 * The entries that `resources/read` may read. Whether the client sees an entry with `visible` is not known yet, so the
 * following entries also count.
 */
function read({ resources, templates }: Features, uri: unknown): (readonly [Listed, unknown])[] {
  if (typeof uri !== "string") return [];
  const found = named(resources.entries, uri, {});
  for (const entry of templates.entries.values()) {
    const last = found.at(-1);
    if (last && !last[0].visible) break;
    const variables = entry.enabled && entry.template.match(uri);
    if (variables) found.push([entry, variables]);
  }
  return found;
}

/** Maximum number of URIs of a filter that are looked up one by one. */
const mostWatched = 100;

/** The resources of a filter. A filter with too many URIs counts as a filter for all resources. */
function watched(features: Features, filter: unknown): (readonly [Listed, unknown])[] {
  const uris = new Set(
    Object.values(isObject(filter) ? filter : {})
      .filter(Array.isArray)
      .flat(),
  );
  if (uris.size <= mostWatched) return [...uris].flatMap((uri) => read(features, uri));
  const { resources, templates } = features;
  return [...resources.entries.values(), ...templates.entries.values()].map((entry) => [entry, {}] as const);
}

/** A request that another request makes. Its params are not checked yet. */
export interface InnerCall {
  readonly method: string;
  readonly params: Params;
}

const byServer = new WeakMap<Server, Map<string, (params: Params) => InnerCall>>();

/**
 * Maps requests of an extension's method to the request that they trigger. Permission for the inner request suffices.
 */
export function makesCall(server: Server, method: string, callOf: (params: Params) => InnerCall): void {
  const calls = byServer.get(server) ?? new Map<string, (params: Params) => InnerCall>();
  byServer.set(server, calls.set(method, callOf));
}

/** The request that a request triggers, or the request itself. */
export function innerCallOf(server: Server, method: string, params: Params): InnerCall {
  return byServer.get(server)?.get(method)?.(params) ?? { method, params };
}
