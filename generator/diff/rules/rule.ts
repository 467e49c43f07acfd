/** How bad a change is for one side. */
export type Level = "breaking" | "dangerous" | "safe";

export type Area =
  "methods" | "properties" | "types" | "limits" | "errors" | "definitions" | "files" | "contracts";

/** One row of the rule table. */
export interface Rule {
  readonly id: string;
  /** Distinguishes rows of one rule: the case in which this row applies. */
  readonly when?: string;
  readonly area: Area;
  /** For an implementation of the old revision that writes the value. */
  readonly writer: Level;
  /** For one that reads it and tolerates what it does not know. */
  readonly reader: Level;
  /** For a reader that refuses what it does not know, where that makes a difference. */
  readonly closedReader?: Level;
  /** Whether code written against the generated types stops compiling. */
  readonly source: "breaking" | "safe";
  readonly reason: string;
  readonly advice: string;
  /** Rules of which one is found, at the same subject, when old and new change places. */
  readonly mirror: readonly string[] | { readonly waived: string };
  /** Its findings form one group, whatever they are about. */
  readonly isOneFinding?: true;
  /** Not reported unless the configuration gives the rule a severity. */
  readonly hidden?: true;
}
