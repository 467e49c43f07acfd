import type {
  AddedResult,
  Checks,
  ErrorTable,
  ExtensionTable,
  Failure,
  MethodFacts,
  OpenDefinition,
  OutgoingRequest,
  Refuse,
  Requirement,
  Revision,
  Role,
  SendTable,
  StepTable,
  Steps,
  UndefinedMessage,
} from "../model.js";
import { declares, placed } from "./declaring.js";
import type { Part } from "./extend.js";

/** The revision with the tables of extensions. */
export function mergeTables<R extends Role>(
  revision: Revision<R>,
  parts: readonly Part<R>[],
  failure: Failure,
): Revision<R> {
  const tables = parts.map(({ table }) => table);
  const { table } = revision;
  const errors: ErrorTable = Object.assign(
    {},
    table.errors,
    ...tables.map((each) => each.errors),
  );
  const joined = <Kind extends MethodKind>(kind: Kind): Table[Kind] => {
    type Methods = ReadonlyMap<string, MethodFacts>;
    const added = tables.flatMap((each) => [...(each[kind] as Methods)]);
    const all = added.map(
      ([method, facts]) =>
        [
          method,
          withRefusal(facts, refusalsOf(method, revision.id, errors, failure)),
        ] as const,
    );
    return new Map([
      ...(table[kind] as Methods),
      ...all,
    ]) as Methods as Table[Kind];
  };
  const augments = tables.flatMap((each) => [...each.augments]);
  const outgoingNotifications = joined("outgoingNotifications");
  return {
    ...revision,
    table: {
      ...table,
      incomingRequests: withFilters(
        augmented(joined("incomingRequests"), augments),
        outgoingNotifications,
      ),
      incomingNotifications: joined("incomingNotifications"),
      outgoingRequests: augmented(
        joined("outgoingRequests"),
        augments,
        withResults,
      ),
      outgoingNotifications,
      errors,
    },
    ...optional("check", checksOf(revision, tables)),
    ...optional("steps", stepsOf(revision, tables)),
    ...optional("sends", sendsOf(revision, tables, "sends")),
    ...optional(
      "developmentSends",
      sendsOf(revision, tables, "developmentSends"),
    ),
  };
}

type Table = Revision["table"];

type MethodKind =
  | "incomingNotifications"
  | "incomingRequests"
  | "outgoingNotifications"
  | "outgoingRequests";

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [N in Name]?: Value } {
  return value === undefined
    ? {}
    : ({ [name]: value } as { readonly [N in Name]?: Value });
}

/** The methods, with the results that extensions add to some of them. */
function augmented<Entry extends MethodFacts>(
  methods: ReadonlyMap<string, Entry>,
  augments: readonly (readonly [string, readonly AddedResult[]])[],
  change: (entry: Entry, results: readonly AddedResult[]) => Entry = (entry) =>
    entry,
): ReadonlyMap<string, Entry> {
  const all = new Map(methods);
  for (const [method, results] of augments) {
    const entry = all.get(method);
    if (!entry) continue;
    const types = results.flatMap(({ key, value }) =>
      key === "resultType" && value !== undefined ? [value] : [],
    );
    const resultTypes = [...(entry.resultTypes ?? []), ...types];
    all.set(method, change({ ...entry, resultTypes }, results));
  }
  return all;
}

/** A request whose result may be one of those that extensions add. */
function withResults(
  entry: OutgoingRequest,
  results: readonly AddedResult[],
): OutgoingRequest {
  const { result } = entry;
  if (!result) return entry;
  const either: OpenDefinition = {
    name: result.name,
    accepts: (value) => {
      const marked = results.find((each) => isMarked(each, value));
      return (marked ?? result).accepts(value);
    },
  };
  return { ...entry, result: either };
}

/** Whether a value has the mark of a result. */
export function isMarked(
  { key, value: mark }: AddedResult,
  value: unknown,
): boolean {
  if (key === undefined || !isObject(value)) return false;
  const found = value[key];
  return mark === undefined ? found !== undefined : found === mark;
}

/** Makes the errors for one method of one revision. */
type Refusals = (requirement: Requirement) => Error;

