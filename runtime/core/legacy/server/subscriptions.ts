import { mostReserved, type Params, weightOf } from "@mcpgen/base";
import type { RequestContext } from "../../server/request.js";
import type { LegacyEra } from "../../server/server-definition.js";
import { saved } from "./handshake.js";

/** Subscriptions of a session to resources (2025-11-25 and before, resources, subscriptions). */
export const subscriptions: LegacyEra["methods"] = [
  ["resources/subscribe", watch],
  ["resources/unsubscribe", unwatch],
];

function watch({ uri }: Params, { connection }: RequestContext): Params | Promise<Params> {
  const { session } = connection;
  if (!session || session.watched?.has(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  connection.reserve(weight);
  session.weight += weight;
  session.watched = (session.watched ?? new Set()).add(uri as string);
  return saved(connection);
}

function unwatch({ uri }: Params, { connection }: RequestContext): Params | Promise<Params> {
  const { session } = connection;
  if (!session?.watched?.delete(uri as string)) return {};
  const weight = weightOf(uri, mostReserved);
  session.weight -= weight;
  connection.release(weight);
  return saved(connection);
}
