import { groupBy } from "@mcpgen/engine";
import { type Report, type ReportedFinding, codeText, placeText, usesOf } from "../../diff/report/report.js";
import { subjectText } from "../../diff/finding.js";
import type { Level } from "../../diff/rules/rule.js";
import type { Role } from "../../model/model.js";
import type { Decisions, Settled } from "./decisions.js";
import type { HandwrittenPart } from "./handwritten.js";
import { type Decision, type Question, answerPlace } from "./question.js";
import { type Paint, firstLines, shortText } from "../../print/terminal-text.js";
import { markdownText as plain, oneLineCode as code } from "../../print/markdown.js";

/** One point of a section. */
export interface Point {
  /** Title of the point, in bold. */
  readonly lead?: string;
  /** Names that the point concerns, formatted as code. */
  readonly subjects?: readonly string[];
  readonly text?: string;
  /** Details, listed below the point. */
  readonly details?: readonly string[];
  /** The details are the whole content of the point, so all are shown. */
  readonly whole?: true;
  /** Questions, each with a value to paste. */
  readonly questions?: readonly Question[];
  /** A message that proves the finding; printed together with the details. */
  readonly proof?: string;
}

interface Section {
  readonly heading: string;
  /** Text before the points. */
  readonly text?: string;
  readonly points: readonly Point[];
  /** Shows the points as a checklist. */
  readonly checklist?: true;
}

/**
 * The migration guide for an upgrade: effects on servers, clients and gateways, code to write, decisions
 * made, and open questions.
 */
interface Guide {
  readonly title: string;
  readonly sections: readonly Section[];
}

interface GuideInput {
  readonly revision: string;
  readonly done: readonly Point[];
  readonly decisions: Decisions;
  /** The tasks of a gateway. */
  readonly gateway: readonly Point[];
  readonly handwritten: readonly HandwrittenPart[];
  /** Undefined if there is no preceding revision. */
  readonly report: Report | undefined;
  /** The roles that send requests of the new revision, and so receive its errors. */
  readonly requesters: readonly Role[];
  readonly next: readonly Point[];
}

export function guideOf({ revision, done, decisions, report, ...given }: GuideInput): Guide {
  const from = report === undefined || report.from === revision ? "" : `${report.from} → `;
  const { open, settled } = decisions;
  return {
    title: `Upgrade: ${from}${revision}`,
    sections: [
      ...(report ? newSection(report) : []),
      ...(report
        ? changeSections(
            report,
            given.requesters,
            "Code for the old revision does not work with a peer of the new one.",
          )
        : []),
      ...gatewaySection(given.gateway),
      ...handwrittenSection(given.handwritten),
      ...(report ? [...codeSection(report), ...touchedSection(report)] : []),
      { heading: "Done", points: done },
      ...(settled.length === 0 ? [] : [{ heading: "Decided", points: settled.map(settledPoint) }]),
      open.length === 0
        ? { heading: "To decide", text: "Nothing.", points: [] }
        : { heading: "To decide", points: open.map(decisionPoint), checklist: true },
      ...(report ? [limits(report)] : []),
      { heading: "Next", points: given.next },
    ],
  };
}

/** The guide for a new vocabulary: the effects on handlers and calls, by role. */
export function vocabularyGuide({
  report,
  done,
  next,
}: { readonly report: Report } & Pick<GuideInput, "done" | "next">): Guide {
  return {
    title: `Vocabulary: ${report.from} → ${report.to}`,
    sections: [
      ...newSection(report),
      { heading: "Done", points: done },
      ...changeSections(report, [], "What is written in the old vocabulary is wrong in the new one."),
      ...codeSection(report),
      ...touchedSection(report),
      limits(report),
      { heading: "Next", points: next },
    ],
  };
}

