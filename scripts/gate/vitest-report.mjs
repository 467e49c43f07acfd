// A reporter of vitest that writes a report for the summary of .ci/run.
import { writeReport } from "./report.mjs";

export default class {
  onTestRunEnd(modules) {
    const counts = { passed: 0, failed: 0, skipped: 0, pending: 0 };
    for (const module of modules)
      for (const test of module.children.allTests()) counts[test.result().state]++;
    const failedFiles = modules.filter((module) => !module.ok()).map(({ moduleId }) => moduleId);
    writeReport({ ...counts, failedFiles });
  }
}