function refusalsOf(
  method: string,
  revision: string,
  errors: ErrorTable,
  failure: Failure,
): Refusals {
  return ({ path, error }) => {
    const code = (name: string): number | undefined =>
      Object.hasOwn(errors, name) ? errors[name]!.code : undefined;
    const rpcCode = code(error);
    if (rpcCode === undefined)
      return new failure(
        "method-not-found",
        `there is no method ${JSON.stringify(method)} at ${revision} for a client without the capability ${path.join(".")}`,
        { rpcCode: code("METHOD_NOT_FOUND") ?? -32601 },
      );
    const data = { requiredCapabilities: placed({}, path, {}) };
    return new failure(
      "missing-capability",
      `${method}: the client has not declared the capability ${path.join(".")}`,
      { rpcCode, data },
    );
  };
}

function withRefusal<Facts extends MethodFacts>(
  facts: Facts,
  refusals: Refusals,
): Facts {
  const { requires } = facts;
  if (requires?.of !== "client") return facts;
  const refuse: Refuse = ({ clientCapabilities }) =>
    declares(clientCapabilities, requires.path)
      ? undefined
      : refusals(requires);
  return { ...facts, refuse };
}

/** Requests that open a subscription, refused if their filter selects what the client may not get. */
function withFilters<Entry extends MethodFacts>(
  requests: ReadonlyMap<string, Entry>,
  notifications: ReadonlyMap<string, MethodFacts>,
): ReadonlyMap<string, Entry> {
  const gated = [...notifications.values()].flatMap(({ filter, refuse }) =>
    filter !== undefined && refuse ? [{ filter, refuse }] : [],
  );
  if (gated.length === 0) return requests;
  const refuse: Refuse = (client, request) => {
    const objects = Object.values(request?.params ?? {}).filter(isObject);
    const selected = gated.filter(({ filter }) =>
      objects.some((each) => Boolean(each[filter])),
    );
    for (const each of selected) {
      const refused = each.refuse(client);
      if (refused) return refused;
    }
    return undefined;
  };
  return new Map(
    [...requests].map(([method, entry]) => [
      method,
      entry.listening ? { ...entry, refuse } : entry,
    ]),
  );
}

function isObject(
  value: unknown,
): value is { readonly [key: string]: unknown } {
  return typeof value === "object" && value !== null;
}

function checksOf(
  revision: Revision,
  tables: readonly ExtensionTable[],
): (() => Promise<Checks>) | undefined {
  const all = [revision, ...tables].flatMap(({ check }) => check ?? []);
  if (all.length === 0) return undefined;
  return async () => {
    const loaded = await Promise.all(all.map((check) => check()));
    // Of two definitions of one name, the functions of the revision are kept.
    return Object.assign({}, ...loaded.reverse());
  };
}

function stepsOf(
  { steps }: Revision,
  tables: readonly ExtensionTable[],
): Steps | undefined {
  const added = tables.flatMap((table) => table.steps ?? []);
  if (!steps || added.length === 0) return steps;
  const join = (kind: Exclude<keyof Steps, "newer" | "older">): StepTable =>
    new Map([steps, ...added].flatMap((each) => [...each[kind]]));
  return {
    older: steps.older,
    newer: steps.newer,
    incomingRequests: join("incomingRequests"),
    incomingNotifications: join("incomingNotifications"),
    incomingResults: join("incomingResults"),
    outgoingRequests: join("outgoingRequests"),
    outgoingNotifications: join("outgoingNotifications"),
    outgoingResults: join("outgoingResults"),
  };
}

/** The definitions of what is sent: those of an extension judge its methods and its results. */
function sendsOf<R extends Role>(
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
    notifications: new Map(
      all.flatMap(({ notifications }) => [...notifications]),
    ),
    find: (where, method, given) => {
      const { value, wrong } = isAsking
        ? withoutAsks(given, added)
        : { value: given };
      if (wrong) return wrong;
      const marked =
        where === "results" &&
        tables.find(({ augments }) =>
          augments.get(method)?.some((each) => isMarked(each, value)),
        );
      const owner = marked
        ? marked[kind]
        : all.find((sends) => sends[where].has(method));
      return owner?.find(where, method, value);
    },
  };
}

/**
 * A message without the input requests of extensions, and what is wrong with
 * those: the revision describes none of them. Input responses are results that
 * were judged when their requests were answered.
 */
function withoutAsks(
  value: unknown,
  added: readonly SendTable[],
): { readonly value: unknown; readonly wrong?: UndefinedMessage } {
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
