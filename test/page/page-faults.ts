import { createHash } from "node:crypto";
import { loadTemplates } from "../../generator/print/templates.js";

const mark = loadTemplates()("mark", {}).trim();

/** Addresses within a page that lead to no element. */
export function deadAnchors(page: string): string[] {
  const ids = new Set([...page.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id));
  const links = [...page.matchAll(/\bhref="#([^"]*)"/g)].map(([, id]) => id!);
  return [...new Set(links.filter((id) => !ids.has(id)))];
}

/** The parts of a page that its own Content-Security-Policy refuses, or that would send a request. */
export function policyFaults(page: string): string[] {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/
    .exec(page)?.[1]
    ?.replaceAll("&#x27;", "'")
    .replaceAll("&#x3D;", "=");
  if (policy === undefined) return ["there is no policy"];
  const faults: string[] = [];
  if (!policy.includes("default-src 'none'")) faults.push("the policy has a default");
  const blocks = [...page.matchAll(/<(style|script)\b[^>]*>([^]*?)<\/\1>/g)];
  for (const [, element, text] of blocks) {
    const hash = createHash("sha256").update(text!).digest("base64");
    if (!policy.includes(`'sha256-${hash}'`)) faults.push(`${element}: not in the policy`);
  }
  // The mark of mcpgen is the one picture of a page.
  const markup = page.replaceAll(mark, "").replace(/<(style|script)\b[^>]*>[^]*?<\/\1>/g, "");
  for (const [tag] of markup.matchAll(/<[a-z][^>]*>/g)) {
    if (/\s(?:on\w+|style|src|srcset|srcdoc|formaction|action)=/.test(tag)) faults.push(tag);
    if (/\shref="(?!#|https?:\/\/|mailto:)/.test(tag)) faults.push(tag);
    if (/^<(?:iframe|object|embed|base|link|form|img|svg|math)\b/.test(tag)) faults.push(tag);
  }
  return faults;
}
