import { join, resolve } from "node:path";
import { WriteRoot } from "../files/write-root.js";
import { counted } from "../print/counted.js";
import { readingHtml } from "../page/reading-html.js";
import { readingMarkdown } from "../page/reading-markdown.js";
import type { Arguments } from "./arguments.js";
import type { CommandContext, RunCommand } from "./context.js";
import { openFile, pageFile, writePage } from "./docs/page-file.js";
import { pageTemplates } from "./docs/templates.js";
import { documentedSource } from "./docs/source.js";
import type { Outcome } from "./outcome.js";
import { findingText } from "./present.js";
import { openProject } from "./project.js";
import { shownPath } from "./shown-path.js";

/** Writes the reference of a revision, an extension, a contract or a live server. */
export const docs: RunCommand = async (args, context) => {
  const project = await openProject(args, context, { optional: true, renders: true });
  const { reading, name, findings } = await documentedSource(args, project, context);
  const form = args.string("format") === "markdown" ? "md" : "html";
  const render = pageTemplates(args, project, context);
  const text = form === "md" ? readingMarkdown(reading, render) : readingHtml(reading, render);
  return published({ text, name, form, findings }, args, context);
};

/** A page, and what its file is called where none is named. */
interface Page {
  readonly text: string;
  readonly name: string;
  readonly form: "html" | "md";
  readonly findings: Outcome["findings"];
}

/** The page in the file of `--out`, in a temporary one for `--open` alone, else on standard output. */
async function published(
  { text, name, form, findings = [] }: Page,
  args: Arguments,
  context: CommandContext,
): Promise<Outcome> {
  const out = args.string("out");
  const opens = args.flag("open");
  const bytes = Buffer.byteLength(text);
  if ((out === undefined && !opens) || out === "-") {
    const { console } = context;
    if (console.settings.format === "json") return { findings, data: { page: text } };
    // Standard output holds the page and nothing else.
    for (const finding of findings) console.error(findingText(finding, console.paintError));
    return { text, failed: findings.some(({ severity }) => severity === "error") };
  }
  const page = `${name}.${form}`;
  const named = out === undefined ? undefined : pageFile(resolve(context.directory, out), page);
  const root = named === undefined ? WriteRoot.temporary() : WriteRoot.ofFile(named, context.directory);
  const file = named ?? join(root.folder, page);
  const done = writePage(root, file, text, {
    shown: shownPath(file, context.directory),
    force: args.flag("force"),
  });
  if (opens && !(await openFile(file))) context.console.note("there is no program that opens the page");
  const shown = out === undefined ? file : shownPath(file, context.directory);
  return {
    findings,
    summary: `${shown}: ${done}, ${counted(Math.ceil(bytes / 1000), "kilobyte")}`,
    data: { file: shown, written: done === "written", bytes },
  };
}
