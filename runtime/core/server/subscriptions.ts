import { metaKeys } from "../protocol/meta.js";
import { McpError } from "../jsonrpc/errors.js";
import type { Params } from "../jsonrpc/message.js";
import type { Change } from "./changes.js";
import type { RequestContext } from "./context.js";
import { mostReserved, weightOf } from "../jsonrpc/weight.js";
import { declares } from "../protocol/declares.js";

/** Which member of the filter lets a notification through. */
const filters: { readonly [method: string]: string } = {
  "notifications/tools/list_changed": "toolsListChanged",
  "notifications/prompts/list_changed": "promptsListChanged",
  "notifications/resources/list_changed": "resourcesListChanged",
  "notifications/resources/updated": "resourceSubscriptions",
};

/** `subscriptions/listen` (2026-07-28, subscriptions): answered when the server ends the stream. */
export function listen(params: { readonly notifications: Params }, context: RequestContext): Promise<Params> {
  const { connection, terms, requestId, signal } = context;
  // It is kept as long as the stream is open, with all that its sender says of itself.
  const weight = weightOf(context.request, mostReserved);
  connection.reserve(weight);
  const honoured = honouredPart(params.notifications, context);
  const watched = new Set(Object.values(honoured).filter(Array.isArray).flat() as unknown[]);
  const _meta = { [metaKeys.subscriptionId]: requestId };
  context.notify("notifications/subscriptions/acknowledged", { _meta, notifications: honoured });
  return new Promise((resolve, reject) => {
    const stop = connection.onChange((change) => {
      if (wants(honoured, watched, change))
        context.notify(change.method, { _meta, ...(change.uri === undefined ? {} : { uri: change.uri }) });
    });
    const stay = connection.onClosing(() => {
      end();
      resolve({ _meta });
    });
    const end = (): void => {
      connection.release(weight);
      stop();
      stay();
    };
    signal.addEventListener("abort", () => {
      end();
      reject(new McpError("cancelled", `the subscription at ${terms.spoken.id} was ended`));
    });
  });
}

/** What of a filter the server can honour: what it has declared that it tells. */
function honouredPart(filter: Params, { connection, terms }: RequestContext): Params {
  const declared = connection.core.capabilities();
  const honoured: Record<string, unknown> = {};
  for (const [method, member] of Object.entries(filters)) {
    const wanted = filter[member];
    const capability = terms.spoken.table.outgoingNotifications.get(method)?.capability;
    if (wanted === undefined || wanted === false || !capability) continue;
    if (declares(declared, capability.path)) honoured[member] = wanted;
  }
  return honoured;
}

function wants(filter: Params, watched: ReadonlySet<unknown>, { method, uri }: Change): boolean {
  const wanted = filter[filters[method] ?? ""];
  return uri === undefined ? wanted === true : Array.isArray(wanted) && watched.has(uri);
}