/** Rules about additions of the new revision. This section lists only names; later sections explain them. */
const additions: readonly (readonly [lead: string, rule: RegExp])[] = [
  ["Requests", /^request-(?:direction-)?added$/],
  ["Notifications", /^notification-(?:direction-)?added$/],
  ["Results", /^result-alternative-added$/],
  ["Required members", /^property-added-required$/],
  ["Optional members", /^property-added-optional$/],
  ["Values and shapes", /^(?:enum-value|union-member)-added$|^became-union$/],
  ["Errors", /^error-added$/],
  ["Types", /^definition-(?:added|extracted)$/],
];

function newSection({ findings }: Report): Section[] {
  const points = additions.flatMap(([lead, rule]): Point[] => {
    const subjects = findings.filter((finding) => rule.test(finding.rule)).map(nameOf);
    return subjects.length === 0 ? [] : [{ lead, subjects: firstLines([...new Set(subjects)], mostNames) }];
  });
  return points.length === 0 ? [] : [{ heading: "What is new", points }];
}

function nameOf(finding: ReportedFinding): string {
  const { rule, new: next } = finding;
  const text = changedText(finding);
  const isNamed = rule === "enum-value-added" || rule === "result-alternative-added";
  return isNamed && next !== null ? `${text}: ${next}` : text;
}

/** An error as number and name; with both numbers if the number has changed. */
function errorText({ subject, old, new: next }: ReportedFinding): string {
  const numbers = [old, next].filter((number) => number !== null).join(" → ");
  return `${numbers} ${"definition" in subject ? subject.definition : ""}`.trim();
}

/** The subject of a change as shown in a guide. */
function changedText(finding: ReportedFinding): string {
  return finding.rule.startsWith("error-") ? errorText(finding) : subjectText(finding.subject);
}

/** Maximum number of names shown; `diff` lists all. */
const mostNames = 16;

/** @param breaking text about all breaking changes of a role */
function changeSections(report: Report, requesters: readonly Role[], breaking: string): Section[] {
  return (["server", "client"] as const).flatMap((role) => [
    ...roleSections(role, report, breaking),
    ...(requesters.includes(role) ? errorSection(role, report) : []),
  ]);
}

function gatewaySection(points: readonly Point[]): Section[] {
  if (points.length === 0) return [];
  const text =
    "A gateway is a server to one side and a client to the other; all of the above holds for it. Of messages that it passes on:";
  return [{ heading: "If you write a gateway", text, points }];
}

/** One point for each kind, in this order. */
const handwritten: readonly (readonly [kind: HandwrittenPart["kind"], lead: string])[] = [
  ["handshake", "Handshake"],
  ["method-renamed", "Methods of another name"],
  ["method-split", "Methods that may be a part of another"],
  ["method-gone", "Methods that are gone"],
  ["method-new", "Methods without a handler"],
  ["method-changed", "Messages that the runtime writes itself"],
  ["list-without-page", "Lists without pages"],
  ["member-gone", "Members that the era filled in"],
  ["member-required", "Members without a writer"],
];

function handwrittenSection(all: readonly HandwrittenPart[]): Section[] {
  if (all.length === 0) return [];
  const text = "Steps and notes convert messages. These methods and members are code, at the places below:";
  const points = handwritten.flatMap(([kind, lead]): Point[] => {
    const of = all.filter((each) => each.kind === kind);
    if (of.length === 0) return [];
    const details = of.flatMap(({ subject, text: said, places }) => [
      `${subject}: ${said}.`,
      ...(places.length > 0 ? [`  ${places.join(", ")}`] : []),
    ]);
    return [{ lead, subjects: of.map(({ subject }) => subject), details, whole: true }];
  });
  return [{ heading: `What needs code (${all.length})`, text, points }];
}

function settledPoint({ title, text, items }: Settled): Point {
  return { lead: title, text, details: items };
}

function decisionPoint({ title, advice, risk, file, questions }: Decision): Point {
  const place = file === undefined ? "" : ` (${file})`;
  return {
    lead: risk === undefined ? title : `Dangerous: ${title}`,
    text: `${risk === undefined ? "" : `${risk}. `}${advice}${place}`,
    questions,
  };
}

