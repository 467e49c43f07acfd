import { type Contract, type ContractList, identities } from "./contract.js";

/** The lists whose entries may have members that no server lists. */
const lists = Object.keys(identities) as ContractList[];

type Entry = { readonly scopes?: readonly string[]; readonly replay?: boolean } & {
  readonly [member: string]: unknown;
};

/** The contract without scopes and `replay`, as its server lists it. */
export function withoutUnlisted(contract: Contract): Contract {
  return mapped(contract, (_, { scopes: _scopes, replay: _replay, ...entry }) => entry);
}

/**
 * The contract with the scopes and `replay` that `from` has for entries of the same names. Captured contracts have none.
 */
export function withUnlistedOf(contract: Contract, from: Contract): Contract {
  return mapped(contract, (list, entry) => {
    const key = identities[list];
    const known = entriesOf(from, list).find((each) => each[key] === entry[key]);
    const { scopes, replay } = known ?? {};
    return { ...entry, ...(scopes && { scopes }), ...(replay !== undefined && { replay }) };
  });
}

/** All scopes of a contract in order, without duplicates. */
export function scopesOf(contract: Contract): string[] {
  const entries = lists.flatMap((list) => entriesOf(contract, list));
  return [...new Set(entries.flatMap(({ scopes = [] }) => scopes))];
}

/** A documentation line with an entry's scopes. */
export function scopesLine({ scopes = [] }: Pick<Entry, "scopes">): string | undefined {
  if (scopes.length === 0) return undefined;
  return `${scopes.length === 1 ? "Scope" : "Scopes"}: ${scopes.map((scope) => `\`${scope}\``).join(", ")}`;
}

function mapped(contract: Contract, change: (list: ContractList, entry: Entry) => object): Contract {
  const changed = lists
    .filter((list) => contract[list] !== undefined)
    .map((list) => [list, entriesOf(contract, list).map((entry) => change(list, entry))]);
  return { ...contract, ...(Object.fromEntries(changed) as object) };
}

function entriesOf(contract: Contract, list: ContractList): readonly Entry[] {
  return (contract[list] ?? []) as unknown as readonly Entry[];
}
