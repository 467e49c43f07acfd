import { type Paint, printable, shortText } from "../print/terminal-text.js";
import type { Entry, Reading, Text } from "./reading.js";

/** Longest value of a fact, in characters. */
const most = 300;

/** Renders the facts of a page for a terminal: one line for each, without its parts. */
export function readingText({ facts, sections, notes = [] }: Reading, paint: Paint): string {
  return [
    facts.map(({ name, value }) => `${paint("bold", `${printable(name)}:`)} ${textOf(value)}`).join("\n"),
    ...sections.map(({ title, entries }) =>
      [paint("bold", printable(title)), ...entries.flatMap((entry) => linesOf(entry))].join("\n"),
    ),
    ...notes.map((note) => printable(note)),
  ].join("\n\n");
}

function linesOf({ name, badges = [], facts = [], remarks = [] }: Entry): string[] {
  const marks = badges.map(({ text }) => ` (${text})`).join("");
  return [
    `  ${printable(shortText(name, most))}${printable(marks)}`,
    ...facts.map((fact) => `    ${fact.name}: ${textOf(fact.value)}`),
    ...remarks.map(({ kind, text }) => `    ${kind}: ${printable(text)}`),
  ];
}

function textOf(text: Text): string {
  const whole = text.map((span) =>
    typeof span === "string" ? span : "href" in span ? span.href : span.code,
  );
  return printable(shortText(whole.join("").replaceAll("\n", "⏎"), most));
}
