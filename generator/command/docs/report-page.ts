import type { Report } from "../../diff/report/report.js";
import { readingHtml } from "../../page/reading-html.js";
import { reportReading } from "../../page/report/reading.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { Project } from "../project.js";
import { pageTemplates } from "./page-file.js";

/**
 * A report of differences as one HTML file.
 *
 * @param remarks what else the run found, a line each
 */
export function reportPage(
  report: Report,
  remarks: readonly string[],
  args: Arguments,
  project: Project,
  context: CommandContext,
): string {
  return readingHtml(reportReading(report, remarks), pageTemplates(args, project, context));
}
