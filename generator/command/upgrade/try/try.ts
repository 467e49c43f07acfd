import { existsSync } from "node:fs";
import { join } from "node:path";
import { Project as CodeProject, ts } from "ts-morph";
import { naturalCompare } from "@mcpgen/engine";
import { diagnosticFinding, mostErrors } from "../../../dev/compiler.js";
import type { Finding } from "../../../diagnostics/coded-error.js";
import { generateFiles } from "../../../pipeline/generate.js";
import { published } from "../../../model/model.js";
import { counted as amount, columns, firstLines, shownPath } from "../../../print/terminal-text.js";
import { markdownText, oneLineCode } from "../../../print/markdown.js";
import { readLock } from "../../../revision/lock.js";
import { type CommandContext, Arguments } from "../../command.js";
import { type Project, outputRequest } from "../../project.js";
import type { StagedUpgrade } from "../stage.js";
import { type Output, rehearse } from "./rehearse.js";
import type { Call, Conversation, Lost } from "./plan.js";

/** The effects of a revision that is not stored yet. */
export interface Rehearsal {
  /** The revision whose types handlers and calls use. */
  readonly vocabulary: string;
  readonly revisions: readonly Understanding[];
  /** Type errors in the new output. */
  readonly generated: readonly Finding[];
  readonly project: ProjectTypes;
}

/**
 * Tries a staged revision: type-checks the new output and the project against it, and runs sessions between a
 * server and a client for every pair of revisions, without and with the new revision.
 */
export async function tryUpgrade(
  staged: StagedUpgrade,
  project: Project,
  context: CommandContext,
): Promise<Rehearsal> {
  const { generated } = staged.comparison;
  const { directory, console } = context;
  const shown = (path: string): string => shownPath(path, directory);
  console.progress("checking types…");
  const wrong = generatedErrors(generated.files, project.importExtension, (path) =>
    shownPath(project.outDir, directory, path),
  );
  const types = projectErrors(project.loaded.folder, project.outDir, generated.files, shown);
  console.progress("talking…");
  const before = await outputBefore(staged, project, context);
  const vocabulary = vocabularyOf(before ?? generated);
  const [earlier, now] = await Promise.all([
    before ? rehearse(before, vocabulary) : [],
    rehearse(generated, vocabulary),
  ]);
  return {
    vocabulary,
    revisions: understandings(earlier, now, vocabulary),
    generated: wrong,
    project: types,
  };
}

/** The vocabulary of the output: named in its module `listed`, else the newest released revision. */
function vocabularyOf({ files, models }: Output): string {
  const named = /export const vocabulary[^=]*= "([^"]+)"/.exec(files.get("listed.ts") ?? "")?.[1];
  return named ?? published(models).at(-1)?.revision ?? models.at(-1)!.revision;
}

/** The output without the new revision; `undefined` if there is no other revision. */
async function outputBefore(
  staged: StagedUpgrade,
  project: Project,
  { directory }: CommandContext,
): Promise<Output | undefined> {
  if (readLock(project.schemaDir).size === 0) return undefined;
  const { request } = outputRequest(new Arguments({}), project, directory);
  const { fingerprints, files } = staged.comparison.generated;
  return generateFiles({
    ...request,
    // Reuse revisions that the new one does not affect.
    reuse: (revision, fingerprint) =>
      fingerprints.get(revision) === fingerprint
        ? new Map([...files].filter(([path]) => path.startsWith(`${revision}/`)))
        : undefined,
  });
}

/** Findings: results that got worse, and type errors. */
export function rehearsalFindings({ revisions, generated, project }: Rehearsal): Finding[] {
  const found = revisions.flatMap(({ revision, client, server }) => [
    ...findingsOf(`a client of ${revision}`, client),
    ...findingsOf(`a server of ${revision}`, server),
  ]);
  return [...generated, ...project.errors, ...found];
}

/** Maximum number of details in one finding. */
const mostShown = 8;

function findingsOf(peer: string, { noLonger, invalid }: Served): Finding[] {
  const finding = (message: string, lines: readonly string[]): Finding[] => {
    if (lines.length === 0) return [];
    const detail = firstLines(lines, mostShown, " (--json)").join("\n");
    return [{ code: "MG3114", severity: "error", message, detail }];
  };
  return [
    ...finding(
      `${peer} is no longer served: ${amount(noLonger.length, "call")} of those that were`,
      noLonger.map(({ call, why }) => `${call}: ${why}`),
    ),
    ...finding(
      `${amount(invalid.length, "message")} with ${peer} ${invalid.length === 1 ? "is" : "are"} not of its revision`,
      invalid,
    ),
  ];
}

const heads = ["revision", "its client, our server", "our client, its server", "lost", "refused", "wrong"];

/**
 * The result as text: a table of which revisions work together and what is lost, then each loss and refusal.
 */
