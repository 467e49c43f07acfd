import { dirname, resolve } from "node:path";
import { WriteRoot } from "../files/write-root.js";
import type { Arguments } from "./arguments.js";
import type { CommandContext } from "./context.js";
import { type LoadedConfig, isJsonConfig, loadConfig, noConfig } from "../config/load-config.js";
import { CodedError } from "../diagnostics/coded-error.js";

/** The folders and the configuration a command works with. */
export interface Project {
  readonly loaded: LoadedConfig;
  readonly schemaDir: string;
  readonly outDir: string;
  /** Whether the user named the output folder on the command line. */
  readonly isOutNamed: boolean;
  /** The user's templates, in place of the shipped ones. */
  readonly templatesDir: string | undefined;
  /** The extension of relative imports in output. */
  readonly importExtension: "js" | "ts";
}

/** A command at work in a project. */
export interface ProjectRun {
  readonly args: Arguments;
  readonly project: Project;
  readonly context: CommandContext;
}

export interface ProjectOptions {
  /** Whether the command can do without configuration: then what is not trusted is left out. Default: it cannot. */
  readonly optional?: boolean;
  /** Whether it renders templates. */
  readonly renders?: boolean;
}

/**
 * Options win over the configuration file, and that over the defaults.
 *
 * @throws CodedError MG21xx for configuration that cannot be read, or is not trusted
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

/** The configuration, as far as it is trusted. */
async function believedConfig(
  args: Arguments,
  { directory, trust }: CommandContext,
  { optional = false, renders = false }: ProjectOptions,
): Promise<LoadedConfig> {
  const named = args.string("config");
  if (!trust.usesConfig) {
    if (named === undefined) return noConfig(directory);
    throw new CodedError("MG2005", "--config and --no-config exclude each other", {
      next: "Leave one of them out.",
    });
  }
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
 * Where output may be written.
 *
 * @param force writes outside of the project, too
 * @throws CodedError MG3009 for a folder of the configuration that lies outside of the project
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

/** Where schemas may be written; errors as `outputRoot`. */
export function schemaRoot({ schemaDir, loaded }: Project): WriteRoot {
  return WriteRoot.ofProject(schemaDir, loaded.folder);
}
