import { counted, shortText } from "../print/terminal-text.js";
import type { Render } from "../print/templates.js";
import { type PageContent, pageDocument } from "./document.js";
import { type Piece, Html, breakable, codeBlock, html, joined, cut, longestName, shortened } from "./html.js";
import { markdownHtml } from "./markdown.js";
import type { Badge, Entry, Figure, Filter, Member, Part, Reading, Remark, Side, Text } from "./reading.js";

/** The parts of a page that belong to the surrounding site. */
export interface Frame {
  /** Links to other pages. */
  readonly links: Html;
  /** The content below the page. */
  readonly end: Html;
  readonly added: NonNullable<PageContent["added"]>;
}

/**
 * Renders a reference page as one HTML file. It is complete without its script, which searches and filters.
 *
 * @param frame frame of the site that contains the page
 */
export function readingHtml(reading: Reading, render: Render, frame?: Frame): string {
  const title = shortened(reading.title, longestName);
  const body = render("reading.html", {
    title,
    links: frame?.links,
    end: frame?.end,
    ...said(reading),
    figures: figuresOf(reading.figures ?? []),
    facts: factsOf(reading.facts),
    samples: (reading.parts ?? []).map(partFrame),
    filters: (reading.filters ?? []).map(filterOf),
    sections: reading.sections.map(({ id, title: heading, entries }) => ({
      ...{ id, heading, count: entries.length.toLocaleString("en") },
      entries: entries.map(entryOf),
    })),
    notes: (reading.notes ?? []).map((note) => shortened(note)),
  });
  const content = { title, body: new Html(body), programs: ["reading"], styles: ["reading.css"] };
  return pageDocument(frame ? { ...content, added: frame.added } : content, render);
}

function entryOf(entry: Entry): object {
  const values = Object.entries(entry.values ?? {});
  const { parts = [] } = entry;
  const rest = parts.filter((part) => !isSample(part));
  const samples = parts
    .filter(isSample)
    .sort((one, other) => Number(other.open ?? false) - Number(one.open ?? false));
  return {
    ...{ id: entry.id, closed: entry.closed ?? false, kind: entry.kind },
    name: breakable(shortened(entry.name, longestName)),
    shortName: breakable(shortText(entry.name, 80)),
    badges: joined((entry.badges ?? []).map(badge), " "),
    ...said(entry),
    facts: factsOf(entry.facts ?? []),
    footnotes: factsOf(entry.footnotes ?? []),
    remarks: remarks(entry.remarks ?? []),
    parts: rest.map(partFrame),
    samples: samples.map(partFrame),
    values: joined(values.map(([name, tokens]) => html` data-${name}="${tokens.join(" ")}"`)),
  };
}

/** The texts at the beginning of a page or an entry: one sentence of ours, and a description. */
function said({ lead = "", description = "" }: Pick<Entry, "lead" | "description">): object {
  return {
    lead: lead === "" ? undefined : prose(lead),
    description: description === "" ? undefined : described(description),
  };
}

/** Whether a part is code, which is shown beside its description on wide screens. */
function isSample({ kind }: Part): boolean {
  return kind === "json" || kind === "code";
}

function partFrame(part: Part): object {
  return { title: shortened(part.title, longestName), open: part.open ?? false, body: partOf(part) };
}

function figuresOf(figures: readonly Figure[]): object[] {
  return figures.map((figure) => ({ ...figure, count: figure.count.toLocaleString("en") }));
}

function factsOf(facts: Reading["facts"]): object[] {
  return facts.map(({ name, value }) => ({ name, value: textOf(value) }));
}

function filterOf({ name, label, values }: Filter): object {
  const [first] = values;
  return {
    name,
    label,
    single: values.length === 1,
    value: first?.[0],
    values: values.map(([value, text]) => ({ value, text })),
  };
}

function badge({ text, kind }: Badge): Html {
  return html`<span class="badge${kind && ` ${kind}`}">${shortened(text, 200)}</span>`;
}

