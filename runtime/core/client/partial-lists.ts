import type { EntryRequest, Page, PartialList } from "@mcpgen/protocol/model";
import { McpError } from "../jsonrpc/errors.js";
import * as rpc from "../jsonrpc/rpc-codes.js";
import { valueAt, type Params, isObject } from "../jsonrpc/message.js";
import type { NullReader } from "../protocol/events.js";
import type { RevisionView } from "../protocol/revision-view.js";
import { type Decoded, invalidResult, isReference, sift } from "./decode.js";

/** What a result holds of a list that may leave entries out: a page, or the one entry that was asked for. */
export interface ListPart {
  /** The method of the list. */
  readonly list: string;
  readonly page: Page;
  /** Parameters of the request for the page, for the steps of its result. */
  readonly params?: Params;
  readonly entry?: EntryRequest & { readonly name: string };
}

/** The part of a list, as a page of it in the authoring vocabulary: whole entries alone, which every revision has a form for. */
export async function readPart(
  view: RevisionView<"client">,
  { list, page, params, entry }: ListPart,
  { result, rejected }: Decoded,
  readNulls: NullReader,
): Promise<Decoded> {
  const { member, partial } = page;
  const items = entry ? entriesIn(result, entry) : ((result[member] ?? []) as readonly unknown[]);
  const { kept, rejected: more } = await sift({ view, method: list, readNulls }, page, items);
  const whole = kept.filter((item) => !isReference(page, item));
  const references = kept.filter((item): item is Params => isReference(page, item));
  const lifted = view.lift("incomingResults", list, { ...(entry ? {} : result), [member]: whole }, params);
  return {
    result: lifted,
    rejected: [...rejected, ...more],
    listed: { complete: !leavesOut(partial!, result), references },
  };
}

/**
 * The entry that was asked for; none where the result holds no entry.
 *
 * @throws {McpError} `invalid-result`: another entry
 */
function entriesIn(
  result: Params,
  { method, member, key, name }: NonNullable<ListPart["entry"]>,
): readonly unknown[] {
  const held = member === undefined ? result : result[member];
  const all: readonly unknown[] = Array.isArray(held) ? held : isObject(held) ? [held] : [];
  const entries = all.filter((each) => isObject(each) && each[key] === name);
  if (all.length > entries.length) throw invalidResult(method, `it has another entry than ${name}`);
  return entries;
}

function leavesOut({ path, means }: PartialList, result: Params): boolean {
  const value = valueAt(result, path);
  return means === undefined ? value !== undefined : value === means;
}

/** Whether an error says that there is no such entry. One that may have another reason does not. */
export function isMissing(error: unknown, { table }: RevisionView): error is McpError {
  if (!(error instanceof McpError)) return false;
  const { code, rpcCode } = error;
  if (code === "resource-not-found") return true;
  if (code !== "remote-error" || rpcCode === undefined) return false;
  const names = Object.keys(table.errors).filter((name) => table.errors[name]!.code === rpcCode);
  return rpcCode === rpc.invalidParams || names.some((name) => name.endsWith("NOT_FOUND"));
}
