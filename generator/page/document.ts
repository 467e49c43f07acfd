import { createHash } from "node:crypto";
import { join } from "node:path";
import { CodedError, invariant } from "../diagnostics/coded-error.js";
import { packageFolder, readRegularText } from "../files/regular-file.js";
import type { Render } from "../print/templates.js";
import { Html, visible } from "./html.js";

/** One page. */
export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Names of scripts in `generator/page/browser/`, in order of execution. */
  readonly programs?: readonly string[];
  /** Names of style templates in addition to the common one. */
  readonly styles?: readonly string[];
  /** Style and scripts of the surrounding site, as texts. */
  readonly added?: { readonly style: string; readonly programs: readonly string[] };
  /** Further directives of the Content-Security-Policy, e.g. `{ "connect-src": "'self'" }`. */
  readonly policy?: Readonly<Record<string, string>>;
}

/** A page, and the policy it contains; a server also sends that as a header. */
export interface PageDocument {
  readonly text: string;
  readonly policy: string;
}

/**
 * A page as one HTML file that requests nothing. It contains its style and scripts, and its
 * Content-Security-Policy allows only these, by hash. Scripts cannot turn text into markup (Trusted Types).
 */
export function pageDocument(content: PageContent, render: Render): string {
  return servedDocument(content, render).text;
}

/** The same for a page delivered by a server. */
export function servedDocument(content: PageContent, render: Render): PageDocument {
  const { title, body, programs = [], styles = [], added, policy = {} } = content;
  const texts = [...programs.map(programText), ...(added?.programs ?? [])];
  const style = [...["page.css", ...styles].map((name) => render(name, {})), ...(added ? [added.style] : [])]
    .map(visible)
    .join("\n");
  if (/<\/style/i.test(style))
    throw new CodedError("MG1006", "the template of style ends its element: it has </style", {
      next: "Correct the templates of style, e.g. page.css.",
    });
  const directives = {
    "default-src": "'none'",
    ...(texts.length > 0 && { "script-src": texts.map(hashSource).join(" ") }),
    "style-src": hashSource(style),
    "base-uri": "'none'",
    "form-action": "'none'",
    "require-trusted-types-for": "'script'",
    "trusted-types": "'none'",
    ...policy,
  };
  const policyText = Object.entries(directives)
    .map((directive) => directive.join(" "))
    .join("; ");
  const page = render("page.html", {
    title,
    policy: policyText,
    // Complete elements, because white space added by a template would change the hash.
    style: new Html(`<style>${style}</style>`),
    scripts: new Html(texts.map((text) => `<script type="module">${text}</script>`).join("\n")),
    body,
  });
  return { text: visible(page), policy: policyText };
}

/** The built script of `generator/page/browser/NAME.ts`. */
function programText(name: string): string {
  const text = readRegularText(join(packageFolder(), "dist/generator/browser", `${name}.js`)).trim();
  invariant(!/<\/script|<!--/i.test(text) && visible(text) === text, "a program never ends its element");
  return text;
}

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
