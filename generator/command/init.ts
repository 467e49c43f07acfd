import { existsSync, lstatSync, statSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { CANCEL_SYMBOL } from "@clack/prompts";
import { loadRevisionIds } from "../capture/runtime.js";
import { type Finding, CodedError } from "../diagnostics/coded-error.js";
import { revisionAdvice } from "../diagnostics/suggest.js";
import { type ProjectExtension, capabilitiesOf } from "../init/extension-files.js";
import {
  type ProjectRequest,
  lackFinding,
  serverFiles,
  clientFiles,
  codeFiles,
  codePackage,
  commonFiles,
  generatedFolder,
  projectConfig,
  projectPackage,
} from "../init/project.js";
import { type PackageSpecs, packageSpecs } from "../init/package-specs.js";
import { mayAnswerWithTasks, needsTasks, tasksExtensionId } from "../contract/tasks.js";
import { type GeneratedContract, generateContract } from "../pipeline/generate-contract.js";
import { loadTemplates } from "../print/templates.js";
import { type Manifest, manifestFile, manifestText, recordedFiles } from "../files/plan.js";
import { WriteRoot } from "../files/held-folder.js";
import { writeFiles } from "../files/writer.js";
import { packageFolder, packageVersion, readRegularText } from "../files/regular-file.js";
import type { Arguments, CommandContext, RunCommand, Outcome } from "./command.js";
import { columns, counted, shellLine, shownPath } from "../print/terminal-text.js";
import { projectExtensions } from "./init/extensions.js";
import { projectSource, folderName, secondContract } from "./init/source.js";
import { type Terminal, canAsk } from "./console.js";
import { configNames, findConfig, loadConfig } from "../config/config.js";
import { escapeUnprintable } from "../print/text.js";
import { expectName, nameFault } from "../contract/project-name.js";
import { contractIn, contractSha256 } from "../contract/contract.js";

type Role = ProjectRequest["role"];

/** Creates a server project: a contract, the generated code, and files for the author to edit. */
export const initServer: RunCommand = (args, context) => init("server", args, context);

/** Creates a client project from the contract of one server. */
export const initClient: RunCommand = (args, context) => init("client", args, context);

async function init(role: Role, args: Arguments, context: CommandContext): Promise<Outcome> {
  const { directory } = context;
  const { dir = ".", ...given } = await answers(role, args, context);
  const folder = projectFolder(dir, directory);
  const request = { ...given, role, folder, args, context };
  const project = await (given.code ? codeProject(request) : contractProject(request));
  const { files, generated, findings } = project;
  const planned = [...[...files].sort(([a], [b]) => (a < b ? -1 : 1)), ...generated].map(
    ([path, content]) => ({
      path,
      content,
      action: isTaken(folder, path) ? ("SKIP" as const) : ("CREATE" as const),
    }),
  );
  const dryRun = args.flag("dry-run");
  if (!dryRun) {
    const created = planned.filter(({ action }) => action === "CREATE");
    writeFiles(WriteRoot.named(folder, directory), created);
  }
  const outcome = outcomeOf(planned, generated.size, shownPath(folder, directory), dryRun, findings);
  const names = planned.some(({ path, action }) => path === "package.json" && action === "CREATE");
  return { ...outcome, summary: `${outcome.summary!}${names ? originNote(project.packages) : ""}` };
}

/** The files of a new project. */
interface NewProject {
  /** The files that the author owns, by path. */
  readonly files: Iterable<readonly [path: string, content: string]>;
  readonly generated: ReadonlyMap<string, string>;
  readonly findings: readonly Finding[];
  readonly packages: PackageSpecs;
}

/** A wanted project. */
interface InitRequest extends Omit<Answers, "dir"> {
  readonly role: Role;
  /** Absolute path of the project. */
  readonly folder: string;
  readonly args: Arguments;
  readonly context: CommandContext;
}

/** @throws CodedError MG2005 if the folder has a contract */
async function codeProject({ name, folder, context }: InitRequest): Promise<NewProject> {
  const there = contractIn(folder);
  if (there !== undefined) throw secondContract(shownPath(folder, context.directory, there), "--code");
  const packages = packageSpecs(packageFolder(), packageVersion());
  const named = name === undefined ? folderName(folder) : expectName(name);
  const request = { name: named, folder, packages, render: loadTemplates() };
  const lack = packageFinding(folder, context.directory, codePackage(request));
  return { files: codeFiles(request), generated: new Map(), findings: lack ? [lack] : [], packages };
}

async function contractProject(wanted: InitRequest): Promise<NewProject> {
  const { role, folder, args, context, name, speaks } = wanted;
  const render = loadTemplates();
  const {
    extensions: named,
    stored,
    generated: code,
  } = await projectExtensions(args, context, folder, speaks);
  const extensions = named.filter((each) => !isOfTasks(each));
  const capabilities = capabilitiesOf(extensions.flatMap(({ needs }) => needs));
  const { findings, ...source } = await projectSource({
    ...{ role, args, context, folder, name, speaks, capabilities, render },
  });
  const packages = packageSpecs(packageFolder(), packageVersion());
  const { contract } = source.document;
  const tasks =
    role === "client" ? mayAnswerWithTasks(contract) : needsTasks(contract) || named.some(isOfTasks);
  const request: ProjectRequest = { ...source, role, folder, speaks, packages, extensions, tasks, render };
  const { files: made, warnings } = await generatedFiles(request);
  const lacks = await lackFindings(folder, context, request);
  return {
    files: [
      ...stored,
      ...commonFiles(request),
      ...(role === "server" ? serverFiles(request) : clientFiles(request)),
    ],
    generated: new Map([...made, ...code]),
    findings: [...findings, ...warnings, ...lacks],
    packages,
  };
}

/** Whether `@mcpgen/tasks` implements an extension. */
function isOfTasks({ models: [model] }: ProjectExtension): boolean {
  return model!.id === tasksExtensionId;
}

/** Collects the options and, for a project without a source, answers of the user. */
async function answers(role: Role, args: Arguments, context: CommandContext): Promise<Answers> {
  const { directory, terminal } = context;
  const wanted = args.strings("revision");
  const speaks = wanted && (await knownRevisions(wanted));
  // Revisions and extensions are of a contract.
  const code = args.flag("code") || (speaks || args.given("extension") ? false : undefined);
  const known: Answers = { dir: args.string("dir"), name: args.string("name"), speaks, code };
  const hasSource =
    role === "client" ||
    args.given("contract") ||
    args.given("server") ||
    contractIn(projectFolder(known.dir ?? ".", directory)) !== undefined;
  const asks = !hasSource && !args.flag("yes") && canAsk(context);
  if (!asks || terminal === undefined) return known;
  return ask(known, terminal, directory);
}

/**
 * Checks the selected revisions and returns each once, oldest first.
 *
 * @throws CodedError MG2010 for an unknown revision, MG2013 if the runtime is not installed
 */
async function knownRevisions(wanted: readonly string[]): Promise<string[]> {
  const ids = await loadRevisionIds();
  const unknown = wanted.find((id) => !ids.includes(id));
  if (unknown === undefined) return ids.filter((id) => wanted.includes(id));
  throw new CodedError("MG2010", `there is no revision ${JSON.stringify(unknown)}`, {
    next: revisionAdvice(unknown, ids),
  });
}

/** Warns if package.json names paths of this machine, which prevents sharing the project. */
function originNote({ origin }: PackageSpecs): string {
  if (origin === "registry") return "";
  const place =
    origin === "checkout" ? "the checkout that mcpgen runs from" : "the tarballs that mcpgen came from";
  return `; package.json names ${place}: put versions there to share the project`;
}

interface Planned {
  readonly path: string;
  readonly action: "CREATE" | "SKIP";
}

function outcomeOf(
  planned: readonly Planned[],
  generated: number,
  shown: string,
  dryRun: boolean,
  findings: readonly Finding[],
): Outcome {
  const created = planned.filter(({ action }) => action === "CREATE").length;
  const next = [...(shown === "." ? [] : [shellLine(["cd", shown])]), "npm install", "npm test"].join(" && ");
  // Suggest `npm install` only if package.json is complete; otherwise the user must first add members by
  // hand.
  const isComplete = !findings.some(({ code }) => code === "MG6401");
  return {
    findings,
    steps: stepsOf(planned, generated, shown),
    summary:
      `${counted(created, "file")} ${dryRun ? "would be created (--dry-run)" : "created"}, ` +
      `${planned.length - created} left as they were`,
    ...(!dryRun && created > 0 && isComplete && { mend: next }),
    data: { folder: shown, written: !dryRun, files: planned.map(({ path, action }) => ({ path, action })) },
  };
}

/** One line for each file, and one last line for all generated files. */
function stepsOf(planned: readonly Planned[], generated: number, shown: string): string {
  const at = (path: string): string => (shown === "." ? path : `${shown}/${path}`);
  if (generated === 0) return columns(planned.map(({ action, path }) => [action, at(path)]));
  const own = planned.slice(0, -generated).map(({ action, path }) => [action, at(path)]);
  const made = planned.slice(-generated).filter(({ action }) => action === "CREATE").length;
  const files = `${at(generatedFolder)}/ (${made > 0 ? `${made} of ` : ""}${counted(generated, "file")})`;
  return columns([...own, [made > 0 ? "CREATE" : "SKIP", files]]);
}

/** The output of `mcpgen generate` with its manifest. */
async function generatedFiles({ role, document, contractFile }: ProjectRequest): Promise<GeneratedContract> {
  const options = { importExtension: "js", role } as const;
  const { files, warnings } = await generateContract({
    document: { ...document, file: contractFile },
    ...options,
  });
  const manifest: Manifest = {
    generator: packageVersion(),
    options,
    shared: {},
    inputs: { contract: { [contractFile]: contractSha256(document.contract) } },
    files: recordedFiles(files, undefined, () => false),
  };
  const all = [...files, [manifestFile, manifestText(manifest)] as const];
  return {
    files: new Map(all.map(([path, content]) => [`${generatedFolder}/${path}`, content])),
    warnings,
  };
}

/**
 * The folder of a project.
 *
 * @throws CodedError MG2004 if the path is not a folder or has control characters
 */
function projectFolder(dir: string, directory: string): string {
  if (escapeUnprintable(dir) !== dir) {
    throw new CodedError("MG2004", "expected DIR to be a path that shows, got one with control characters", {
      next: "Give the folder another name.",
    });
  }
  const folder = resolve(directory, dir);
  const there = nearestThere(folder);
  if (statSync(there).isDirectory()) return folder;
  throw new CodedError("MG2004", "expected DIR to be a folder, got a file", {
    place: { file: shownPath(there, directory) },
    next: "Name another folder, existing or new.",
  });
}

/** The path, or its nearest ancestor that exists. */
function nearestThere(path: string): string {
  return existsSync(path) ? path : nearestThere(dirname(path));
}

/** Whether the project's file name is in use, also by a broken link. */
function isTaken(folder: string, path: string): boolean {
  if (path === configFile) return configIn(folder) !== undefined;
  return lstatSync(join(folder, path), { throwIfNoEntry: false }) !== undefined;
}

const configFile = "mcpgen.config.json";

/** The name of the configuration file in the folder, whichever extension it has. */
function configIn(folder: string): string | undefined {
  return configNames.find((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined);
}

/**
 * Findings about existing files that the project needs: `init` does not change them, and the findings show
 * the members they lack.
 */
async function lackFindings(
  folder: string,
  { directory, trust }: CommandContext,
  request: ProjectRequest,
): Promise<Finding[]> {
  const findings = [packageFinding(folder, directory, projectPackage(request))];
  const file = findConfig(folder, folder);
  if (file !== undefined && (await trust.admits({ file, folder }))) {
    const { config } = await loadConfig(folder, { home: folder, admitsConfig: async () => true }, file);
    const shown = shownPath(file, directory);
    const next = "Add the entry below: generate, check and sync find the contract by it.";
    findings.push(lackFinding(shown, JSON.stringify(config), projectConfig(request), ["contracts"], next));
  }
  return findings.filter((finding) => finding !== undefined);
}

/** Reports what an existing package.json lacks. */
function packageFinding(folder: string, directory: string, wanted: object): Finding | undefined {
  if (!isTaken(folder, "package.json")) return undefined;
  const shown = shownPath(folder, directory, "package.json");
  const text = readRegularText(join(folder, "package.json"));
  const keys = ["type", "scripts", "dependencies", "devDependencies"];
  return lackFinding(shown, text, wanted, keys, "Add the members below, then run `npm install`.");
}

/** Settings of a new project, from options and from answers. */
interface Answers {
  readonly dir?: string | undefined;
  readonly name?: string | undefined;
  readonly speaks?: readonly string[] | undefined;
  /** Written in code, without a contract. */
  readonly code?: boolean | undefined;
}

/**
 * Asks for the settings that `known` lacks, in at most four questions. Enter accepts the proposal. A given
 * folder also gives the server's name.
 *
 * @throws CodedError MG2016 if the user leaves with Ctrl-C or Escape
 */
async function ask(known: Answers, terminal: Terminal, directory: string): Promise<Answers> {
  // Load the prompt library only for questions.
  const { isCancel, multiselect, select, text } = await import("@clack/prompts");
  const settled = <T>(answer: T | typeof CANCEL_SYMBOL): T => {
    if (!isCancel(answer)) return answer;
    throw new CodedError("MG2016", "the questions were left: nothing was written", {
      next: "Options answer all questions: npx mcpgen init server DIR --name NAME --yes.",
    });
  };
  const answers: { -readonly [Key in keyof Answers]: Answers[Key] } = { ...known };
  if (known.code === undefined) {
    const message = "How do you write the server?";
    const options = [
      {
        value: false,
        label: "from a contract",
        hint: "types, handlers and checks are generated from one file",
      },
      { value: true, label: "in code", hint: "with schemas of zod" },
    ];
    answers.code = settled(await select({ ...terminal, message, options }));
  }
  if (known.name === undefined && known.dir === undefined) {
    const message = "What is the server called?";
    const validate = (name: string | undefined): string | undefined => nameFault(name ?? "");
    answers.name = settled(
      await text({ ...terminal, message, initialValue: proposedName(directory), validate }),
    );
  }
  if (!answers.code && known.speaks === undefined) {
    const ids = await loadRevisionIds();
    const message = "Which revisions of the protocol does it speak?";
    const options = ids.toReversed().map((value) => ({ value, label: value }));
    const chosen = settled(
      await multiselect({ ...terminal, message, options, initialValues: [...ids], required: true }),
    );
    if (chosen.length < ids.length) answers.speaks = ids.filter((id) => chosen.includes(id));
  }
  if (known.dir === undefined) {
    const message = "Which folder is it for? Existing files stay unchanged.";
    const validate = (dir: string | undefined): string | undefined => folderFault(dir ?? "", directory);
    answers.dir = settled(
      await text({ ...terminal, message, initialValue: proposedFolder(answers.name, directory), validate }),
    ).trim();
  }
  return answers;
}

function proposedName(directory: string): string {
  try {
    return folderName(directory);
  } catch {
    return "server";
  }
}

/** Proposes the working directory if it is empty, else a folder with the server's name. */
function proposedFolder(name: string | undefined, directory: string): string {
  const isEmpty = readdirSync(directory).every((entry) => entry === ".git");
  return isEmpty || name === undefined ? "." : name;
}

function folderFault(dir: string, directory: string): string | undefined {
  if (dir.trim() === "") return "expected the path of a folder; . is the one you are in";
  const there = contractIn(resolve(directory, dir.trim()));
  return there === undefined
    ? undefined
    : `${there} is there already: run \`mcpgen init server ${dir.trim()}\``;
}
