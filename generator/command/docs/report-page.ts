import type { Finding } from "../../diagnostics/coded-error.js";
import type { Report } from "../../diff/report/report.js";
import { readingHtml } from "../../page/reading-html.js";
import { reportReading } from "../../page/report/reading.js";
import type { Project } from "../project.js";
import { pageTemplates } from "./page-file.js";

/**
 * A report of differences as one HTML file.
 *
 * @param findings further findings of the run, one line each
 */
export function reportPage(report: Report, findings: readonly Finding[], project: Project): string {
  const remarks = findings.map(({ severity, code, message }) => `${severity} ${code}: ${message}`);
  return readingHtml(reportReading(report, remarks), pageTemplates(project));
}
