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

// Which definitions judge the messages of a revision with extensions.

/** A request whose result may be one of those that extensions add. */
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

/** A request whose result may be one of its alternatives that are final: a value marks them, and they ask for nothing. */
export function withFinalResults(entry: OutgoingRequest, revision: Revision): OutgoingRequest {
  const { alternatives = [], resultTypes } = entry;
  const results = alternatives.filter(
    ({ key, value }) => value !== undefined && (key !== "resultType" || resultTypes?.includes(value)),
  );
  return results.length > 0 ? withResults(entry, results, revision) : entry;
}

/** Methods and definitions of an extension, with the functions that say what is wrong. */
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

/** Whether a value has the mark of a result. */
export function isMarked({ key, value: mark }: AddedResult, value: unknown): boolean {
  if (key === undefined || !isObject(value)) return false;
  const found = value[key];
  return mark === undefined ? found !== undefined : found === mark;
}

/** The definitions of what is sent: those of an extension judge its methods and its results. */
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

/** A message, and what is wrong with it. */
interface Judged {
  readonly value: unknown;
  readonly wrong?: UndefinedMessage;
}

/**
 * A message without the input requests of extensions, and what is wrong with those: the revision describes
 * none of them. Input responses are results that were judged when their requests were answered.
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

/** Whether a value has members. */
export function isObject(value: unknown): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}
