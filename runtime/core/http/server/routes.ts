import { invalid } from "../../options/option-check.js";
import { isObject } from "../../jsonrpc/message.js";
import type * as platform from "../../platform/platform.js";
import { type Exchange, parseTarget } from "./exchange.js";

/** Another resource of the same origin, such as metadata of the authorization. */
export interface HttpRoute {
  /** The whole path, as it stands in URLs, from the root of the origin. */
  readonly path: string;
  /**
   * Answers a request of any method and origin: `authenticate` and `allowedOrigins` do not apply to it, `allowedHosts`
   * does. Its body has at most 64 KiB.
   */
  handle(request: platform.Request): platform.Response | Promise<platform.Response>;
  /** Whether it also answers during and after `close()`, where others answer with 503. Default: `false`. */
  readonly whileClosing?: boolean;
}

/** Bytes of the body of a request for a route, at most. */
export const routeBodyLimit = 65_536;

/** Methods that may have a body; a route answers no others beside those without one. */
const withBody: ReadonlySet<string> = new Set(["POST", "PUT", "PATCH", "DELETE"]);
const withoutBody: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);

/** Whether a method has a body; `undefined` for methods that no route answers. */
export function hasBody(method: string): boolean | undefined {
  return withBody.has(method) || (withoutBody.has(method) ? false : undefined);
}

/**
 * The routes by path.
 *
 * @throws {McpError} `invalid-definition`
 */
export function routesByPath(
  routes: readonly HttpRoute[] | undefined,
): ReadonlyMap<string, HttpRoute> | undefined {
  if (!routes || routes.length === 0) return undefined;
  const byPath = new Map<string, HttpRoute>();
  for (const [index, route] of routes.entries()) {
    const path: unknown = isObject(route) ? route.path : undefined;
    if (typeof path !== "string" || parseTarget(path)?.pathname !== path)
      throw invalid(
        `routes[${index}].path: expected one as it stands in URLs, such as "/.well-known/x", got ${JSON.stringify(path)}.`,
      );
    if (typeof route.handle !== "function") throw invalid(`routes[${index}].handle: expected a function.`);
    if (byPath.has(path)) throw invalid(`routes[${index}].path: there are two routes for ${path}.`);
    byPath.set(path, route);
  }
  return byPath;
}

/** Answers a request for a route. @param publicUrl a URL of the public origin, if the application names one */
export async function answerRoute(
  exchange: Exchange,
  route: HttpRoute,
  body: string | undefined,
  publicUrl: string | undefined,
): Promise<void> {
  const { href } = exchange;
  const { pathname, search } = new URL(href);
  const url = publicUrl === undefined ? href : new URL(publicUrl).origin + pathname + search;
  await exchange.respond(await route.handle(exchange.webRequest(url, body)));
}
