/** How severe a change is for one side. */
export type Level = "breaking" | "dangerous" | "safe";

export type Area =
  "methods" | "properties" | "types" | "limits" | "errors" | "definitions" | "files" | "contracts";

/** One row of the rule table. */
export interface Rule {
  readonly id: string;
  /** The case in which this row applies, if the rule has several rows. */
  readonly when?: string;
  readonly area: Area;
  /** Level for an implementation of the old revision that writes the value. */
  readonly writer: Level;
  /** Level for one that reads the value and tolerates unknown parts. */
  readonly reader: Level;
  /** Level for a reader that rejects unknown parts, if it differs. */
  readonly closedReader?: Level;
  /** Whether code written against the generated types stops compiling. */
  readonly source: "breaking" | "safe";
  readonly reason: string;
  readonly advice: string;
  /**
   * The rules reported for the same subject if old and new are exchanged (one of them); or why there is none.
   */
  readonly mirror: readonly string[] | { readonly waived: string };
  /** Whether all findings of the rule form one group, whatever their subjects. */
  readonly isOneFinding?: true;
  /** Whether the rule is reported only if the configuration gives it a severity. */
  readonly hidden?: true;
}

/** A row without the members that all rows of its list share, such as their area. */
export type Row<Shared extends keyof Rule = "area"> = Omit<Rule, Shared>;
