import type {
  ErrorTable,
  ExtensionTable,
  Failure,
  MethodFacts,
  Refuse,
  Requirement,
  Revision,
  Role,
} from "../model.js";
import { clientDeclares, placed } from "./declaring.js";
import { isObject, withFinalResults } from "./judging.js";

// Makes functions from the columns that tables hold as data.

/** Completes the tables of a revision: see `Revision.completed`. */
export function completed<R extends Role>(revision: Revision<R>, failure: Failure): Revision<R> {
  const { id, role, table } = revision;
  const refusing = <Entry extends MethodFacts>(
    methods: ReadonlyMap<string, Entry>,
  ): ReadonlyMap<string, Entry> =>
    role === "client"
      ? methods
      : mapped(methods, (facts, method) =>
          withRefusal(facts, refusalsOf(method, id, table.errors, failure), []),
        );
  const outgoingNotifications = refusing(table.outgoingNotifications);
  return {
    ...revision,
    table: {
      ...table,
      incomingRequests: withFilters(
        refusing(mapped(table.incomingRequests, withRequirement)),
        outgoingNotifications,
        failure,
      ),
      outgoingRequests: mapped(table.outgoingRequests, withFinalResults),
      outgoingNotifications,
    },
  };
}

function mapped<Entry extends MethodFacts>(
  methods: ReadonlyMap<string, Entry>,
  change: (entry: Entry, method: string) => Entry,
): ReadonlyMap<string, Entry> {
  return new Map([...methods].map(([method, entry]) => [method, change(entry, method)]));
}

/** Adds `requires` to a request that needs a capability of the client. */
function withRequirement<Facts extends MethodFacts>(facts: Facts): Facts {
  const { capability, requires } = facts;
  if (requires || capability?.of !== "client") return facts;
  const error = "MISSING_REQUIRED_CLIENT_CAPABILITY";
  return { ...facts, requires: { ...capability, error } };
}

/** Makes the errors for one method of one revision. */
type Refusals = (requirement: Requirement) => Error;

export function refusalsOf(method: string, revision: string, errors: ErrorTable, failure: Failure): Refusals {
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

/**
 * Adds `refuse`, which enforces `requires`, unless the facts have it already.
 *
 * @param tables of the extensions: a client declares an extension by an object
 */
export function withRefusal<Facts extends MethodFacts>(
  facts: Facts,
  refusals: Refusals,
  tables: readonly ExtensionTable[],
): Facts {
  const { requires } = facts;
  if (requires?.of !== "client" || facts.refuse) return facts;
  const isDeclared = clientDeclares(requires.path, tables);
  const refuse: Refuse = ({ clientCapabilities }) =>
    isDeclared(clientCapabilities) ? undefined : refusals(requires);
  return { ...facts, refuse };
}

/**
 * Adds a check to requests that open a subscription. It refuses a filter that selects notifications the client may not
 * get, and an invalid filter.
 */
export function withFilters<Entry extends MethodFacts>(
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
  const refuseFilter: Refuse = (client, request) => {
    const objects = Object.entries(request?.params ?? {}).flatMap(([key, value]) =>
      key !== "_meta" && isObject(value) ? [value] : [],
    );
    for (const { filter, filterKey, refuse } of selecting) {
      const value = objects.find((each) => each[filter])?.[filter];
      if (value === undefined) continue;
      const refused = refuse(client);
      if (refused) return refused;
      const isList = filterKey !== undefined;
      if (isList ? !Array.isArray(value) : value !== true)
        return new failure("invalid-params", `${filter}: expected ${isList ? "a list" : "a boolean"}`, {
          rpcCode: -32602,
        });
    }
    return undefined;
  };
  return mapped(requests, (entry) => {
    if (!entry.listening) return entry;
    const { refuse: own } = entry;
    const refuse: Refuse = (client, request) => own?.(client, request) ?? refuseFilter(client, request);
    return { ...entry, refuse };
  });
}
