import type { OutgoingRequest, Revision } from "@mcpgen/protocol/model";

const isObject = (value: unknown): value is { readonly [member: string]: unknown } =>
  typeof value === "object" && value !== null;

/** A reference to a tool. A tolerant reader accepts whole tools as references, too. */
const acceptsReference = (value: unknown): boolean => isObject(value) && typeof value["name"] === "string";

/**
 * Revisions whose tables say of `tools/list` that it may leave tools out, and refer to others.
 *
 * @param options `get`: whether there is a request for one tool, `tools/get`
 */
export function leavingToolsOut(
  revisions: readonly Revision<"client">[],
  { get = true } = {},
): readonly Revision<"client">[] {
  return revisions.map((revision) => {
    const { table } = revision;
    const list = table.outgoingRequests.get("tools/list")!;
    const requests = new Map<string, OutgoingRequest>([
      ...table.outgoingRequests,
      ["tools/list", partial(list, get)],
      ...(get ? [["tools/get", { ...requestFor(list) }] as const] : []),
    ]);
    return { ...revision, table: { ...table, outgoingRequests: requests } };
  });
}

function partial(list: OutgoingRequest, get: boolean): OutgoingRequest {
  const { result, page } = list;
  const accepts = (value: unknown): boolean => {
    const tools = isObject(value) ? value["tools"] : undefined;
    if (!Array.isArray(tools)) return false;
    const whole = tools.filter((each) => page!.accepts(each));
    return (
      tools.every((each) => page!.accepts(each) || acceptsReference(each)) &&
      result!.accepts({ ...(value as object), tools: whole })
    );
  };
  return {
    ...list,
    result: { ...result!, accepts },
    page: {
      ...page!,
      partial: {
        path: ["complete"],
        means: false,
        reference: { accepts: acceptsReference, whole: { key: "inputSchema" } },
        ...(get && { get: { method: "tools/get", param: "name", key: "name", member: "tool" } }),
      },
    },
  };
}

function requestFor({ capability }: OutgoingRequest): OutgoingRequest {
  const accepts = (value: unknown): boolean => isObject(value) && isObject(value["tool"]);
  return { ...(capability && { capability }), result: { accepts } };
}
