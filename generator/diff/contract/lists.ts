/** A list of a contract, as it is compared. */
export interface ComparedList {
  readonly name: "tools" | "prompts" | "resources" | "resourceTemplates";
  /** The member that identifies its entries. */
  readonly key: string;
  /** The first word of the rules for an entry that is added or removed. */
  readonly rule: string;
  /** The method that clients ask for an entry by. */
  readonly method: string;
}

export const comparedLists: readonly ComparedList[] = [
  { name: "tools", key: "name", rule: "tool", method: "tools/call" },
  { name: "prompts", key: "name", rule: "prompt", method: "prompts/get" },
  { name: "resources", key: "uri", rule: "resource", method: "resources/read" },
  { name: "resourceTemplates", key: "uriTemplate", rule: "resource-template", method: "resources/read" },
];
