/** A paraphrased item of a changelog, and the findings that report it: `rule subject`, braces for alternatives. */
export interface Item {
  readonly says: string;
  readonly finds: readonly string[];
}

/** The changes between two revisions. */
export interface Changelog {
  /** Items of the official changelog that a schema can show. */
  readonly named: readonly Item[];
  /** Items of the official changelog that are in no message. */
  readonly unseen: readonly string[];
  /** Differences of the two files that the changelog does not name. */
  readonly unnamed: readonly Item[];
}

/** All texts that a pattern with braces describes. */
export function expanded(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]+)\}/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return choices!.split(",").flatMap((choice) => expanded(pattern.replace(whole, () => choice)));
}
