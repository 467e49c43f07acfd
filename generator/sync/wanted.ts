import type { Contract } from "../contract/contract.js";
import { completable } from "../contract/completable.js";

/** The members of `Handlers` that hold a function for each thing of one kind. */
export const sections = ["tools", "resources", "resourceTemplates", "prompts", "completions"] as const;

export type Section = (typeof sections)[number];

/** The keys that handlers of a contract have, by section; empty sections are left out. */
export type Wanted = ReadonlyMap<Section, readonly string[]>;

/** The keys that the handlers of `contract` must have, in the contract's order. */
export function wantedMembers(contract: Contract): Wanted {
  const { tools, resources, resourceTemplates, prompts, capabilities } = contract;
  const keys: readonly (readonly [Section, readonly string[]])[] = [
    ["tools", (tools ?? []).map(({ name }) => name)],
    ["resources", (resources ?? []).map(({ uri }) => uri)],
    ["resourceTemplates", (resourceTemplates ?? []).map(({ uriTemplate }) => uriTemplate)],
    ["prompts", (prompts ?? []).map(({ name }) => name)],
    // Servers may suggest values without declaring so; they must where they declare it.
    ["completions", capabilities?.["completions"] === undefined ? [] : [...completable(contract).keys()]],
  ];
  return new Map(keys.filter(([, names]) => names.length > 0));
}

/** The noun for one entry of a section, for messages. */
export const nounOf: Readonly<Record<Section, string>> = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
  completions: "prompt or template with arguments, called",
};
