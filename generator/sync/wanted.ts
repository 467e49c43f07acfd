import { type Contract, nouns } from "../contract/contract.js";
import { completable } from "../contract/completable.js";

/** The members of `Handlers`: each contains a function for each entry of one kind. */
export const sections = ["tools", "resources", "resourceTemplates", "prompts", "completions"] as const;

export type Section = (typeof sections)[number];

/** The handler names of a contract, by section; empty sections are omitted. */
export type Wanted = ReadonlyMap<Section, readonly string[]>;

/** The names that the handlers of `contract` must have, in the contract's order. */
export function wantedMembers(contract: Contract): Wanted {
  const { tools, resources, resourceTemplates, prompts, capabilities } = contract;
  const keys: readonly (readonly [Section, readonly string[]])[] = [
    ["tools", (tools ?? []).map(({ name }) => name)],
    ["resources", (resources ?? []).map(({ uri }) => uri)],
    ["resourceTemplates", (resourceTemplates ?? []).map(({ uriTemplate }) => uriTemplate)],
    ["prompts", (prompts ?? []).map(({ name }) => name)],
    // Servers may complete arguments without declaring the capability, but must do so if they declare it.
    ["completions", capabilities?.["completions"] === undefined ? [] : [...completable(contract).keys()]],
  ];
  return new Map(keys.filter(([, names]) => names.length > 0));
}

/** The noun for an entry of a section, in messages. */
export const nounOf: Readonly<Record<Section, string>> = {
  ...nouns,
  completions: "prompt or template with arguments, called",
};
