import { dirname, resolve } from "node:path";
import { WriteRoot } from "../files/held-folder.js";
import type { Arguments, CommandContext } from "./command.js";
import {
  type LoadedConfig,
  type ContractConfig,
  type GeneratedContract,
  isJsonConfig,
  loadConfig,
  noConfig,
  generatedContracts,
} from "../config/config.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { type JsonObject, naturalCompare, pointer } from "@mcpgen/engine";
import { isNpmName } from "../print/text.js";
import type { PackageManifest } from "../targets/typescript/emitter.js";
import { type StoredExtension, newestExtensions, hasSchemas } from "../extension/extension-store.js";
import type { GenerateRequest } from "../pipeline/generate.js";
import { type RevisionSource, storedRevision } from "../revision/revision-source.js";
import { readableManifest } from "../files/plan.js";
import {
  type Lock,
  type LockContent,
  readLock,
  readVocabulary,
  ownSchemaFolder,
  protocolPackage,
  expectRevision,
} from "../revision/lock.js";
import { expectRevisionName } from "../notes/note.js";
import { contractIn } from "../contract/contract.js";
import type { ContractRole } from "../contract/emit/names.js";
import { shownPath, shellLine } from "../print/terminal-text.js";
import { isServerSource, shownSource } from "../capture/server-source.js";

/** The folders and the configuration a command works with. */
export interface Project {
  readonly loaded: LoadedConfig;
  readonly schemaDir: string;
  readonly outDir: string;
  /** Whether the user named the output folder on the command line. */
  readonly isOutNamed: boolean;
  /** The user's templates, which replace the shipped ones. */
  readonly templatesDir: string | undefined;
  /** The extension of relative imports in output. */
  readonly importExtension: "js" | "ts";
}

/** A running command and the project it works in. */
export interface ProjectRun {
  readonly args: Arguments;
  readonly project: Project;
  readonly context: CommandContext;
}

interface ProjectOptions {
  /**
   * Whether the command works without configuration, as `docs` does. Untrusted configuration is then ignored,
   * otherwise an error, as for `generate`. Default: false.
   */
  readonly optional?: boolean;
  /** Whether it renders templates. */
  readonly renders?: boolean;
}

/**
 * Opens the project. Options override the configuration file, which overrides the defaults.
 *
 * @throws CodedError MG21xx for configuration that cannot be read or is not trusted
 */
export async function openProject(
  args: Arguments,
  context: CommandContext,
  options: ProjectOptions = {},
): Promise<Project> {
  const { directory, console } = context;
  const loaded = await believedConfig(args, context, options);
  const { config, folder, file } = loaded;
  console.detail(file === undefined ? "no configuration file" : `configuration: ${file}`);
  const out = args.string("out");
  const templates = args.string("templates");
  const extension = args.string("import-extension") as Project["importExtension"] | undefined;
  return {
    loaded,
    schemaDir: resolve(folder, config.schema ?? "schema"),
    outDir: out === undefined ? resolve(folder, config.out ?? "generated") : resolve(directory, out),
    isOutNamed: out !== undefined,
    templatesDir:
      templates === undefined
        ? config.templates && resolve(folder, config.templates)
        : resolve(directory, templates),
    importExtension: extension ?? config.importExtension ?? "js",
  };
}

/** Loads the configuration if it is trusted. */
async function believedConfig(
  args: Arguments,
  { directory, trust }: CommandContext,
  { optional = false, renders = false }: ProjectOptions,
): Promise<LoadedConfig> {
  const named = args.string("config");
  if (!trust.usesConfig) return noConfig(directory);
  const isBelieved = async (file: string, pointer?: string): Promise<boolean> => {
    const subject = { file, folder: dirname(file), ...(pointer !== undefined && { pointer }) };
    if (optional) return trust.admits(subject);
    await trust.expect(subject);
    return true;
  };
  const loaded = await loadConfig(directory, { home: trust.home, admitsConfig: isBelieved }, named);
  const { templates, ...others } = loaded.config;
  if (!renders || templates === undefined || loaded.file === undefined || args.given("templates"))
    return loaded;
  const place = isJsonConfig(loaded.file) ? "/templates" : undefined;
  return (await isBelieved(loaded.file, place)) ? loaded : { ...loaded, config: others };
}

/**
 * The folder below which output may be written.
 *
 * @param force also allows a folder outside the project
 * @throws CodedError MG3009 if the configuration names a folder outside the project
 */
export function outputRoot(
  { outDir, isOutNamed }: Pick<Project, "outDir" | "isOutNamed">,
  { loaded }: Project,
  { directory }: CommandContext,
  force: boolean,
): WriteRoot {
  return isOutNamed
    ? WriteRoot.named(outDir, directory)
    : WriteRoot.ofProject(outDir, loaded.folder, { force });
}

