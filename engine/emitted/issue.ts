/** One thing that is wrong with a value. */
export interface Issue {
  /** JSON Pointer (RFC 6901) of the place; of the missing member if one is missing. */
  readonly pointer: string;
  readonly expected: string;
  /** The value at the place, shortened; `nothing` if a member is missing. */
  readonly got: string;
  /** A suggestion, if a name is nearly right. */
  readonly suggestion?: string;
  /** The issue in one line: `params.days: expected integer, got "3" (string)`. */
  readonly message: string;
}
