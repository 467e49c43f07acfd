import { existsSync, statSync } from "node:fs";
import { join, posix } from "node:path";
import type { Token } from "markdown-it";
import { addressFrom } from "./documents.js";
import type { Problem } from "./problem.js";
import type { Document, Link } from "./read-document.js";
import type { Target } from "./render-document.js";

/** What links may lead to. */
export interface Places {
  /** The folder of the repository. */
  readonly root: string;
  readonly documents: ReadonlyMap<string, Document>;
  /** Files that the site holds as they are, by their path in the repository, which is also their path in the site. */
  readonly files: ReadonlySet<string>;
  /** Pages that stand for a file of the repository, by its path. */
  readonly standIns: ReadonlyMap<string, StandIn>;
  /** The address of a repository's files, e.g. `https://example.com/blob/main/`; without it, their paths are shown. */
  readonly repository: string | undefined;
}

/** A page of the site in place of a file: a link whose text is a name leads to what the page says of that name. */
export interface StandIn {
  readonly page: string;
  readonly addressOf: (name: string) => string | undefined;
}

/** Resolves the links of a document; a link that leads nowhere is a problem. */
export function resolveLinks(
  document: Document,
  places: Places,
): { readonly targets: ReadonlyMap<Token, Target>; readonly problems: readonly Problem[] } {
  const targets = new Map<Token, Target>();
  const problems: Problem[] = [];
  for (const link of document.links) {
    const found = targetOf(link, document, places);
    if ("code" in found) problems.push({ ...found, file: document.file, line: link.line });
    else targets.set(link.token, found);
  }
  return { targets, problems };
}

type Dead = Pick<Problem, "code" | "what">;

function targetOf(link: Link, from: Document, places: Places): Target | Dead {
  if (/^(?:https?|mailto):/.test(link.href)) return { href: link.href };
  const [path = "", id] = link.href.split("#").map(decoded);
  const file = path === "" ? from.file : posix.join(posix.dirname(from.file), path).replace(/\/$/, "");
  const document = places.documents.get(file) ?? places.documents.get(`${file}/README.md`);
  if (document) return headingOf(document, id, from);
  const standIn = places.standIns.get(file);
  if (standIn) return namedOn(standIn, link, from);
  if (places.files.has(file)) return { href: addressFrom(from.page, file) };
  const onDisk = join(places.root, file);
  if (file.startsWith("..") || !existsSync(onDisk))
    return { code: "SITE1", what: `the link to ${link.href} leads to no file` };
  return places.repository === undefined
    ? { file: statSync(onDisk).isDirectory() ? `${file}/` : file }
    : { href: new URL(file, places.repository).href };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function headingOf(document: Document, id: string | undefined, from: Document): Target | Dead {
  const address = document === from ? "" : addressFrom(from.page, document.page);
  if (id === undefined) return { href: address === "" ? "#content" : address };
  if (!document.passages.some((passage) => passage.id === id))
    return { code: "SITE2", what: `${document.file} has no heading with the address #${id}` };
  return { href: `${address}#${id}` };
}

function namedOn({ page, addressOf }: StandIn, { code }: Link, from: Document): Target | Dead {
  const address = addressFrom(from.page, page);
  const id = code === undefined ? undefined : addressOf(code);
  if (code !== undefined && id === undefined)
    return { code: "SITE2", what: `the reference has no entry ${code}` };
  return { href: id === undefined ? address : `${address}#${id}` };
}
