import type { Contract } from "../contract.js";

/** The members of `Handlers` that hold a function for each thing of one kind. */
export const sections = ["tools", "resources", "resourceTemplates", "prompts"] as const;

export type Section = (typeof sections)[number];

/** By section, the keys that handlers of a contract have; sections without any are left out. */
export type Wanted = ReadonlyMap<Section, readonly string[]>;

/** What the handlers of `contract` must hold, in the contract's order. */
export function wantedMembers({ tools, resources, resourceTemplates, prompts }: Contract): Wanted {
  const keys: readonly (readonly [Section, readonly string[]])[] = [
    ["tools", (tools ?? []).map(({ name }) => name)],
    ["resources", (resources ?? []).map(({ uri }) => uri)],
    ["resourceTemplates", (resourceTemplates ?? []).map(({ uriTemplate }) => uriTemplate)],
    ["prompts", (prompts ?? []).map(({ name }) => name)],
  ];
  return new Map(keys.filter(([, names]) => names.length > 0));
}

/** What one thing of a section is called in messages. */
export const nounOf: Readonly<Record<Section, string>> = {
  tools: "tool",
  resources: "resource",
  resourceTemplates: "resource template",
  prompts: "prompt",
};