export function rehearsalText(rehearsal: Rehearsal, verbose: boolean): string {
  return [
    titleOf(rehearsal),
    "",
    columns([heads, ...rowsOf(rehearsal)]),
    ...partsOf(rehearsal, verbose).flatMap(({ title, lines }) => [
      "",
      title,
      ...lines.map((line) => `  ${line}`),
    ]),
  ].join("\n");
}

/** The same as Markdown for a pull request. */
export function rehearsalMarkdown(rehearsal: Rehearsal): string {
  const row = (cells: readonly string[]): string => `| ${cells.map(markdownText).join(" | ")} |`;
  return [
    `# ${titleOf(rehearsal)}`,
    [row(heads), row(heads.map(() => "---")), ...rowsOf(rehearsal).map(row)].join("\n"),
    ...partsOf(rehearsal, true).flatMap(({ title, lines }) => [
      `## ${markdownText(title)}`,
      ...(lines.length > 0 ? [lines.map((line) => `- ${oneLineCode(line)}`).join("\n")] : []),
    ]),
  ].join("\n\n");
}

function titleOf({ vocabulary }: Rehearsal): string {
  return `Who understands whom, with handlers and calls in the words of ${vocabulary}`;
}

function rowsOf({ revisions }: Rehearsal): string[][] {
  return revisions.map(({ revision, client, server }) => {
    const sum = (count: (side: Served) => number): string => String(count(client) + count(server));
    return [
      ...[revision, servedText(client), servedText(server)],
      ...[
        sum(({ losses }) => losses.length),
        sum(({ refused }) => refused.length),
        sum(({ invalid }) => invalid.length),
      ],
    ];
  });
}

interface Part {
  readonly title: string;
  readonly lines: readonly string[];
}

function partsOf({ revisions, project }: Rehearsal, verbose: boolean): Part[] {
  const unchecked = project.unchecked;
  return [
    ...revisions.flatMap(({ revision, client, server }) => [
      ...detailsOf(`With a client of ${revision}`, client, verbose),
      ...detailsOf(`With a server of ${revision}`, server, verbose),
    ]),
    ...(unchecked === undefined ? [] : [{ title: `The project is not checked: ${unchecked}.`, lines: [] }]),
  ];
}

function servedText({ served, made }: Served): string {
  return made === 0 ? "no conversation" : `${served} of ${made}`;
}

function detailsOf(title: string, { losses, refused }: Served, verbose: boolean): Part[] {
  const lost = losses.map(
    ({ method, pointer, how, count }) =>
      `${method} ${pointer || "(whole)"}: ${how}${count > 1 ? `, ${count} times` : ""}`,
  );
  const all = [...lost, ...refused.map(({ call, why }) => `${call}: refused, ${why}`)];
  if (all.length === 0) return [];
  return [{ title, lines: firstLines(all, verbose ? Infinity : mostShown, " (--verbose)") }];
}

const strict: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  strict: true,
  noEmit: true,
  types: [],
};

/** Type errors in generated files that exist only in memory. */
function generatedErrors(
  files: ReadonlyMap<string, string>,
  importExtension: string,
  shown: (path: string) => string,
): Finding[] {
  const project = new CodeProject({
    useInMemoryFileSystem: true,
    compilerOptions: { ...strict, ...(importExtension === "ts" && { allowImportingTsExtensions: true }) },
  });
  project.getFileSystem().writeFileSync("/package.json", '{"type":"module"}');
  for (const [path, text] of files) if (path.endsWith(".ts")) project.createSourceFile(`/${path}`, text);
  return errorsOf(project.getProgram().compilerObject, (path) => shown(path.slice(1)));
}

/** The result of type-checking the project against new output. */
interface ProjectTypes {
  /** The reason if it was not checked. */
  readonly unchecked?: string;
  /** Errors that do not occur with the present output. */
  readonly errors: readonly Finding[];
}

/**
 * Finds the type errors that new output causes in a project. Uses mcpgen's own compiler, so that no program
 * of the project runs. New files replace the present ones only in memory.
 *
 * @param folder the folder of the project
 * @param shown formats a path for messages
 */
function projectErrors(
  folder: string,
  outDir: string,
  files: ReadonlyMap<string, string>,
  shown: (path: string) => string,
): ProjectTypes {
  const config = join(folder, "tsconfig.json");
  if (!existsSync(config)) return { unchecked: "it has no tsconfig.json", errors: [] };
  const programWith = (output: ReadonlyMap<string, string>): ts.Program | undefined => {
    const project = new CodeProject({ tsConfigFilePath: config, compilerOptions: { noEmit: true } });
    const own = project.getSourceFiles().filter((file) => !isBelow(file.getFilePath(), outDir));
    if (own.length === 0) return undefined;
    for (const [path, text] of output)
      if (path.endsWith(".ts")) project.createSourceFile(join(outDir, path), text, { overwrite: true });
    return project.getProgram().compilerObject;
  };
  let program: ts.Program | undefined;
  try {
    program = programWith(files);
  } catch (error) {
    return { unchecked: `its tsconfig.json cannot be read: ${(error as Error).message}`, errors: [] };
  }
  if (!program) return { unchecked: "its tsconfig.json has no TypeScript beside the output", errors: [] };
  const isOwn = ({ fileName }: ts.SourceFile): boolean => !isBelow(fileName, outDir);
  const found = errorsOf(program, shown, isOwn);
  if (found.length === 0) return { errors: [] };
  const before = new Set(errorsOf(programWith(new Map())!, shown, isOwn).map(keyOf));
  return { errors: found.filter((error) => !before.has(keyOf(error))) };
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(`${folder}/`);
}

