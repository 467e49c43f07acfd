import { fencedBlock, markdownProse, markdownText as plain, oneLineCode as code } from "../print/markdown.js";
import type { Render } from "../print/templates.js";
import { escapeHtml, visible, longestName, shortened } from "./html.js";
import { safeMarkdown } from "./markdown.js";
import type { Badge, Entry, Member, Part, Reading, Side, Text } from "./reading.js";

/** Renders a page as GitHub Markdown. Untrusted text never becomes Markdown or HTML markup. */
export function readingMarkdown(reading: Reading, render: Render): string {
  const page = render("reading.md", {
    title: plain(shortened(reading.title, longestName)),
    lead: [reading.lead, reading.description].flatMap(paragraphs).join("\n\n").trim(),
    facts: [
      ...(reading.figures ?? []).map(({ label, count }) => `- ${label}: ${count}`),
      ...reading.facts.map(({ name, value }) => `- ${name}: ${textOf(value)}`),
    ],
    parts: (reading.parts ?? []).map(partOf),
    sections: reading.sections.map(({ title, entries }) => ({ title, entries: entries.map(entryOf) })),
    notes: (reading.notes ?? []).map((note) => plain(note)),
  });
  return visible(page).replace(/\n{3,}/g, "\n\n");
}

function entryOf({
  id,
  name,
  badges = [],
  lead,
  description,
  facts = [],
  remarks = [],
  parts = [],
  footnotes = [],
}: Entry): object {
  return {
    id,
    name: code(shortened(name, longestName)),
    lines: [
      badges.length > 0 ? badges.map(badgeText).join(" · ") : "",
      ...[lead, description].flatMap(paragraphs),
      facts.map((fact) => `- ${fact.name}: ${textOf(fact.value)}`).join("\n"),
      remarks.map(({ kind, text }) => `- **${kind}**: ${plain(shortened(text))}`).join("\n"),
      ...parts.map(partOf),
      footnotes.map((fact) => `- ${fact.name}: ${textOf(fact.value)}`).join("\n"),
    ].filter((line) => line !== ""),
  };
}

function badgeText({ text }: Badge): string {
  return `_${plain(text)}_`;
}

function textOf(text: Text): string {
  return text
    .map((span) => {
      if (typeof span === "string") return plain(shortened(span));
      if ("href" in span)
        return /^https:\/\/[\w./#?=&%~-]+$/.test(span.href) ? `<${span.href}>` : code(span.href);
      const shown = code(shortened(span.code));
      return span.to === undefined ? shown : `[${shown}](#${span.to})`;
    })
    .join("");
}

function partOf(part: Part): string {
  switch (part.kind) {
    case "members":
      return `${part.title}:\n\n${part.members.flatMap((member) => memberLines(member, "")).join("\n")}`;
    case "json":
      return details(part.title, block("json", JSON.stringify(part.value, undefined, 2)));
    case "code":
      return details(
        part.title,
        [block(part.language, part.text), ...(part.note === undefined ? [] : [prose(part.note)])].join(
          "\n\n",
        ),
      );
    case "sides":
      return details(
        part.title,
        [
          ...part.sides.map(sideOf),
          part.value === undefined ? "" : block("json", JSON.stringify(part.value, undefined, 2)),
        ].join("\n\n"),
      );
  }
}

function sideOf({ title, verdict, shape }: Side): string {
  const heading = `${plain(shortened(title, longestName))}${verdict ? ` (${plain(verdict.text)})` : ""}:`;
  return `${heading} ${shape === null ? "has no such part" : code(shortened(shape))}`;
}

function details(title: string, content: string): string {
  return `<details><summary>${escapeHtml(shortened(title, longestName))}</summary>\n\n${content}\n\n</details>`;
}

function block(language: string, text: string): string {
  return fencedBlock(language, shortened(text, 20_000));
}

/** The blocks of a text: their Markdown, or their lines where other readers of Markdown could load or hide something. */
function paragraphs(text = ""): string[] {
  const lines = (block: string): string[] => block.split("\n").map((line) => markdownProse(line.trim()));
  return shortened(text.trim())
    .split(/\n\s*\n/)
    .map((block) => safeMarkdown(block) ?? lines(block).join("\\\n"));
}

function prose(text: string): string {
  return markdownProse(shortened(text.trim()));
}

function memberLines(
  { name, required, type, facts, description, members = [] }: Member,
  indent: string,
): string[] {
  const label = name === "" ? "" : `${code(shortened(name, longestName))}: `;
  const marks = [...(required ? ["required"] : []), ...facts];
  const more = marks.length > 0 ? ` (${plain(shortened(marks.join(", ")))})` : "";
  const said =
    description === undefined || description === "" ? "" : `: ${prose(description).replace(/\s+/g, " ")}`;
  return [
    `${indent}- ${label}${textOf(type)}${more}${said}`,
    ...members.flatMap((member) => memberLines(member, `${indent}  `)),
  ];
}
