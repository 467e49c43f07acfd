import type { ServerCapabilities } from "@mcpgen/protocol/authoring";
import { invalidParams, printWarning } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import { contentWarnings } from "../protocol/binary-content.js";
import { harmless } from "../protocol/hooks.js";
import { notFound } from "../protocol/refusals.js";
import { type CompleteParams, complete } from "./completion.js";
import type { RequestContext } from "./context.js";
import { type Features, type OtherFeatures, pagesOf } from "./listing.js";
import { getPrompt } from "./prompts.js";
import { readResource } from "./resources.js";
import type { MethodHandler } from "./server-definition.js";
import type { listResources } from "./template-lists.js";

/**
 * Resources, templates, prompts, completions, and the bytes of content.
 *
 * @param list for templates that list resources; absent in a server from a contract
 */
export function otherFeatures(list?: typeof listResources): OtherFeatures {
  return {
    capabilities: capabilitiesOf,
    judgingContent: (options) => ({
      ...options,
      // Requests of clients hold none.
      onReceived: contentWarnings(harmless(options.onWarning ?? printWarning), ["incomingResults"]),
    }),
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