/** Identifies an error independently of its line. */
function keyOf({ message, place }: Finding): string {
  return `${place?.file} ${message}`;
}

function errorsOf(
  program: ts.Program,
  shown: (path: string) => string,
  wants: (file: ts.SourceFile) => boolean = () => true,
): Finding[] {
  const found: Finding[] = [];
  for (const file of program.getSourceFiles()) {
    if (file.isDeclarationFile || program.isSourceFileFromExternalLibrary(file) || !wants(file)) continue;
    for (const each of [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]) {
      if (each.category !== ts.DiagnosticCategory.Error) continue;
      found.push(diagnosticFinding(each, shown, file.fileName));
      if (found.length >= mostErrors) return found;
    }
  }
  return found;
}

/** How well an application of one revision works with an application that uses the vocabulary. */
interface Understanding {
  readonly revision: string;
  /** Client of this revision, server of the vocabulary. */
  readonly client: Served;
  /** Server of this revision, client of the vocabulary. */
  readonly server: Served;
}

/** The calls of one session. */
interface Served {
  /**
   * Number of calls that count: methods that both sides have, with samples that work between peers of the
   * same revision.
   */
  readonly made: number;
  readonly served: number;
  readonly refused: readonly Refused[];
  readonly losses: readonly CountedLoss[];
  /** Messages that are invalid for their revision. */
  readonly invalid: readonly string[];
  /** Calls that worked without the new revision. */
  readonly noLonger: readonly Refused[];
}

interface Refused {
  readonly call: string;
  readonly why: string;
}

interface CountedLoss extends Lost {
  readonly count: number;
}

/**
 * @param before the sessions without the new revision; empty if there was no other revision
 * @param after the sessions with it
 */
function understandings(
  before: readonly Conversation[],
  after: readonly Conversation[],
  vocabulary: string,
): Understanding[] {
  const revisions = [...new Set(after.map(({ revision }) => revision))].sort(naturalCompare);
  const servedBefore = (revision: string, pinned: Conversation["pinned"]): Conversation | undefined =>
    before.find((each) => each.revision === revision && each.pinned === pinned);
  return revisions.map((revision) => {
    const of = (pinned: "client" | "server"): Served =>
      served(revision, pinned, after, vocabulary, servedBefore(revision, pinned));
    return { revision, client: of("server"), server: of("client") };
  });
}

function served(
  revision: string,
  pinned: "client" | "server",
  all: readonly Conversation[],
  vocabulary: string,
  before: Conversation | undefined,
): Served {
  const find = (of: string, side: Conversation["pinned"]): Conversation =>
    all.find((each) => each.revision === of && each.pinned === side)!;
  const { calls, losses, invalid } = find(revision, pinned);
  // Exclude samples that fail even between peers of the same revision.
  const own = find(revision, "both");
  const words = find(vocabulary, "both");
  const misunderstood = new Set([...own.calls, ...words.calls].filter(isRefused).map(({ name }) => name));
  const made = calls.filter(({ name }) => !misunderstood.has(name));
  const notServed = made.filter(isRefused);
  // If no call was possible, report only the reason.
  const refused = (made.length > 0 ? notServed : calls.filter(isRefused)).map(refusal);
  const earlier = new Set(before?.calls.filter((call) => !isRefused(call)).map(({ name }) => name));
  const wrongBefore = new Set([...(before?.invalid ?? []), ...own.invalid]);
  return {
    made: made.length,
    served: made.length - notServed.length,
    refused,
    losses: counted(losses),
    invalid: [...new Set(invalid)].filter((text) => !wrongBefore.has(text)),
    noLonger: calls.filter((call) => isRefused(call) && earlier.has(call.name)).map(refusal),
  };
}

function isRefused({ refused }: Call): boolean {
  return refused !== undefined;
}

function refusal({ name, refused = "" }: Call): Refused {
  return { call: name, why: refused };
}

function counted(losses: readonly Lost[]): CountedLoss[] {
  const counts = new Map<string, CountedLoss>();
  for (const { method, pointer, how } of losses) {
    // Report the items of a list as one place.
    const place = pointer.replace(/\/\d+(?=\/|$)/g, "/*");
    const key = `${method} ${place} ${how}`;
    counts.set(key, { method, pointer: place, how, count: (counts.get(key)?.count ?? 0) + 1 });
  }
  return [...counts.values()];
}