/** Renders text with code and links. */
function textOf(text: Text): Html {
  return joined(
    text.map((span) => {
      if (typeof span === "string") return html`${shortened(span)}`;
      if ("href" in span) return linkTo(span);
      const code = html`<code
        >${span.to === undefined ? shortened(span.code) : breakable(shortened(span.code))}</code
      >`;
      return span.to === undefined ? code : html`<a href="#${span.to}">${code}</a>`;
    }),
  );
}

function linkTo({ href, label = href }: { readonly href: string; readonly label?: string }): Html {
  if (!/^https:\/\/[\w.-]+\//.test(href)) return html`${shortened(href)}`;
  return html`<a href="${href}" rel="noreferrer">${breakable(shortened(label, longestName))}</a>`;
}

/**
 * Renders prose of schemas and servers as text in which backticks mark code. Nothing in it becomes a link or
 * markup.
 */
function prose(text: string): Html {
  const { text: shown, left } = cut(text.trim());
  return html`${withCode(shown)}${leftOut(left)}`;
}

function withCode(text: string): Html {
  const pieces = text.split(/`([^`\n]{1,200})`/);
  return joined(pieces.map((piece, index): Piece => (index % 2 ? html`<code>${piece}</code>` : piece)));
}

/** Renders a description of a schema or a server as blocks: its Markdown, or its text where that would hide any of it. */
function described(text: string): Html {
  const { text: shown, left } = cut(text.trim());
  const blocks = markdownHtml(shown) ?? html`<p class="text">${withCode(shown)}</p>`;
  return html`${blocks}${left > 0 && html`<p>${leftOut(left)}</p>`}`;
}

/** Says how many characters of a text are omitted. */
function leftOut(count: number): Piece {
  return count > 0 && html`<span class="soft">… (${count.toLocaleString("en")} more characters)</span>`;
}

function remarks(list: readonly Remark[]): Html | undefined {
  if (list.length === 0) return undefined;
  const items = list.map(
    ({ kind, text }) => html`<li class="${kind}"><strong>${kind}</strong> ${prose(text)}</li>`,
  );
  return html`<ul class="findings">
    ${joined(items)}
  </ul>`;
}

function partOf(part: Part): Html {
  switch (part.kind) {
    case "members":
      return members(part.members);
    case "json":
      return example(JSON.stringify(part.value, undefined, 2));
    case "code":
      return html`${example(part.text)}${part.note !== undefined && html`<p class="soft note">${prose(part.note)}</p>`}`;
    case "sides":
      return html`<div class="sides">${joined(part.sides.map(sideOf))}</div>
        ${part.value !== undefined && html`<h4>A message that proves it</h4>`}
        ${part.value !== undefined && example(JSON.stringify(part.value, undefined, 2))}`;
  }
}

function sideOf({ title, verdict, shape }: Side): Html {
  const content = shape === null ? html`<p class="soft">has no such part</p>` : codeBlock(shape);
  return html`<div>
    <h4>${shortened(title, longestName)} ${verdict && badge(verdict)}</h4>
    ${content}
  </div>`;
}

function example(text: string): Html {
  return html`<div class="example">${codeBlock(text)}</div>`;
}

function members(list: readonly Member[]): Html {
  if (list.length === 0) return html`<p class="soft">no members</p>`;
  return html`<ul class="members">
    ${joined(list.map(member))}
  </ul>`;
}

function member({ name, required, type, facts, description, members: inner }: Member): Html {
  const label = name !== "" && html`<code class="name">${breakable(shortened(name, longestName))}</code> `;
  const needed = required && html` <em>required</em>`;
  const more = facts.length > 0 && html` <small>${shortened(facts.join(", "))}</small>`;
  const text = description !== undefined && description !== "" && described(description);
  const below =
    inner &&
    inner.length > 0 &&
    html`<details>
      <summary>${counted(inner.length, "member")}</summary>
      ${members(inner)}
    </details>`;
  return html`<li>${label}${textOf(type)}${needed}${more}${text}${below}</li>`;
}
