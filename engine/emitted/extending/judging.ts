import type {
  Alternative,
  Explanations,
  ExtensionTable,
  Judge,
  OutgoingRequest,
  Revision,
  Role,
  SendTable,
  UndefinedMessage,
} from "../model.js";

// Selects the definitions that validate the messages of a revision with extensions.

/** Lets the request also accept the results that extensions add. */
export function withResults(entry: OutgoingRequest, results: readonly Alternative[]): OutgoingRequest {
  const { result } = entry;
  if (!result) return entry;
  const judgeOf = (value: unknown): Judge =>
    (results.find((each) => isMarked(each, value)) ?? result).accepts;
  return { ...entry, result: { accepts: (value) => judgeOf(value)(value), judgeOf } };
}

/** Lets the request also accept its final alternatives: results that a value marks and that request no input. */
export function withFinalResults(entry: OutgoingRequest): OutgoingRequest {
  const { alternatives = [], resultTypes } = entry;
  const results = alternatives.filter(
    ({ key, value }) => value !== undefined && (key !== "resultType" || resultTypes?.includes(value)),
  );
  return results.length > 0 ? withResults(entry, results) : entry;
}

/** Merges the `explain` modules of a revision and its extensions; absent if none of them has one. */
export function explainOf(tables: readonly Pick<Revision, "explain">[]): Revision["explain"] {
  const loads = tables.flatMap(({ explain }) => explain ?? []);
  if (loads.length === 0) return undefined;
  return async () => {
    const modules = await Promise.all(loads.map((load) => load()));
    // Definitions that an extension takes from the revision are in both modules.
    const issuesOf: Explanations["issuesOf"] = (judge, value) =>
      modules.map((each) => each.issuesOf(judge, value)).find((issues) => issues.length > 0) ?? [];
    return { issuesOf };
  };
}

/** Whether a value has the member, or the member's value, that marks this result. */
export function isMarked({ key, value: mark }: Alternative, value: unknown): boolean {
  if (key === undefined || !isObject(value)) return false;
  const found = value[key];
  return mark === undefined ? found !== undefined : found === mark;
}

/** Merges the definitions for sent messages. The definitions of an extension validate its methods and results. */
export function sendsOf<R extends Role>(
  revision: Revision<R>,
  tables: readonly ExtensionTable<R>[],
  kind: "developmentSends" | "sends",
): SendTable<R> | undefined {
  const base = revision[kind];
  if (!base) return undefined;
  const added = tables.flatMap((table) => table[kind] ?? []);
  const all = [base, ...added];
  const isAsking = tables.some(
    ({ role, incomingRequests, outgoingRequests }) =>
      (role === "client" ? incomingRequests : outgoingRequests).size > 0,
  );
  return {
    ...base,
    requests: new Map(all.flatMap(({ requests }) => [...requests])),
    notifications: new Map(all.flatMap(({ notifications }) => [...notifications])),
    find: (where, method, given) => {
      const { value, wrong }: Judged = isAsking ? withoutAsks(given, added) : { value: given };
      if (wrong) return wrong;
      const marked =
        where === "results" &&
        tables.find(({ augments }) => augments.get(method)?.some((each) => isMarked(each, value)));
      const owner = marked ? marked[kind] : all.find((sends) => sends[where].has(method));
      return owner?.find(where, method, value);
    },
  };
}

/** A message, and its first fault if it has one. */
interface Judged {
  readonly value: unknown;
  readonly wrong?: UndefinedMessage;
}

/**
 * Validates the input requests of extensions and takes them out of the message, since the revision does not define them.
 * Takes out input responses unchecked: each was validated when its request was answered.
 */
function withoutAsks(value: unknown, added: readonly SendTable[]): Judged {
  if (!isObject(value)) return { value };
  const { inputRequests, params } = value;
  if (isObject(params) && params["inputResponses"] !== undefined)
    return { value: { ...value, params: { ...params, inputResponses: {} } } };
  if (!isObject(inputRequests)) return { value };
  const kept: { [key: string]: unknown } = {};
  for (const [key, request] of Object.entries(inputRequests)) {
    const method = isObject(request) ? (request["method"] as string) : "";
    const owner = added.find(({ requests }) => requests.has(method));
    const wrong = owner?.find("requests", method, request);
    if (wrong) return { value, wrong };
    if (!owner) kept[key] = request;
  }
  return { value: { ...value, inputRequests: kept } };
}

/** Whether a value is an object or an array. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
