import type { Paint } from "../../print/terminal-text.js";
import type { Guide, Point, Section } from "./guide.js";
import { markdownText as plain, oneLineCode as code } from "../../print/markdown.js";

/** More particulars than these are asked for with --verbose. */
const mostDetails = 3;

interface TextOptions {
  readonly paint: Paint;
  readonly verbose: boolean;
}

/** The guide for a terminal. */
export function guideText({ title, sections }: Guide, options: TextOptions): string {
  return [options.paint("bold", title), ...sections.map((section) => sectionText(section, options))].join(
    "\n\n",
  );
}

function sectionText({ heading, text, points, checklist }: Section, options: TextOptions): string {
  const mark = checklist ? "[ ] " : "- ";
  return [
    options.paint("cyan", heading),
    ...(text === undefined ? [] : [`  ${text}`]),
    ...points.map((point) => pointText(point, mark, options)),
  ].join("\n");
}

function pointText(
  { lead, subjects, text, details = [], whole, proof }: Point,
  mark: string,
  options: TextOptions,
): string {
  const { paint, verbose } = options;
  const shown = verbose || whole ? details : details.slice(0, mostDetails);
  const rest = details.length - shown.length;
  const parts = [lead && paint("bold", lead), subjects?.join(", ")].filter(Boolean).join(": ");
  const line = [parts, text].filter(Boolean).join(parts && subjects ? `\n      ` : ". ");
  return [
    `  ${mark}${line}`,
    ...[...shown, ...(verbose && proof !== undefined ? [proof] : [])].map(
      (detail) => `      ${paint("dim", detail)}`,
    ),
    ...(rest > 0 ? [`      ${paint("dim", `… ${rest} more (--verbose)`)}`] : []),
  ].join("\n");
}

/** The guide as the body of a pull request. */
export function guideMarkdown({ title, sections }: Guide): string {
  return [`# ${title}`, ...sections.map(sectionMarkdown)].join("\n\n");
}

function sectionMarkdown({ heading, text, points, checklist }: Section): string {
  const mark = checklist ? "- [ ] " : "- ";
  const list = points.map((point) => pointMarkdown(point, mark)).join("\n");
  return [`## ${heading}`, text, list].filter(Boolean).join("\n\n");
}

function pointMarkdown({ lead, subjects = [], text, details = [] }: Point, mark: string): string {
  const parts = [lead && `**${plain(lead)}**`, subjects.map(code).join(", ")].filter(Boolean).join(": ");
  const line = [parts, text && plain(text)].filter(Boolean).join(parts ? ". " : "");
  const indent = " ".repeat(2);
  return [`${mark}${line}`, ...folded(details, indent)].join("\n");
}

function folded(details: readonly string[], indent: string): string[] {
  if (details.length <= mostDetails) return details.map((detail) => `${indent}- ${code(detail)}`);
  const list = details.map((detail) => `${indent}- ${code(detail)}`);
  return [`${indent}<details><summary>${details.length}</summary>`, "", ...list, "", `${indent}</details>`];
}
