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
 * @param calls one request, or those of a batch
 * @param principal what `authenticate` returned; empty without `authenticate`
 * @returns a denial, or `undefined` if the requests may run
 */
export type Permit = (
  calls: readonly PermitCall[],
  principal: Principal,
) => Denial | undefined | Promise<Denial | undefined>;

/**
 * What a request calls, and the scopes for it.
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
  // Not by a spread: an object that is spread and then gets a member costs Node 20 a new hidden class each time.
  return Object.assign(placeOf(method, readings[0]!), { params, scopes: [...scopes] });
}

/**
 * Params in the authoring vocabulary: scopes stand with definitions, which are found by its words. Which revision the session
 * of a request has is not known yet, so its params are read as those of each; few revisions read them differently. Params
 * without a form in the vocabulary stay as they are: no handler gets them.
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
 * @param place for errors
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
  // A list was checked with the definition.
  if (typeof scopes !== "function") return scopes;
  const given: unknown = scopes(isObject(args) ? args : {});
  if (isScopes(given)) return given;
  throw invalid(`${method}: scopes returned ${JSON.stringify(given)}, which is no list of scopes.`);
}

/** What a request calls, with its arguments; more than one entry if `visible` or a list of URIs leaves it open. */
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

/** What `resources/read` may read. Which client sees an entry with `visible` is not known yet: the next ones count, too. */
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

/** URIs of a filter whose resources are looked up one by one. */
const mostWatched = 100;

/** The resources of a filter. A filter with too many counts as one with all. */
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

/** Says which request the requests of a method of an extension make. Who may send that one may send them. */
export function makesCall(server: Server, method: string, callOf: (params: Params) => InnerCall): void {
  const calls = byServer.get(server) ?? new Map<string, (params: Params) => InnerCall>();
  byServer.set(server, calls.set(method, callOf));
}

/** The request that a request makes, or itself. */
export function innerCallOf(server: Server, method: string, params: Params): InnerCall {
  return byServer.get(server)?.get(method)?.(params) ?? { method, params };
}
