import { type JsonObject, jsonEqual } from "@mcpgen/engine";
import { type Asked, type Contract, type ContractList, identities } from "./contract.js";

const names = Object.keys(identities) as ContractList[];

type Entry = { readonly [member: string]: unknown };

/** Entries of another contract that a server denies having, by list. */
export type Gone = { readonly [List in ContractList]?: readonly string[] };

/** Whether the server of a contract omitted entries from a list. */
export function isIncomplete({ complete, asked }: Contract, list: ContractList): boolean {
  return complete === false && (asked?.[list] !== undefined || asked === undefined);
}

/** An entry of one contract that the other's incomplete list does not mention. */
export interface Unlisted {
  readonly list: ContractList;
  readonly key: string;
  /** The side that has the entry. */
  readonly by: "old" | "new";
}

/** Two contracts, and the entries that a server of each denies having. */
interface TwoContracts {
  readonly old: Contract;
  readonly new: Contract;
  readonly gone?: { readonly old?: Gone | undefined; readonly new?: Gone | undefined };
}

/**
 * The entries of each contract that an incomplete list of the other does not name. They may exist
 * nevertheless.
 */
export function unlisted({ old, new: next, gone }: TwoContracts): Unlisted[] {
  return names.flatMap((list) => [
    ...missing(list, old, next, gone?.new).map((key) => ({ list, key, by: "old" as const })),
    ...missing(list, next, old, gone?.old).map((key) => ({ list, key, by: "new" as const })),
  ]);
}

function missing(list: ContractList, from: Contract, there: Contract, gone: Gone = {}): string[] {
  if (!isIncomplete(there, list)) return [];
  const listed = new Set(keysOf(there, list));
  return keysOf(from, list).filter((key) => !listed.has(key) && !gone[list]?.includes(key));
}

/** The contract without the given entries. */
export function withoutEntries(contract: Contract, left: readonly Unlisted[]): Contract {
  if (left.length === 0) return contract;
  const isLeft = (list: ContractList, entry: Entry): boolean =>
    left.some((each) => each.list === list && each.key === entry[identities[list]]);
  return withLists(contract, (list) => entriesOf(contract, list).filter((entry) => !isLeft(list, entry)));
}

/**
 * Updates a contract with a server's present lists. Entries that an incomplete list does not name are kept.
 *
 * @param gone entries that the server denies having
 */
export function mergedContract(before: Contract, live: Contract, gone: Gone): Contract {
  const merged = withLists(live, (list) => {
    const now = entriesOf(live, list);
    if (!isIncomplete(live, list)) return now;
    const key = identities[list];
    const known = entriesOf(before, list)
      .filter((entry) => !gone[list]?.includes(entry[key] as string))
      .map((entry) => now.find((each) => each[key] === entry[key]) ?? entry);
    return [...known, ...now.filter((entry) => known.every((each) => each[key] !== entry[key]))];
  });
  return merged.asked ? { ...merged, asked: bothAsked(before.asked, merged.asked) } : merged;
}

/** Combines the list requests of two captures. */
export function bothAsked(before: Asked = {}, more: Asked): Asked {
  return Object.fromEntries(
    names
      .filter((list) => more[list])
      .map((list) => {
        const all = [...(before[list] ?? []), ...more[list]!];
        return [list, all.filter((one, index) => all.findIndex((each) => jsonEqual(each, one)) === index)];
      }),
  );
}

export function keysOf(contract: Contract, list: ContractList): string[] {
  return entriesOf(contract, list).map((entry) => String(entry[identities[list]]));
}

/** The contract with other lists, in the usual order; an empty list is omitted. */
function withLists(contract: Contract, entries: (list: ContractList) => readonly Entry[]): Contract {
  const lists = names.map((list) => [list, entries(list)] as const).filter(([, list]) => list.length > 0);
  const others = Object.entries(contract).filter(([key]) => !(key in identities));
  return Object.fromEntries([...others, ...lists]) as unknown as Contract;
}

function entriesOf(contract: Contract, list: ContractList): readonly Entry[] {
  return (contract[list] ?? []) as unknown as readonly (Entry & JsonObject)[];
}
