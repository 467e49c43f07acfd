/** An item of a changelog in our own words, and the findings that tell it: `rule subject`, braces for choices. */
export interface Item {
  readonly says: string;
  readonly finds: readonly string[];
}

/** What happened between two revisions. */
export interface Changelog {
  /** What the official changelog names and a schema can show. */
  readonly named: readonly Item[];
  /** What it names that no message shows. */
  readonly unseen: readonly string[];
  /** What both files show and the changelog does not name. */
  readonly unnamed: readonly Item[];
}

/** All texts that a pattern stands for. */
export function expanded(pattern: string): string[] {
  const [whole, choices] = /\{([^{}]+)\}/.exec(pattern) ?? [];
  if (whole === undefined) return [pattern];
  return choices!.split(",").flatMap((choice) => expanded(pattern.replace(whole, () => choice)));
}
