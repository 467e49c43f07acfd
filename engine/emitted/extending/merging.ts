import type {
  AddedResult,
  ErrorTable,
  ExtensionTable,
  Failure,
  MethodFacts,
  Revision,
  Role,
  SendTable,
  StepTable,
  Steps,
} from "../model.js";
import { refusalsOf, withFilters, withRefusal } from "./completing.js";
import type { Part } from "./extend.js";
import { explainOf, sendsOf, withFinalResults, withResults } from "./judging.js";

/** The revision with the tables of extensions. */
export function mergeTables<R extends Role>(
  revision: Revision<R>,
  parts: readonly Part<R>[],
  failure: Failure,
): Revision<R> {
  const tables = parts.map(({ table }) => table);
  const { table } = revision;
  const errors: ErrorTable = Object.assign({}, ...tables.map((each) => each.errors), table.errors);
  const joined = <Kind extends MethodKind>(kind: Kind): Table[Kind] => {
    type Methods = ReadonlyMap<string, MethodFacts>;
    const all = tables.flatMap(({ errors: own, [kind]: added }) =>
      [...(added as Methods)].map(([method, facts]) => {
        const codes = { ...errors, ...own };
        const refusals = refusalsOf(method, revision.id, codes, failure);
        const answered = kind === "outgoingRequests" ? withFinalResults(facts) : facts;
        return [method, withRefusal(answered, refusals, tables)] as const;
      }),
    );
    return new Map([...(table[kind] as Methods), ...all]) as Methods as Table[Kind];
  };
  const augments = tables.flatMap(({ augments: added }) => [...added]);
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
      outgoingRequests: augmented(joined("outgoingRequests"), augments, withResults),
      outgoingNotifications,
      // A server sends the extension's codes only in answer to the extension's methods.
      errors: revision.role === "client" ? errors : table.errors,
    },
    ...optional("explain", explainOf([revision, ...tables])),
    ...optional("steps", stepsOf("steps", revision, tables)),
    ...optional("peerSteps", stepsOf("peerSteps", revision, tables)),
    ...optional("developmentSends", sendsOf(revision, tables, "developmentSends")),
    ...(revision.sends && {
      // Only `validation: { send: "always" }` reads it.
      get sends(): SendTable<R> {
        const plain = parts.find(({ table: each }) => !each.sends);
        if (!plain) return sendsOf(revision, tables, "sends")!;
        throw new failure(
          "invalid-definition",
          `extension ${plain.use.extension.id}: validation.send: it has no exact definitions for production. Pass explained(extension), of its module explained.`,
        );
      },
    }),
  };
}

type Table = Revision["table"];

type MethodKind = "incomingNotifications" | "incomingRequests" | "outgoingNotifications" | "outgoingRequests";

function optional<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { readonly [N in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { readonly [N in Name]?: Value });
}

/** Adds the results of extensions to the methods that they augment. */
function augmented<Entry extends MethodFacts>(
  methods: ReadonlyMap<string, Entry>,
  augments: readonly (readonly [string, readonly AddedResult[]])[],
  change: (entry: Entry, results: readonly AddedResult[]) => Entry = (entry) => entry,
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
