import type { Paint } from "../../print/terminal-text.js";
import type { Guide, Point, Section } from "./guide.js";
import { type Question, placeText } from "./question.js";
import { markdownText as plain, oneLineCode as code } from "../../print/markdown.js";

/** More particulars than these are asked for with --verbose. */
const mostDetails = 3;

/** More questions of one decision than these are asked for with --verbose. */
const mostQuestions = 12;

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
  { lead, subjects, text, details = [], whole, questions = [], proof }: Point,
  mark: string,
  options: TextOptions,
): string {
  const { paint, verbose } = options;
  const shown = verbose || whole ? details : details.slice(0, mostDetails);
  const asked = verbose ? questions : questions.slice(0, mostQuestions);
  const rest = details.length - shown.length + questions.length - asked.length;
  const parts = [lead && paint("bold", lead), subjects?.join(", ")].filter(Boolean).join(": ");
  const line = [parts, text].filter(Boolean).join(parts && subjects ? `\n      ` : ". ");
  return [
    `  ${mark}${line}`,
    ...[...shown, ...(verbose && proof !== undefined ? [proof] : [])].map(
      (detail) => `      ${paint("dim", detail)}`,
    ),
    ...asked.flatMap((question) => questionText(question, options)),
    ...(rest > 0 ? [`      ${paint("dim", `… ${rest} more (--verbose)`)}`] : []),
  ].join("\n");
}

/** A question, where its answer goes, and the answer on separate lines. */
function questionText(question: Question, { paint }: TextOptions): string[] {
  const { text, paste } = question;
  if (paste.length === 0) return [`      - ${text}`];
  return [
    `      - ${text} ${placeText(question)}`,
    ...paste.map((value, index) => {
      const comma = index === paste.length - 1 ? "" : ",";
      return `          ${paint("green", JSON.stringify(value) + comma)}`;
    }),
  ];
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

function pointMarkdown(
  { lead, subjects = [], text, details = [], questions = [] }: Point,
  mark: string,
): string {
  const parts = [lead && `**${plain(lead)}**`, subjects.map(code).join(", ")].filter(Boolean).join(": ");
  const line = [parts, text && plain(text)].filter(Boolean).join(parts ? ". " : "");
  const indent = " ".repeat(2);
  return [
    `${mark}${line}`,
    ...folded(
      details.map((detail) => `${indent}- ${code(detail)}`),
      indent,
    ),
    ...folded(
      questions.flatMap((question) => questionMarkdown(question, indent)),
      indent,
      questions.length,
    ),
  ].join("\n");
}

function questionMarkdown(question: Question, indent: string): string[] {
  const { text, paste } = question;
  if (paste.length === 0) return [`${indent}- ${plain(text)}`];
  // A fence longer than any inside the values.
  const values = paste.map((value) => JSON.stringify(value, null, 2)).join(",\n");
  const fence = "`".repeat(Math.max(3, ...[...values.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const lines = [`${fence}json`, ...values.split("\n"), fence].map((each) => `${indent}  ${each}`);
  return [`${indent}- ${plain(`${text} ${placeText(question)}`)}`, "", ...lines, ""];
}

function folded(lines: readonly string[], indent: string, count = lines.length): string[] {
  if (count <= mostDetails) return [...lines];
  return [`${indent}<details><summary>${count}</summary>`, "", ...lines, "", `${indent}</details>`];
}
