import { posix } from "node:path";
import type { Document } from "./documents.js";

/**
 * Returns a line for each link whose page or element does not exist in the site, with the place in the
 * document if it is known.
 */
export function deadLinks(
  files: ReadonlyMap<string, string>,
  documents: readonly Pick<Document, "file" | "page" | "text">[],
): string[] {
  const ids = new Map([...files].map(([page, text]) => [page, idsOf(text)]));
  return [...files].flatMap(([page, text]) =>
    addressesOf(text)
      .filter((address) => !isLive(page, address, ids))
      .map((address) => {
        const document = documents.find((each) => each.page === page);
        return `${document ? placeOf(document, address) : page}: the link to ${address} leads nowhere`;
      }),
  );
}

function isLive(page: string, address: string, ids: ReadonlyMap<string, ReadonlySet<string>>): boolean {
  if (/^https?:|^mailto:/.test(address)) return true;
  const [path = "", id] = address.split("#");
  const target = ids.get(path === "" ? page : posix.join(posix.dirname(page), decodeURI(path)));
  return target !== undefined && (id === undefined || target.has(id) || target.has(decodeURIComponent(id)));
}

/**
 * Finds the line of a document that contains the address, or at least its part after #. The rest may differ,
 * because pages and documents have different paths.
 */
function placeOf({ file, text }: Pick<Document, "file" | "text">, address: string): string {
  const end = `${address.slice(Math.max(0, address.indexOf("#")))})`;
  const line = text.split("\n").findIndex((each) => each.includes(end));
  return line < 0 ? file : `${file}:${line + 1}`;
}

function idsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => plain(id!)));
}

/** The addresses of links in a page, without its data and programs. */
function addressesOf(text: string): string[] {
  const markup = text.replace(/<(script|style)\b[^>]*>[^]*?<\/\1>/g, "");
  return [
    ...new Set(
      [...markup.matchAll(/ (?:href|action|src|srcset)="([^"]*)"/g)].map(([, address]) => plain(address!)),
    ),
  ];
}

function plain(attribute: string): string {
  return attribute
    .replaceAll("&#x3D;", "=")
    .replace(/&#(?:39|x27);/g, "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
