import type { ReadResourceResult, Resource, ResourceTemplate } from "@mcpgen/protocol/authoring";
import { isObject, McpError, type Params } from "@mcpgen/base";
import * as rpc from "@mcpgen/base/rpc-codes";
import { refusal } from "../protocol/error-table.js";
import type { Completers } from "./completion.js";
import type { HandlerContext } from "./context.js";
import type { RequestContext } from "./request.js";
import { type WithBytes, encodeBytes } from "../protocol/binary-content.js";
import type { Listed, Listing } from "./listing.js";
import { type CacheHints, type OtherResult, otherResult } from "./server-definition.js";
import type { TemplateMatcher, TemplateValues } from "@mcpgen/engine/uri-template";

/** The return value of a resource handler: a result, or the text of the resource. A `blob` may be bytes. */
export type ResourceAnswer =
  ReadResourceResult | BinaryResult | string | OtherResult<"resources/read", ReadResourceResult>;

interface BinaryResult extends Pick<ReadResourceResult, "_meta"> {
  readonly contents: WithBytes<ReadResourceResult["contents"][number]>[];
}

export type ResourceHandler = (
  uri: string,
  context: HandlerContext,
) => ResourceAnswer | Promise<ResourceAnswer>;

/** @param variables decoded values of the template's variables. The client chooses them: do not trust them as paths. */
export type TemplateHandler<Variables = { readonly [name: string]: string }> = (
  variables: Variables,
  context: HandlerContext,
  uri: string,
) => ResourceAnswer | Promise<ResourceAnswer>;

export interface ResourceEntry extends Listed {
  readonly definition: Params & Resource;
  readonly handler: ResourceHandler;
  readonly hints: CacheHints | undefined;
}

export interface TemplateEntry extends Listed {
  readonly definition: Params & ResourceTemplate;
  readonly template: TemplateMatcher;
  readonly handler: TemplateHandler<TemplateValues>;
  readonly completers: Completers;
  /** Lists resources of the template. */
  readonly list?: ((context: HandlerContext) => unknown) | undefined;
  readonly hints: CacheHints | undefined;
}

/** Handles `resources/read` with the resource of that URI, or with the first template that matches. */
export async function readResource(
  resources: Listing<ResourceEntry>,
  templates: Listing<TemplateEntry>,
  { uri }: { readonly uri: string },
  context: RequestContext,
): Promise<Params> {
  const resource = resources.find(uri, context);
  if (resource) {
    context.hints = resource.hints ?? context.hints;
    return contentsOf(await resource.handler(uri, context), uri, resource.definition.mimeType);
  }
  for (const [key, { template, handler, hints, definition }] of templates.entries) {
    const variables = templates.find(key, context) && template.match(uri);
    if (!variables) continue;
    context.hints = hints ?? context.hints;
    return contentsOf(await handler(variables, context, uri), uri, definition.mimeType);
  }
  throw resourceNotFound(uri, context);
}

function contentsOf(
  answer: ResourceAnswer,
  uri: string,
  mimeType: string | undefined,
): Params | Promise<Params> {
  if (typeof answer === "string")
    return { contents: [{ uri, ...(mimeType === undefined ? {} : { mimeType }), text: answer }] };
  const { contents }: Params = isObject(answer) ? (answer as Params) : {};
  if (Array.isArray(contents) && contents.every(isObject))
    return (encodeBytes(answer) ?? answer) as Params | Promise<Params>;
  return otherResult(
    answer,
    `the resource ${uri} gave neither text nor { contents: [{ uri, text or blob }] }`,
  );
}

/** The error for a URI without a resource; handlers of templates may throw it. */
export function resourceNotFound(uri: string, context: HandlerContext): McpError {
  const { revision } = (context as RequestContext).protocol;
  const details = { rpcCode: rpc.invalidParams, data: { uri } };
  const error = new McpError("resource-not-found", `there is no resource ${uri}`, details);
  return refusal(revision, "RESOURCE_NOT_FOUND", error, uri);
}
