// The reporter for node --test: it prints like the reporter "spec" and, in CI, writes a report for the
// summary of .ci/run.
import { Readable } from "node:stream";
import { spec } from "node:test/reporters";
import { writeReport } from "./report.mjs";

export default async function* report(source) {
  const counts = { passed: 0, failed: 0, skipped: 0 };
  const failedFiles = [];
  async function* counted() {
    for await (const event of source) {
      const { type, data } = event;
      if (type === "test:fail") failedFiles.push(data.file ?? data.name);
      if ((type === "test:pass" || type === "test:fail") && data.details?.type !== "suite")
        counts[type === "test:fail" ? "failed" : data.skip === undefined ? "passed" : "skipped"]++;
      yield event;
    }
  }
  yield* Readable.from(counted()).compose(new spec());
  if (process.env.CI || process.env.MCPGEN_REPORT) writeReport({ ...counts, failedFiles });
}