/** The folder below which schemas may be written. Errors as for `outputRoot`. */
export function schemaRoot({ schemaDir, loaded }: Project): WriteRoot {
  return WriteRoot.ofProject(schemaDir, loaded.folder);
}

/** What to generate in one run. */
export interface OutputRequest {
  readonly request: GenerateRequest;
  /** The options that affect the output, as recorded in the manifest. */
  readonly options: JsonObject;
  /** Whether only a part of the output is requested. */
  readonly partial: boolean;
}

/**
 * Combines the command line and the configuration.
 *
 * @param locked the pinned revisions and vocabulary; default: those of the schema folder
 * @throws CodedError MG2005 for conflicting options, MG2010 for unknown revisions
 */
export function outputRequest(
  args: Arguments,
  project: Project,
  directory: string,
  locked: Pick<LockContent, "revisions" | "vocabulary"> = lockedIn(project.schemaDir),
): OutputRequest {
  const { revisions: lock } = locked;
  refuseRoot(project.outDir);
  const { templatesDir, importExtension } = project;
  const only = args.list("only");
  const packageManifest = packageManifestOf(args, project);
  const notes = !args.flag("no-notes");
  const extensions = newestExtensions(project.schemaDir);
  const basePackage = basePackageOf(args, extensions, lock);
  const schemaDir = basePackage === undefined ? project.schemaDir : ownSchemaFolder;
  const wanted = basePackage === undefined ? sourcesOf(args, project, directory, lock) : ownRevisions(notes);
  const kept = keptSources(args, wanted, project, lock);
  const vocabulary = basePackage === undefined ? locked.vocabulary : readVocabulary(ownSchemaFolder);
  return {
    request: {
      sources: [...wanted, ...kept].sort((a, b) => naturalCompare(a.revision, b.revision)),
      ...(kept.length > 0 && { kept: kept.map(({ revision }) => revision) }),
      ...(basePackage !== undefined && { basePackage }),
      vocabulary,
      extensions,
      schemaDir,
      importExtension,
      ...(only && { only }),
      ...(templatesDir && { templatesDir }),
      ...(packageManifest && { packageManifest }),
    },
    options: {
      importExtension,
      notes,
      ...(basePackage !== undefined && { basePackage }),
      ...(packageManifest && { package: packageManifest }),
      ...(templatesDir && { templates: true }),
    },
    partial: only !== undefined,
  };
}

/** The revisions and the vocabulary in the lock of a schema folder. */
function lockedIn(schemaDir: string): Pick<LockContent, "revisions" | "vocabulary"> {
  const revisions = readLock(schemaDir);
  return { revisions, vocabulary: readVocabulary(schemaDir, revisions) };
}

/**
 * The package that provides the revisions, if the schema folder has only extensions and no other package is
 * requested.
 */
function basePackageOf(
  args: Arguments,
  extensions: readonly StoredExtension[],
  lock: Lock,
): string | undefined {
  return lock.size > 0 || extensions.length === 0 || asksForRevision(args) ? undefined : protocolPackage;
}

/** Whether the command line names revisions, or a schema file. */
export function asksForRevision(args: Arguments): boolean {
  return args.given("revision") || args.given("schema");
}

/** The revisions shipped with mcpgen. */
function ownRevisions(notes: boolean): RevisionSource[] {
  return [...readLock(ownSchemaFolder)].map(([revision, { status }]) =>
    storedRevision(ownSchemaFolder, revision, status, notes),
  );
}

/** A request that generates only extensions, over the revisions shipped with mcpgen. */
export function extensionsAlone(extensions: readonly StoredExtension[]): GenerateRequest {
  return {
    ...{ sources: ownRevisions(true), basePackage: protocolPackage, extensions },
    ...{ vocabulary: readVocabulary(ownSchemaFolder) },
    ...{ schemaDir: ownSchemaFolder, importExtension: "js" },
  };
}

/** Members of package.json that the generator decides; the configuration must not set them. */
const decided = ["type", "sideEffects", "engines", "files", "exports"];

