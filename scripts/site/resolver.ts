import { existsSync } from "node:fs";
import { join, posix } from "node:path";
import type { Reading } from "../../generator/page/reading.js";
import { type Document, addressFrom } from "./documents.js";
import type { Resolver } from "./markdown.js";
import type { References } from "./references.js";

/** The pages and files that documents may link to. */
export interface Places {
  /** The folder of the repository. */
  readonly root: string;
  /** The address of its files, e.g. `https://example.com/blob/main/`; without it, their paths are shown. */
  readonly repository: string | undefined;
  readonly byFile: ReadonlyMap<string, Document>;
  readonly references: References;
  /**
   * Files that are copied into the site unchanged, by their path, which is the same in the repository and in
   * the site.
   */
  readonly copied: ReadonlySet<string>;
}

/** Returns the resolver of links and code spans of documents. */
export function resolverOf({ root, repository, byFile, references, copied }: Places): Resolver {
  // A link to the PROTOCOL.md of a revision leads to its reference page.
  const protocols = new Map(
    references.revisions.map((each) => [`generated/${each.revision}/PROTOCOL.md`, each]),
  );
  const findings = new Map(
    references.differences.flatMap(({ page, report }) =>
      report.findings.map(({ fingerprint }) => [fingerprint, `${page}#finding-${fingerprint}`] as const),
    ),
  );
  return {
    link(href, from, code) {
      if (/^(?:https?|mailto):|^#/.test(href)) return href;
      const { page } = byFile.get(from)!;
      const [path = "", id] = href.split("#");
      const file = posix.join(posix.dirname(from), decodeURI(path)).replace(/\/$/, "");
      const document = byFile.get(file) ?? byFile.get(`${file}/README.md`);
      if (document) return addressFrom(page, document.page) + (id === undefined ? "" : `#${id}`);
      if (copied.has(file)) return addressFrom(page, file);
      const protocol = protocols.get(file);
      if (protocol) return addressFrom(page, protocol.page) + entryOf(protocol.reading, code);
      // A path that is not a file is kept, and is reported later as a dead link.
      if (file.startsWith("..") || !existsSync(join(root, file))) return href;
      return repository && new URL(file, repository).href;
    },
    code(code, from) {
      const address = findings.get(code);
      return address && addressFrom(byFile.get(from)!.page, address);
    },
  };
}

/** Returns the anchor of the entry in a reference that a link names. */
function entryOf({ sections }: Reading, name: string | undefined): string {
  if (name === undefined) return "";
  const entry = sections.flatMap(({ entries }) => entries).find((each) => each.name === name);
  return `#${entry?.id ?? name}`;
}