const headings: { readonly [R in Role]: string } = {
  client: "If you write a client",
  server: "If you write a server",
};

/** Sections about the effects on an implementation of the old revision whose peer uses the new one. */
function roleSections(role: Role, { findings }: Report, text: string): Section[] {
  const of = (level: Level): ReportedFinding[] => findings.filter((finding) => finding.level[role] === level);
  const [breaking, dangerous] = [of("breaking"), of("dangerous")];
  const heading = headings[role];
  if (breaking.length + dangerous.length === 0) return [{ heading, text: "Nothing to do.", points: [] }];
  const sections = [
    {
      heading: `${heading}: what breaks (${breaking.length})`,
      text,
      points: changePoints(breaking),
    },
    {
      heading: `${heading}: what may cause problems (${dangerous.length})`,
      text: "The effect depends on your code.",
      points: changePoints(dangerous),
    },
  ];
  return sections.filter(({ points }) => points.length > 0);
}

/** Section about new errors in response to an implementation's requests. */
function errorSection(role: Role, { findings }: Report): Section[] {
  const added = findings.filter(({ rule }) => rule === "error-added");
  if (added.length === 0) return [];
  const { why, advice } = added[0]!;
  return [
    {
      heading: `${headings[role]}: new errors that you may get (${added.length})`,
      points: [{ lead: "error-added", subjects: added.map(errorText), text: `${why} → ${advice}` }],
    },
  ];
}

/** Groups findings with the same rule, reason and advice into one point. */
function changePoints(findings: readonly ReportedFinding[]): Point[] {
  const same = groupBy(findings, ({ rule, why, advice }) => [rule, why, advice].join("\n"));
  return [...same.values()].map((group) => {
    const { rule, why, advice } = group[0]!;
    const proof = group.find(({ counterexample }) => counterexample)?.counterexample;
    return {
      lead: rule,
      subjects: group.map(changedText),
      text: `${why} → ${advice}`,
      details: usesOf(group).map((use) => `used at ${placeText(use)}: ${use.name}`),
      ...(proof && {
        proof: `${proof.valid.old ? "now rejected" : "now possible"}: ${shortText(JSON.stringify(proof.value), 160)}`,
      }),
    };
  });
}

/** Section about changes that break compilation but no message. */
function codeSection({ findings }: Report): Section[] {
  const silent = findings.filter(({ source, worst }) => source === "breaking" && worst === "safe");
  if (silent.length === 0) return [];
  return [{ heading: `Only in code that uses the types: ${silent.length}`, points: changePoints(silent) }];
}

function touchedSection(report: Report): Section[] {
  const touched = codeText(report);
  return touched === undefined ? [] : [{ heading: "In your code", text: `${touched}.`, points: [] }];
}

function limits({ notes }: Report): Section {
  return { heading: "Limits of this report", points: notes.map((text) => ({ text })) };
}

/** Maximum number of details shown without `--verbose`. */
const mostDetails = 3;

/** Maximum number of questions of one decision shown without `--verbose`. */
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

/** A question, the place of its answer, and the answer, on separate lines. */
function questionText(question: Question, { paint }: TextOptions): string[] {
  const { text, paste } = question;
  if (paste.length === 0) return [`      - ${text}`];
  return [
    `      - ${text} ${answerPlace(question)}`,
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
  // The fence must be longer than any fence inside the values.
  const values = paste.map((value) => JSON.stringify(value, null, 2)).join(",\n");
  const fence = "`".repeat(Math.max(3, ...[...values.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  const lines = [`${fence}json`, ...values.split("\n"), fence].map((each) => `${indent}  ${each}`);
  return [`${indent}- ${plain(`${text} ${answerPlace(question)}`)}`, "", ...lines, ""];
}

function folded(lines: readonly string[], indent: string, count = lines.length): string[] {
  if (count <= mostDetails) return [...lines];
  return [`${indent}<details><summary>${count}</summary>`, "", ...lines, "", `${indent}</details>`];
}
