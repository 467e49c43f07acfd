import type { ContractDocument } from "./contract.js";
import { loadContract } from "./read-contract.js";

/** Reads the contract file at an absolute path; the second argument is its name in errors. As `loadContract`. */
export type LoadContract = (path: string, file: string) => Promise<ContractDocument>;

/**
 * A `LoadContract` that reads each file once, so that all steps of a run work on the same text: an editor may save the
 * file between two of them.
 */
export function readOnce(load: LoadContract = loadContract): LoadContract {
  const documents = new Map<string, Promise<ContractDocument>>();
  return (path, file) => {
    const known = documents.get(path);
    if (known) return known;
    const document = load(path, file);
    documents.set(path, document);
    return document;
  };
}