/** The package.json that `--package` or the configuration asks for. `--package` replaces only the name. */
function packageManifestOf(args: Arguments, { loaded }: Project): PackageManifest | undefined {
  const given = args.string("package");
  const configured = loaded.config.package;
  const members = typeof configured === "object" ? (configured as PackageManifest) : undefined;
  const name = given ?? members?.name ?? (configured as string | undefined);
  if (name === undefined) return undefined;
  const place = loaded.file === undefined ? {} : { place: { file: loaded.file, pointer: "/package" } };
  if (!isNpmName(name))
    throw new CodedError(
      given === undefined ? "MG2103" : "MG2004",
      `expected ${given === undefined ? "package" : "--package"} to be a name that npm allows, got ${JSON.stringify(name)}`,
      {
        ...(given === undefined && place),
        next: "Use lower case letters, digits, - and ., with or without a scope: @scope/name.",
      },
    );
  const clash = decided.find((key) => members !== undefined && Object.hasOwn(members, key));
  if (clash !== undefined)
    throw new CodedError("MG2102", `package.${clash} is decided by the output`, {
      ...place,
      next: `Remove ${JSON.stringify(clash)} from "package".`,
    });
  return { ...members, name };
}

function sourcesOf(args: Arguments, project: Project, directory: string, lock: Lock): RevisionSource[] {
  const { schemaDir, loaded } = project;
  const file = args.string("schema");
  const named = args.strings("revision") ?? (file === undefined ? loaded.config.revisions : undefined);
  const revisions = named ?? (file === undefined ? [...lock.keys()] : []);
  const sources = [...new Set(revisions)].map((revision) =>
    storedRevision(schemaDir, revision, expectRevision(lock, revision).status, !args.flag("no-notes")),
  );
  if (file !== undefined) sources.push(extraSource(args, file, directory, sources));
  if (sources.length === 0) {
    throw new CodedError("MG2010", "there is no revision to generate", {
      place: { file: schemaDir },
      next: `${fromContract(directory)}Bring one in with \`mcpgen revision add FILE\`, or an extension with \`mcpgen extension add FILE --id ID\`; or name a file with --schema and --name. In a project of \`mcpgen init\`, run it where mcpgen.config.json is.`,
    });
  }
  return sources;
}

/** Advice: how to use a contract that the configuration does not name. */
function fromContract(directory: string): string {
  const contract = contractIn(directory);
  return contract === undefined
    ? "From a contract: `mcpgen generate --contract FILE --out DIR`. "
    : `To compare ${contract} with a server: \`mcpgen check --server SOURCE\`. To generate from it: \`mcpgen generate --contract ${contract} --out src/generated\`. `;
}

/**
 * Sources of the revisions that stay in the output folder unchanged, because the command line names others.
 *
 * @throws CodedError MG3007 for output of a revision whose schema is not stored
 */
function keptSources(
  args: Arguments,
  wanted: readonly RevisionSource[],
  { schemaDir, outDir }: Project,
  lock: Lock,
): RevisionSource[] {
  if (!asksForRevision(args)) return [];
  const named = new Set(wanted.map(({ revision }) => revision));
  const others = Object.keys(readableManifest(outDir)?.inputs ?? {}).filter((name) => !named.has(name));
  const unknown = others.filter((name) => !lock.has(name));
  if (unknown.length > 0) {
    throw new CodedError("MG3007", `the output of ${unknown.join(", ")} would be lost`, {
      place: { file: outDir },
      next: `Choose another folder with --out, or add its schema: \`mcpgen revision add FILE --name ${unknown[0]}\`.`,
    });
  }
  return others.map((name) =>
    storedRevision(schemaDir, name, expectRevision(lock, name).status, !args.flag("no-notes")),
  );
}

function extraSource(
  args: Arguments,
  file: string,
  directory: string,
  others: readonly RevisionSource[],
): RevisionSource {
  const revision = expectRevisionName(args.required("name"));
  if (others.some((other) => other.revision === revision)) {
    throw new CodedError("MG2005", `--name ${revision} and --revision ${revision} are the same revision`, {
      next: "Give one of them another name.",
    });
  }
  const notesFile = args.string("notes");
  return {
    revision,
    status: "draft",
    schemaFile: resolve(directory, file),
    ...(notesFile !== undefined && { notesFile: resolve(directory, notesFile) }),
    ...(args.flag("no-notes") && { withoutNotes: true }),
  };
}

/** Rejects the root of a file system as output folder: reading all of it would take hours. */
export function refuseRoot(outDir: string): void {
  if (dirname(outDir) !== outDir) return;
  throw new CodedError("MG3002", "expected a folder, got the root of the file system", {
    place: { file: outDir },
    next: "Choose another output folder with --out.",
  });
}

/** A contract to generate from, and its output folder. */
export interface ContractTarget {
  readonly file: string;
  /** The file in messages. */
  readonly shown: string;
  readonly outDir: string;
  /** Whether the user named the output folder on the command line. */
  readonly isOutNamed: boolean;
  readonly role: ContractRole;
  /**
   * Whether the JSON Schema keyword `format` is validated ("assertion") or only descriptive ("annotation").
   */
  readonly formats?: "annotation" | "assertion";
  /** The folder that file references in schemas may point into. */
  readonly base?: string;
}

