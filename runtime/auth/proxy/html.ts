import { randomText } from "../shared/encoding.js";

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character]!);
}

/** Makes the nonce for the styles of one page. */
export function styleNonce(): string {
  return randomText(12);
}

/**
 * Makes the response for a page that cannot be framed and loads nothing. The policy has no `form-action`, because browsers
 * apply it to all redirects after the form, and the redirects of the upstream are unknown.
 */
export function htmlResponse(
  html: string,
  { status, nonce, cookies = [] }: { status: number; nonce: string; cookies?: readonly string[] },
): Response {
  const headers = new Headers({
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": `default-src 'none'; style-src 'nonce-${nonce}'; base-uri 'none'; frame-ancestors 'none'`,
    "x-frame-options": "DENY",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    // With `no-referrer`, the page would send its form with `Origin: null`.
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    pragma: "no-cache",
  });
  for (const cookie of cookies) headers.append("set-cookie", cookie);
  return new Response(html, { status, headers });
}

const style = `
:root { color-scheme: light dark; font: 100%/1.5 system-ui, sans-serif }
body { margin: 0 auto; padding: 1.5rem 1rem; max-width: 34rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem; line-height: 1.3 }
dt { font-weight: 600; margin-top: .75rem }
dd { margin: 0 }
ul { padding-left: 1.25rem; margin: .25rem 0 }
.note { border-left: .25rem solid #b45309; padding: .25rem .75rem; margin: 1rem 0 }
form { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem }
button { flex: 1 1 8rem; font: inherit; padding: .75rem 1rem; border: 2px solid #1d4ed8; border-radius: .4rem; cursor: pointer }
button[value=allow] { background: #1d4ed8; color: #fff }
button[value=deny] { background: Canvas; color: CanvasText }
:focus-visible { outline: 3px solid #f59e0b; outline-offset: 2px }
`;

/** @param body HTML */
export function page(title: string, body: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style nonce="${nonce}">${style}</style>
</head>
<body>
<main>
${body}
</main>
</body>
</html>
`;
}

/** Makes a page that explains why a login cannot continue. @param link back to the client, with the error */
export function errorPage(
  what: string,
  next: string,
  link?: { readonly href: string; readonly host: string },
  status = 400,
): Response {
  const nonce = styleNonce();
  const back = link
    ? `<p><a href="${escaped(link.href)}" rel="noreferrer">Return to ${escaped(link.host)}</a>, if you trust this address.</p>`
    : "";
  const body = `<h1>This login cannot continue</h1>\n<p>${escaped(what)}</p>\n<p>${escaped(next)}</p>\n${back}`;
  return htmlResponse(page("This login cannot continue", body, nonce), { status, nonce });
}
