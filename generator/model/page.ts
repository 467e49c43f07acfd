import type { Schema } from "@mcpgen/engine";
import type { Message } from "./messages.js";
import type { Page, ResultOf } from "./model.js";
import { hasMember, memberNodes, requiredMembers } from "./object-view.js";

/**
 * The members of a page of a list. Requests that read a list page by page take a cursor, and their result has the next
 * cursor beside a single list.
 */
export function pageOf(
  schema: Schema,
  { definition }: Message,
  result: ResultOf | undefined,
): Page | undefined {
  const answer = schema.definitions.get(result?.definition ?? "")?.node;
  const params = memberNodes(schema, definition.node, "params");
  if (!answer || !hasMember(schema, answer, "nextCursor")) return undefined;
  if (!params.some((node) => hasMember(schema, node, "cursor"))) return undefined;
  const pages = [...requiredMembers(schema, answer)].flatMap((member) =>
    memberNodes(schema, answer, member).flatMap((node) => {
      const item = node.types?.[0] === "array" ? node.items?.ref : undefined;
      return item === undefined ? [] : [{ member, item }];
    }),
  );
  return pages.length === 1 ? pages[0] : undefined;
}
