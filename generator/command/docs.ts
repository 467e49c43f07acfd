import { join, resolve } from "node:path";
import { WriteRoot } from "../files/held-folder.js";
import { counted, shownPath } from "../print/terminal-text.js";
import { readingHtml } from "../page/reading-html.js";
import { readingMarkdown } from "../page/reading-markdown.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  findingText,
} from "./command.js";
import { pageTemplates, openFile, pageFile, writePage } from "./docs/page-file.js";
import { type Project, openProject } from "./project.js";
import type { Finding } from "../diagnostics/coded-error.js";
import type { Reading } from "../page/reading.js";
import { extensionReading, revisionReading } from "../page/reference/reading.js";
import { loadBases, overNewestBase } from "../extension/add/bases.js";
import { readStoredExtension, expectExtension, extensionKey } from "../extension/extension-store.js";
import { isExtensionName } from "./diff/extensions.js";
import { readLock, namedRevisions, revisionsFolder } from "../revision/lock.js";
import { loadSource } from "./diff/source.js";
import { usualProfiles } from "../lint/rule.js";
import { offerReading } from "../page/offer/reading.js";
import { contractKind, contractSource } from "./contract-source.js";
import { nameInHosts } from "../contract/project-name.js";
import { expectServer, serverOptions, startOf } from "./server-options.js";
import { sourceOrServer } from "./servers/named-servers.js";
import { publicWords } from "../secrets/public-words.js";
import { shownSource } from "../capture/server-source.js";
import { secrets } from "../secrets/secrets.js";

/** Writes the reference documentation of a revision, an extension, a contract or a live server. */
export const docs: RunCommand = async (args, context) => {
  const project = await openProject(args, context, { optional: true, renders: true });
  const { reading, name, findings } = await documentedSource(args, project, context);
  const form = args.string("format") === "markdown" ? "md" : "html";
  const render = pageTemplates(project);
  // A server may repeat a secret that it was sent.
  const text = secrets.hide(form === "md" ? readingMarkdown(reading, render) : readingHtml(reading, render));
  return published({ text, name, form, findings }, args, context);
};

/** A page, and the default name of its file. */
interface Page {
  readonly text: string;
  readonly name: string;
  readonly form: "html" | "md";
  readonly findings: Outcome["findings"];
}

/** Writes the page to the file of `--out`, to a temporary file for `--open` alone, or to standard output. */
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
    // Standard output holds only the page.
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

/** The subject of a page, read from SOURCE. */
interface Documented {
  readonly reading: Reading;
  /** The name of the page's file, without extension. */
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** Reads the SOURCE of `docs`: an extension or a revision by name, a contract, a live server, or a schema file. */
export async function documentedSource(
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Documented> {
  const name = args.required("source");
  if (isExtensionName(project.schemaDir, name)) return extension(name, project.schemaDir);
  const offered = await offer(name, args, project, context);
  if (offered) return offered;
  const named = namedRevisions(project.schemaDir).get(name);
  if (!named) {
    const { model } = (await loadSource(name, project, context, false)).loaded;
    return { reading: revisionReading(model, []), name: fileName(model.revision), findings: [] };
  }
  const { folder } = named;
  const all = (await loadBases(folder, [...readLock(folder).keys()], folder)).map((each) => each.model);
  const model = all.find(({ revision }) => revision === name)!;
  return { reading: revisionReading(model, all), name: fileName(name), findings: [] };
}

/** Documents a contract or a live server; undefined for other sources. */
async function offer(
  name: string,
  args: Arguments,
  project: Project,
  context: CommandContext,
): Promise<Documented | undefined> {
  const revisions = [...namedRevisions(project.schemaDir).keys()];
  const source = await sourceOrServer(name, args, context, revisions);
  expectServer(args, [source], context.directory);
  const kind = contractKind(source, context);
  // SOURCE is a revision, a schema file, or a schema on standard input.
  if (kind === "other" || kind === "standard input") return undefined;
  const options = serverOptions(args, context);
  const document = await contractSource(source, options, context, { needed: [] });
  const { contract, isLive, findings } = document;
  const hostName = typeof source === "string" ? nameInHosts(contract.name) : source.name;
  const reading = offerReading(contract, {
    ...{ name: isLive ? shownSource(source, publicWords) : document.name, hostName },
    start: isLive ? await startOf(source, options) : { kind: "unknown" },
    profiles: args.flag("no-lint") ? [] : usualProfiles,
  });
  return { reading, name: fileName(contract.name), findings };
}

/** Documents a stored extension over the newest of its bases. */
async function extension(name: string, schemaDir: string): Promise<Documented> {
  const stored = expectExtension(schemaDir, name);
  const revisions = [...readLock(revisionsFolder(schemaDir)).keys()];
  const source = await readStoredExtension(stored, revisions);
  const reading = extensionReading((await overNewestBase(source, schemaDir))!);
  return { reading, name: fileName(extensionKey(stored)), findings: [] };
}

/** Makes a name usable as one part of a path. */
function fileName(name: string): string {
  const plain = name
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^[-.]+/, "")
    .slice(0, 80);
  return plain === "" ? "reference" : plain;
}
