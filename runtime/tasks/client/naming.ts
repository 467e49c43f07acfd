import type { ClientMiddleware } from "@mcpgen/runtime";
import { relatedKey } from "../state/core-names.js";

interface Related {
  readonly _meta?: { readonly [key: string]: unknown };
}

/** Answers to requests that belong to a task of the server name it (2025-11-25, tasks, related task metadata). */
export const namingTask: ClientMiddleware = async ({ direction, params }, next) => {
  const result = await next();
  const related = direction === "incoming" && (params as Related)._meta?.[relatedKey];
  return related ? { ...result, _meta: { ...result._meta, [relatedKey]: related } } : result;
};
