import type {
  AddedResult,
  ExtensionTable,
  MethodFacts,
  OpenDefinition,
  OutgoingRequest,
  Revision,
  Role,
  SendTable,
  UndefinedMessage,
} from "../model.js";

// Selects the definitions that validate the messages of a revision with extensions.

/** Lets the request also accept the results that extensions add. */
export function withResults(
  entry: OutgoingRequest,
  results: readonly AddedResult[],
  revision: Revision,
): OutgoingRequest {
  const { result } = entry;
  if (!result) return entry;
  const chosen = (value: unknown): OpenDefinition => results.find((each) => isMarked(each, value)) ?? result;
  const { name } = result;
  const either: OpenDefinition = {
    name,
    accepts: (value) => chosen(value).accepts(value),
    explain: async () => {
      const all = [...results, result].map(
        async (each) => [each, await (each.explain ?? revision.explain)?.()] as const,
      );
      const explanations = new Map(await Promise.all(all));
      return {
        [`explain${name}` as const]: (value, reading) => {
          const one = chosen(value);
          const explain = explanations.get(one)?.[`explain${one.name}` as const];
          return explain?.(value, reading) ?? [];
        },
      };
    },
  };
  return { ...entry, result: either };
}

/** Lets the request also accept its final alternatives: results that a value marks and that request no input. */
export function withFinalResults(entry: OutgoingRequest, revision: Revision): OutgoingRequest {
  const { alternatives = [], resultTypes } = entry;
  const results = alternatives.filter(
    ({ key, value }) => value !== undefined && (key !== "resultType" || resultTypes?.includes(value)),
  );
  return results.length > 0 ? withResults(entry, results, revision) : entry;
}

/** Adds the `explain` module of the extension to the definitions of a method. */
export function withExplain<Entry extends MethodFacts>(
  entry: Entry,
  explain: ExtensionTable["explain"],
): Entry {
  if (!explain) return entry;
  const { accepts, alternatives, result, page }: Partial<OpenDefinition> & OutgoingRequest = entry;
  return {
    ...entry,
    ...(accepts && { explain }),
    ...(alternatives && {
      alternatives: alternatives.map((each) => ({ ...each, explain })),
    }),
    ...(result && { result: { ...result, explain } }),
    ...(page && { page: { ...page, explain } }),
  };
}

/** Whether a value has the member, or the member's value, that marks this result. */
export function isMarked({ key, value: mark }: AddedResult, value: unknown): boolean {
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
