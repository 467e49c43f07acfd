import { Html, html, joined } from "../../generator/page/html.js";
import { addressFrom } from "./documents.js";
import type { SitePage } from "./layout.js";
import type { Group } from "./navigation.js";
import type { ReadingPage, References } from "./references.js";
import type { Found } from "./found.js";

/** The search. The index is data in the page, so that it works from local files, too. */
export function searchPage(index: readonly Found[], groups: readonly Group[]): SitePage {
  const page = "search.html";
  const lists = groups.map(
    ({ title, pages }) =>
      html`<h3>${title}</h3>
        ${list(page, pages)}`,
  );
  const data = new Html(JSON.stringify(index).replaceAll("<", String.raw`\u003c`));
  const main = html`<h1>Search</h1>
    <form role="search" class="controls search" hidden>
      <label class="unseen" for="search">Search the site</label>
      <input
        type="search"
        id="search"
        name="q"
        placeholder="A method, an option, an error code …"
        autocomplete="off"
        spellcheck="false"
      />
    </form>
    <p id="status" class="soft" role="status"></p>
    <ol id="results"></ol>
    <section aria-labelledby="all">
      <h2 id="all">All pages</h2>
      ${joined(lists)}
    </section>
    <script type="application/json" id="index">
      ${data}
    </script>`;
  return { page, title: "Search", main, program: "search" };
}

/** The list of references. */
export function protocolPage({ revisions, extensions }: References): SitePage {
  const page = "reference/index.html";
  const main = html`<h1>The protocol, revision by revision</h1>
    <p>
      Every method, error, header and type of each released revision, with examples and the code that calls
      it. The pages are those of <code>mcpgen docs REVISION</code>.
    </p>
    <h2 id="revisions">Revisions</h2>
    ${referenceTable(page, [...revisions].reverse())}
    <h2 id="extensions">Extensions</h2>
    ${referenceTable(page, extensions)}`;
  return { page, title: "The protocol, revision by revision", main };
}

/** References with the number of entries in each of their sections. */
function referenceTable(page: string, references: readonly ReadingPage[]): Html {
  const rows = references.map(({ page: target, label, reading }) => {
    const counts = reading.sections.map(({ title, entries }) => `${entries.length} ${title.toLowerCase()}`);
    return html`<tr>
      <th scope="row"><a href="${addressFrom(page, target)}">${label}</a></th>
      <td>${counts.join(", ")}</td>
    </tr>`;
  });
  return html`<div class="wide" role="region" aria-label="References" tabindex="0">
    <table>
      <thead>
        <tr>
          <th scope="col">reference</th>
          <th scope="col">entries</th>
        </tr>
      </thead>
      <tbody>
        ${joined(rows, "\n")}
      </tbody>
    </table>
  </div>`;
}

/** The list of differences. */
export function changesPage(
  { differences }: References,
  story: { readonly page: string; readonly title: string },
): SitePage {
  const page = "changes/index.html";
  const rows = [...differences].reverse().map(({ page: target, label, report }) => {
    const cells = [report.summary.breaking, report.summary.dangerous, report.summary.safe];
    return html`<tr>
      <th scope="row"><a href="${addressFrom(page, target)}">${unbroken(label)}</a></th>
      ${joined(cells.map((count) => html`<td class="number">${count}</td>`))}
    </tr>`;
  });
  const main = html`<h1>Changes between revisions</h1>
    <p>
      What breaks clients and servers of the old revision when the other side moves to the new one, and a
      message that proves it. The pages are those of <code>mcpgen diff OLD NEW --format html</code>.
    </p>
    <p><a href="${addressFrom(page, story.page)}">${story.title}</a> explains the newest changes.</p>
    <div class="wide" role="region" aria-label="Changes" tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">from → to</th>
            <th scope="col" class="number">breaking</th>
            <th scope="col" class="number">dangerous</th>
            <th scope="col" class="number">safe</th>
          </tr>
        </thead>
        <tbody>
          ${joined(rows, "\n")}
        </tbody>
      </table>
    </div>`;
  return { page, title: "Changes between revisions", main };
}

/** Dates break at no hyphen. */
function unbroken(label: string): Html {
  return joined(
    label.split(" ").map((word) => html`<span class="whole">${word}</span>`),
    " ",
  );
}

function list(page: string, pages: Group["pages"]): Html {
  const items = pages.map(
    ({ page: target, label }) => html`<li><a href="${addressFrom(page, target)}">${label}</a></li>`,
  );
  return html`<ul>
    ${joined(items)}
  </ul>`;
}
