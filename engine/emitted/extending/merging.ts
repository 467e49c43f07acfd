import type {
  AddedResult,
  ErrorTable,
  ExtensionTable,
  Failure,
  MethodFacts,
  Refuse,
  Requirement,
  Revision,
  Role,
  SendTable,
  StepTable,
  Steps,
} from "../model.js";
import { clientDeclares, placed } from "./declaring.js";
import type { Part } from "./extend.js";
import { isObject, sendsOf, withExplain, withResults } from "./judging.js";

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
    ...tables.map((each) => each.errors),
    table.errors,
  );
  const joined = <Kind extends MethodKind>(kind: Kind): Table[Kind] => {
    type Methods = ReadonlyMap<string, MethodFacts>;
    const all = tables.flatMap(({ explain, errors: own, [kind]: added }) =>
      [...(added as Methods)].map(([method, facts]) => {
        const codes = { ...errors, ...own };
        const refusals = refusalsOf(method, revision.id, codes, failure);
        return [
          method,
          withRefusal(withExplain(facts, explain), refusals, tables),
        ] as const;
      }),
    );
    return new Map([
      ...(table[kind] as Methods),
      ...all,
    ]) as Methods as Table[Kind];
  };
  const augments = tables.flatMap(({ augments: added, explain }) =>
    [...added].map(
      ([method, results]) =>
        [
          method,
          results.map((each) => (explain ? { ...each, explain } : each)),
        ] as const,
    ),
  );
  const outgoingNotifications = joined("outgoingNotifications");
  return {
    ...revision,
    table: {
      ...table,
      incomingRequests: withFilters(
        augmented(joined("incomingRequests"), augments),
        outgoingNotifications,
        failure,
      ),
      incomingNotifications: joined("incomingNotifications"),
      outgoingRequests: augmented(
        joined("outgoingRequests"),
        augments,
        (entry, results) => withResults(entry, results, revision),
      ),
      outgoingNotifications,
      // A server sends them in answer to methods of the extension alone.
      errors: revision.role === "client" ? errors : table.errors,
    },
    ...optional("steps", stepsOf("steps", revision, tables)),
    ...optional("peerSteps", stepsOf("peerSteps", revision, tables)),
    ...optional(
      "developmentSends",
      sendsOf(revision, tables, "developmentSends"),
    ),
    ...(revision.sends && {
      // Read by `validateSend: "always"` alone.
      get sends(): SendTable<R> {
        const plain = parts.find(({ table: each }) => !each.sends);
        if (!plain) return sendsOf(revision, tables, "sends")!;
        throw new failure(
          "invalid-definition",
          `extension ${plain.use.extension.id}: validateSend: it has no exact definitions for production. Pass explained(extension), of its module explained.`,
        );
      },
    }),
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
  tables: readonly ExtensionTable[],
): Facts {
  const { requires } = facts;
  if (requires?.of !== "client") return facts;
  const isDeclared = clientDeclares(requires.path, tables);
  const refuse: Refuse = ({ clientCapabilities }) =>
    isDeclared(clientCapabilities) ? undefined : refusals(requires);
  return { ...facts, refuse };
}

/** Requests that open a subscription, refused if their filter selects what the client may not get, or is no filter. */
function withFilters<Entry extends MethodFacts>(
  requests: ReadonlyMap<string, Entry>,
  notifications: ReadonlyMap<string, MethodFacts>,
  failure: Failure,
): ReadonlyMap<string, Entry> {
  const selecting = [...notifications.values()].flatMap((facts) =>
    facts.filter !== undefined && facts.refuse
      ? [{ ...facts, filter: facts.filter, refuse: facts.refuse }]
      : [],
  );
  if (selecting.length === 0) return requests;
  const refuse: Refuse = (client, request) => {
    const objects = Object.entries(request?.params ?? {}).flatMap(
      ([key, value]) => (key !== "_meta" && isObject(value) ? [value] : []),
    );
    for (const { filter, filterKey, refuse: refuseClient } of selecting) {
      const value = objects.find((each) => each[filter])?.[filter];
      if (value === undefined) continue;
      const refused = refuseClient(client);
      if (refused) return refused;
      const isList = filterKey !== undefined;
      if (isList ? !Array.isArray(value) : value !== true)
        return new failure(
          "invalid-params",
          `${filter}: expected ${isList ? "a list" : "a boolean"}`,
          { rpcCode: -32602 },
        );
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

function stepsOf(
  member: "peerSteps" | "steps",
  { [member]: steps }: Revision,
  tables: readonly ExtensionTable[],
): Steps | undefined {
  const added = tables.flatMap(({ [member]: own }) => own ?? []);
  if (!steps || added.length === 0) return steps;
  const join = (kind: Exclude<keyof Steps, "newer" | "older">): StepTable =>
    new Map([steps, ...added].flatMap((each) => [...(each[kind] ?? [])]));
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
