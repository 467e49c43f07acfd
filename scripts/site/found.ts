/** Something that a search finds. The names are short: the search page holds hundreds of them. */
export interface Found {
  /** Its name or heading. */
  readonly n: string;
  /** The page, or the kind of entry. */
  readonly p: string;
  /** Its address from the root of the site. */
  readonly a: string;
  /** Its text. */
  readonly t: string;
  /** Names that its tables explain. */
  readonly k?: string;
  /** Other pages that have the same entry, at the same anchor, by a label. */
  readonly more?: readonly (readonly [label: string, page: string])[];
}
