import type { Finding } from "../diagnostics/finding.js";
import type { TriedExtension } from "../extension/add/try-extensions.js";

/** A stored extension that compiles over the new revision. */
export function over({ extension, isBase, error }: TriedExtension, revision: string): string[] {
  if (error) return [];
  return [`${extension} compiles over ${revision}${isBase ? "" : '; it is not among its "bases"'}`];
}

/** A stored extension that does not: an error where the revision is one of its bases. */
export function notOver({ extension, file, isBase, error }: TriedExtension, revision: string): Finding[] {
  if (!error) return [];
  const message = `${extension} does not compile over ${revision}: ${error.message} (${error.code})`;
  const finding = { code: "MG1310", message, place: error.place ?? { file } } as const;
  if (!isBase) return [{ ...finding, severity: "warning" }];
  const next = `Remove ${revision} from its "bases", or correct its schema.`;
  return [{ ...finding, severity: "error", next }];
}
