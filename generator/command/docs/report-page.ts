import type { Report } from "../../diff/report/report.js";
import { readingHtml } from "../../page/reading-html.js";
import { reportReading } from "../../page/report/reading.js";
import type { Project } from "../project.js";
import { pageTemplates } from "./page-file.js";

/**
 * A report of differences as one HTML file.
 *
 * @param remarks further findings of the run, one line each
 */
export function reportPage(report: Report, remarks: readonly string[], project: Project): string {
  return readingHtml(reportReading(report, remarks), pageTemplates(project));
}
