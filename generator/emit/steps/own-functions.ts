import { copyDeclaration } from "../copied-module.js";

/** The functions that a file of steps has itself, if it calls them: few files do. */
export const ownFunctions = ["joined", "split", "unwrapped", "wrapped"] as const;

export type OwnFunction = (typeof ownFunctions)[number];

export function ownFunctionText(name: OwnFunction): string {
  return copyDeclaration("moves", name);
}
