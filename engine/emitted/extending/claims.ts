import type { ExtensionTable, Revision } from "../model.js";
import type { Part } from "./extend.js";

/** A name that only one owner may define. */
interface Claim {
  readonly kind: "capability" | "error" | "filter" | "method" | "resultType" | "result member";
  readonly name: string;
  /** Two claims of the same name with the same value do not conflict. */
  readonly value?: number;
}

/** Values of `resultType` of the protocol. */
const protocolResults = ["complete", "input_required"];

/** Throws if two extensions, or an extension and the revision, define the same name. */
export function requireUnclaimed(
  revision: Revision,
  parts: readonly Part[],
  invalid: (message: string) => Error,
): void {
  const owners = new Map<string, Claim & { readonly owner: string }>();
  const claim = (owner: string, claims: readonly Claim[]): void => {
    for (const each of claims) {
      const { kind, name } = each;
      const key = JSON.stringify([kind, name]);
      const first = owners.get(key);
      if (!first) owners.set(key, { ...each, owner });
      else if (first.owner !== owner && !agree(first, each) && !isSecond(first))
        throw invalid(
          `${kind} ${name} of ${first.owner}${valueText(first)} is one of ${owner}${valueText(each)} at ${revision.id}, too. Rename it, or use one of them.`,
        );
    }
  };
  // On revisions with sessions an extension may define a second code for an error of the revision. Its own
  // methods then use that code.
  const ours = `revision ${revision.id}`;
  const isSecond = ({ kind, owner }: Claim & { readonly owner: string }) =>
    kind === "error" && owner === ours && revision.era === "legacy";
  const { table: own } = revision;
  const results = [...own.incomingRequests, ...own.outgoingRequests].flatMap(
    ([, { resultTypes = [] }]) => resultTypes,
  );
  claim(ours, [
    ...claimsOf(own),
    ...[...protocolResults, ...results].map((name) => ({ kind: "resultType", name }) as const),
  ]);
  for (const { use, table } of parts) {
    const { id, version } = use.extension;
    claim(`extension ${id} ${version}`, [
      ...claimsOf(table),
      ...resultClaims(table),
      ...declaredClaims(table),
    ]);
  }
}

function agree(one: Claim, other: Claim): boolean {
  return one.value !== undefined && one.value === other.value;
}

function valueText({ value }: Pick<Claim, "value">): string {
  return value === undefined ? "" : ` (${value})`;
}

type Methods = Pick<
  ExtensionTable,
  "errors" | "incomingNotifications" | "incomingRequests" | "outgoingNotifications" | "outgoingRequests"
>;

function claimsOf(table: Methods): Claim[] {
  const { incomingNotifications, outgoingNotifications } = table;
  const notifications = [...incomingNotifications, ...outgoingNotifications];
  const methods = [
    ...table.incomingRequests.keys(),
    ...table.outgoingRequests.keys(),
    ...notifications.map(([method]) => method),
  ];
  return [
    ...methods.map((name) => ({ kind: "method", name }) as const),
    ...notifications.flatMap(([, { filter }]) =>
      filter === undefined ? [] : [{ kind: "filter", name: filter } as const],
    ),
    ...Object.entries(table.errors).map(
      ([name, { code }]) => ({ kind: "error", name, value: code }) as const,
    ),
  ];
}

function resultClaims({ augments }: ExtensionTable): Claim[] {
  return [...augments].flatMap(([method, results]) =>
    results.map(({ key = "", value }): Claim =>
      key === "resultType" && value !== undefined
        ? { kind: "resultType", name: value }
        : { kind: "result member", name: `${key} of ${method}` },
    ),
  );
}

/** The place where the role declares the extension. Two extensions must not share a place. */
function declaredClaims({ declared, role }: ExtensionTable): Claim[] {
  const path = declared[role]?.path;
  return path ? [{ kind: "capability", name: path.join(".") }] : [];
}
