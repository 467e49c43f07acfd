import { posix } from "node:path";
import type { Problem } from "./problem.js";

/** Addresses on pages that lead to no page and no element of the site. */
export function deadLinks(pages: ReadonlyMap<string, string>): Problem[] {
  const ids = new Map([...pages].map(([page, text]) => [page, idsOf(text)]));
  return [...pages].flatMap(([page, text]) =>
    [...addressesOf(text)].flatMap((address): Problem[] => {
      const dead = deadEnd(page, address, ids);
      return dead === undefined ? [] : [{ code: "SITE5", file: page, what: dead }];
    }),
  );
}

function deadEnd(
  page: string,
  address: string,
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  if (/^https?:|^mailto:/.test(address)) return undefined;
  const [path = "", id] = address.split("#");
  const target = path === "" ? page : posix.join(posix.dirname(page), path);
  const known = ids.get(target);
  if (!known) return `the address ${address} leads to no page`;
  return id === undefined || known.has(id) ? undefined : `${target} has no element #${id}`;
}

function idsOf(text: string): Set<string> {
  return new Set([...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id!));
}

/** Without the data and programs of the page. */
function addressesOf(text: string): Set<string> {
  const markup = text.replace(/<(script|style)\b[^>]*>[^]*?<\/\1>/g, "");
  return new Set([...markup.matchAll(/ (?:href|action)="([^"]*)"/g)].map(([, address]) => plain(address!)));
}

function plain(attribute: string): string {
  return attribute
    .replaceAll("&#x3D;", "=")
    .replaceAll("&#39;", "'")
    .replaceAll("&#x27;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
