/** What a run of tests gave. */
export interface Report {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly failedFiles: Iterable<string>;
}
export declare function writeReport(report: Report, name?: string): void;