/** Options that apply only to output of schemas, not of contracts. */
const protocolOptions = ["schema", "only", "name", "notes", "package", "revision"] as const;

/**
 * Selects the contracts of a command: the named one, else those of the configuration.
 *
 * @throws CodedError MG2005 for conflicting options, MG2103 if two outputs use the same folder
 */
export function contractTargets(
  args: Arguments,
  project: Project,
  context: CommandContext,
): ContractTarget[] {
  const named = args.string("contract");
  if (named === undefined) {
    const stray = ["formats", "base", "role"].find((option) => args.given(option));
    if (stray !== undefined)
      throw new CodedError("MG2005", `--${stray} needs --contract`, {
        next: `Name the contract file, too; or write ${stray} beside it in the configuration.`,
      });
    return asksForRevision(args) || args.given("only") ? [] : configured(project, context);
  }
  refuseProtocolOptions(args);
  const { outDir } = project;
  refuseRoot(outDir);
  refuseServer(named);
  const { directory } = context;
  const role = (args.string("role") as ContractRole | undefined) ?? "both";
  const formats = args.string("formats") as ContractTarget["formats"];
  const base = args.string("base");
  const contract: GeneratedContract = {
    ...{ file: named, out: outDir, role },
    ...(formats && { formats }),
    ...(base !== undefined && { base }),
  };
  return [{ ...targetOf(contract, directory, directory), isOutNamed: true }];
}

/** @param folder the folder that the paths of the contract start from */
function targetOf(
  { file, out, role, formats, base }: GeneratedContract,
  folder: string,
  directory: string,
): ContractTarget {
  const path = resolve(folder, file);
  return {
    ...{ file: path, shown: shownPath(path, directory), outDir: resolve(folder, out), role },
    isOutNamed: false,
    ...(formats && { formats }),
    ...(base !== undefined && { base: resolve(folder, base) }),
  };
}

function refuseProtocolOptions(args: Arguments): void {
  const clash = protocolOptions.find((option) => args.given(option));
  if (clash !== undefined) {
    throw new CodedError("MG2005", `--contract and --${clash} exclude each other`, {
      next: "Generate from the contract and from schemas in two runs.",
    });
  }
  if (args.string("out") === undefined)
    throw new CodedError("MG2005", "--contract needs --out", {
      next: "Say which folder the output is for: --out DIR.",
    });
}

/**
 * Rejects a server or standard input as a contract: `check` compares the output with its contract later, and
 * needs a file.
 */
function refuseServer(source: string): void {
  if (source !== "-" && !isServerSource(source)) return;
  throw new CodedError(
    "MG2004",
    `expected --contract to be a file, got ${JSON.stringify(shownSource(source))}`,
    {
      next:
        source === "-"
          ? "Write the contract to a file first."
          : `Capture it first: \`${shellLine(["mcpgen", "capture", shownSource(source), "--out", "FILE"])}\`.`,
    },
  );
}

function configured({ loaded, outDir, schemaDir }: Project, { directory }: CommandContext): ContractTarget[] {
  const { config, folder, file: configFile } = loaded;
  const generated = generatedContracts(config);
  const targets = generated.map((contract) => targetOf(contract, folder, directory));
  const protocol = hasSchemas(schemaDir) ? [outDir] : [];
  for (const [index, target] of targets.entries()) {
    refuseRoot(target.outDir);
    const others = [...protocol, ...targets.slice(0, index).map((other) => other.outDir)];
    if (!others.includes(target.outDir)) continue;
    throw new CodedError("MG2103", `expected a separate folder for ${target.shown}, got one that is in use`, {
      place: {
        ...(configFile !== undefined && { file: configFile }),
        pointer: pointer("", "contracts", config.contracts!.indexOf(generated[index]!), "out"),
      },
      next: "Write another folder; it may be a subfolder of the others.",
    });
  }
  return targets;
}

/** A contract of the configuration whose server is known. */
export type ServedContract = ContractConfig & { readonly server: string };

/** The contracts of the configuration that name their server. */
export function servedContracts({ loaded }: Project): ServedContract[] {
  return (loaded.config.contracts ?? []).filter(
    (contract): contract is ServedContract => contract.server !== undefined,
  );
}

/** Whether the project has only contracts. It then needs no schema folder. */
export function isContractsOnly(
  args: Arguments,
  { schemaDir }: Project,
  targets: readonly ContractTarget[],
): boolean {
  if (targets.length === 0) return false;
  return args.string("contract") !== undefined || !hasSchemas(schemaDir);
}
