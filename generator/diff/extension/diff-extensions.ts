import type { ComparedExtension } from "../../extension/add/compared-model.js";
import { diffModels } from "../diff-models.js";
import type { Finding, Policy } from "../finding.js";
import { wholeModel } from "./whole-model.js";

/** A version of an extension over each of its bases, by the id of the base. */
export type ExtensionOverBases = ReadonlyMap<string, ComparedExtension>;

/** The differences between two versions of an extension. */
export interface ExtensionDifferences {
  /** Each difference once, though several bases show it; worst first over each base. */
  readonly differences: readonly Finding[];
  /** Bases of both versions, over which they were compared. */
  readonly compared: readonly string[];
  /** Bases that only one version has. */
  readonly dropped: readonly string[];
  readonly added: readonly string[];
}

/** Compares two versions of an extension over every base that both have. */
export function diffExtensions(
  old: ExtensionOverBases,
  next: ExtensionOverBases,
  policy: Policy,
): ExtensionDifferences {
  const compared = [...old.keys()].filter((base) => next.has(base));
  const differences = new Map<string, Finding>();
  for (const base of compared) {
    for (const finding of diffModels(wholeModel(old.get(base)!), wholeModel(next.get(base)!), policy))
      if (!differences.has(finding.fingerprint)) differences.set(finding.fingerprint, finding);
  }
  return {
    differences: [...differences.values()],
    compared,
    dropped: [...old.keys()].filter((base) => !next.has(base)),
    added: [...next.keys()].filter((base) => !old.has(base)),
  };
}
