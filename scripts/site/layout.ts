import { type PageContent, pageDocument } from "../../generator/page/document.js";
import { Html, type Piece, html, joined } from "../../generator/page/html.js";
import type { Frame } from "../../generator/page/reading-html.js";
import { readingHtml } from "../../generator/page/reading-html.js";
import type { Render } from "../../generator/print/templates.js";
import { addressFrom } from "./documents.js";
import type { Group } from "./navigation.js";
import type { ReadingPage } from "./references.js";

/** What all pages share. */
export interface Site {
  readonly groups: readonly Group[];
  readonly render: Render;
  readonly style: string;
  /** The programs of pages, by name. */
  readonly programs: Readonly<Record<"document" | "search", string>>;
  readonly version: string;
}

/** The places that the head of every page leads to. */
const places: readonly (readonly [page: string, label: string])[] = [
  ["index.html", "mcpgen"],
  ["docs/index.html", "Documentation"],
  ["reference/index.html", "Protocol"],
  ["changes/index.html", "Changes"],
  ["search.html", "Search"],
];

function siteLinks(page: string): Html {
  const links = places.map(
    ([target, label]) => html`<a href="${addressFrom(page, target)}" ${current(page, target)}>${label}</a>`,
  );
  return html`<nav class="site" aria-label="Site">${joined(links, " ")} <a href="#pages">All pages</a></nav>`;
}

function current(page: string, target: string): Piece {
  return page === target && new Html(' aria-current="page"');
}

/** The list of all pages: on wide screens beside the page, on narrow ones below it. */
function pagesNav(page: string, groups: readonly Group[], name: string): Html {
  const lists = groups.map(({ title, pages }) => {
    const items = pages.map(
      ({ page: target, label }) =>
        html`<li><a href="${addressFrom(page, target)}" ${current(page, target)}>${label}</a></li>`,
    );
    return html`<li>
      <span class="group">${title}</span>
      <ul>
        ${joined(items)}
      </ul>
    </li>`;
  });
  return html`<nav class="${name}" id="pages" aria-label="All pages" tabindex="-1">
    <ul>
      ${joined(lists, "\n")}
    </ul>
  </nav>`;
}

function footer({ version }: Site): Html {
  return html`<footer class="end soft">
    mcpgen ${version}, MIT licence. This site requests nothing from elsewhere.
  </footer>`;
}

/** A heading of a page, as the page's own list of contents shows it. */
export interface Content {
  readonly id: string;
  readonly title: string;
}

export interface SitePage {
  readonly page: string;
  readonly title: string;
  readonly main: Html;
  readonly contents?: readonly Content[];
  readonly program?: keyof Site["programs"];
  readonly policy?: PageContent["policy"];
}

/** A page of the site other than references. */
export function sitePage(
  { page, title, main, contents = [], program = "document", policy }: SitePage,
  site: Site,
): string {
  const list = contents.map(({ id, title: text }) => html`<li><a href="#${id}">${text}</a></li>`);
  const onPage =
    contents.length > 1 &&
    html`<nav class="contents" aria-label="On this page" tabindex="0">
      <details>
        <summary>On this page</summary>
        <ul>
          ${joined(list)}
        </ul>
      </details>
    </nav>`;
  const body = html`<a class="skip" href="#content">Skip to the content</a>
    <header class="bar">
      ${siteLinks(page)}
      <div class="controls" hidden>
        ${program === "document" && searchForm(page)}
        <button type="button" id="theme">Theme</button>
      </div>
      ${program === "document" && html`<p id="status" class="soft" role="status"></p>`}
    </header>
    <div class="page document">
      ${onPage}
      <main id="content" tabindex="-1">${main}</main>
      ${pagesNav(page, site.groups, "pages")}
    </div>
    ${footer(site)}`;
  const added = { style: site.style, programs: [site.programs[program]] };
  return pageDocument(
    {
      title: title === "mcpgen" ? title : `${title} · mcpgen`,
      ...{ body, added },
      policy: { "form-action": "'self'", ...policy },
    },
    site.render,
  );
}

function searchForm(page: string): Html {
  return html`<form role="search" action="${addressFrom(page, "search.html")}">
    <label class="unseen" for="search">Search the site</label>
    <input
      type="search"
      id="search"
      name="q"
      placeholder="Search ( / )"
      autocomplete="off"
      spellcheck="false"
    />
  </form>`;
}

/** A reference or a list of differences in the site. */
export function readingPage({ page, reading }: ReadingPage, site: Site): string {
  const frame: Frame = {
    links: siteLinks(page),
    end: html`${pagesNav(page, site.groups, "pages below")}${footer(site)}`,
    added: { style: site.style, programs: [] },
  };
  return readingHtml(reading, site.render, frame);
}
