import { type JsonValue, kindOf } from "@mcpgen/engine";
import { existsSync, realpathSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { CodedError } from "../diagnostics/coded-error.js";
import { type PlaceOf, placesIn, refuseFaults, FileForm } from "../files/file-form.js";
import { readRegularFile } from "../files/regular-file.js";
import { homedir } from "node:os";

/** The content of mcpgen.config.{json,js,ts}. Paths are relative to the file. */
export interface Config {
  /** Revisions to generate (default: all in the schema folder). */
  readonly revisions?: readonly string[];
  /** The schema folder (default: `schema`). */
  readonly schema?: string;
  /** The output folder (default: `generated`). */
  readonly out?: string;
  /**
   * Writes a package.json and a README.md into the output folder: the package name, or an object with further
   * members.
   */
  readonly package?: string | PackageConfig;
  /** Contracts to generate code from, each into a separate folder, or only to compare with their servers. */
  readonly contracts?: readonly ContractConfig[];
  /** Extension of relative imports in generated code (default: `js`). */
  readonly importExtension?: "js" | "ts";
  /** Folder with templates that replace shipped ones of the same name. */
  readonly templates?: string;
  /** Defaults of `mcpgen diff`. */
  readonly diff?: DiffConfig;
}

/**
 * Members of the output's package.json, e.g. `version`, `repository`, except those that the generator
 * decides.
 */
interface PackageConfig {
  readonly name: string;
  readonly [member: string]: unknown;
}

export interface ContractConfig {
  readonly file: string;
  /**
   * The folder for generated code. Without it, nothing is generated: `check` only compares the contract with
   * its server.
   */
  readonly out?: string;
  /** Required with `out`. */
  readonly role?: "client" | "server" | "both";
  /** Whether known `format`s are asserted (`assertion`), or only annotations (default). */
  readonly formats?: "annotation" | "assertion";
  /** Folder into which file references of schemas may lead; without it, none are followed. */
  readonly base?: string;
  /**
   * The contract's live server, which `mcpgen check` compares with it. Commands start in the configuration's
   * folder.
   */
  readonly server?: string;
}

export interface DiffConfig {
  readonly readers?: "open" | "closed";
  readonly failOn?: "breaking" | "dangerous" | "any" | "never";
  /** Severity by rule id. */
  readonly rules?: Readonly<Record<string, string>>;
}

/** A contract to generate code from. */
export type GeneratedContract = ContractConfig & Required<Pick<ContractConfig, "out" | "role">>;

/** The contracts in the configuration that code is generated from. */
export function generatedContracts({ contracts = [] }: Config): GeneratedContract[] {
  return contracts.filter((contract): contract is GeneratedContract => contract.out !== undefined);
}

/** The package name from the configuration. */
export function packageNameIn({ package: asked }: Config): string | undefined {
  return typeof asked === "object" ? asked.name : asked;
}

/** Types a configuration module: `export default defineConfig({ … })`. */
export function defineConfig(config: Config): Config {
  return config;
}

/** A configuration, with the folder that its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  /** The configuration file, if there is one. */
  readonly file?: string;
  readonly folder: string;
}

/** The possible names of a configuration file. */
export const configNames: readonly string[] = ["mcpgen.config.json", "mcpgen.config.js", "mcpgen.config.ts"];

/** Decides which configuration to trust. */
export interface ConfigGate {
  /** The user's home folder, at which the search ends. */
  readonly home: string;
  /**
   * Whether a configuration file may be read and, if it is code, run.
   *
   * @throws CodedError if the command cannot continue without it
   */
  admitsConfig(file: string): Promise<boolean>;
}

/** The configuration of a project without one, or with one that is ignored. */
export function noConfig(directory: string): LoadedConfig {
  return { config: {}, folder: directory };
}

/**
 * Loads the configuration that applies in `directory`.
 *
 * @param named the file of `--config`
 * @throws CodedError MG21xx
 */
export async function loadConfig(directory: string, gate: ConfigGate, named?: string): Promise<LoadedConfig> {
  const file = named === undefined ? findConfig(directory, gate.home) : resolve(directory, named);
  if (file === undefined) return noConfig(directory);
  expectPresent(file);
  // A module that is not a regular file has no content to trust, and importing a pipe would block.
  if (!isJsonConfig(file)) expectRegularFile(file);
  if (!(await gate.admitsConfig(file))) return noConfig(directory);
  const config = isJsonConfig(file) ? await readJsonConfig<Config>(file, form) : await importConfig(file);
  return { config, file, folder: dirname(file) };
}

/** Whether a configuration file is JSON. All others are modules, which are executed. */
export function isJsonConfig(file: string): boolean {
  return extname(file) === ".json";
}

/**
 * The nearest configuration file, from `directory` up to the root of the project or the home folder.
 *
 * @throws CodedError MG2101 for a folder with more than one
 */
export function findConfig(directory: string, home: string): string | undefined {
  for (const folder of searchFolders(directory, home)) {
    const [found, another] = configsIn(folder);
    if (another !== undefined)
      throw new CodedError("MG2101", `expected one configuration file, got ${configsIn(folder).length}`, {
        place: { file: another },
        next: `Delete it or ${found!}.`,
      });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The configuration files in a folder. */
export function configsIn(folder: string): string[] {
  return configNames.map((name) => join(folder, name)).filter((file) => existsSync(file));
}

/** Keys of earlier versions, and what to write today. docs/migration.md has the same rows. */
export const formerKeys = { "/plugins": "Leave it out: no command reads it." };

const form = new FileForm("config", { unknownKey: "MG2102", wrongValue: "MG2103", gone: formerKeys });

/**
 * Checks a value as a configuration.
 *
 * @throws CodedError MG2102 for an unknown key, MG2103 for an invalid value
 */
export async function readConfig(value: JsonValue, placeOf: PlaceOf): Promise<Config> {
  return judged<Config>(value, form, placeOf);
}

/** A value as what a form describes. */
async function judged<T>(value: JsonValue, by: FileForm, placeOf: PlaceOf): Promise<T> {
  await refuseFaults(by.faults(value), placeOf);
  return value as unknown as T;
}

/** @throws CodedError MG2101 for a file that is missing or not JSON, and those of the form */
export async function readJsonConfig<T>(file: string, by: FileForm): Promise<T> {
  expectPresent(file);
  const { loadJson } = await import("../files/json-file.js");
  const json = await loadJson(file).catch((error: unknown) => {
    throw error instanceof CodedError ? asConfigError(error) : error;
  });
  return judged<T>(json.value, by, placesIn(json));
}

function expectPresent(file: string): void {
  if (existsSync(file)) return;
  throw new CodedError("MG2101", "there is no such file", {
    place: { file },
    next: "Check the path given with --config.",
  });
}

/** @throws CodedError MG2101 for a configuration that is a pipe, a device or a folder */
function expectRegularFile(file: string): void {
  try {
    readRegularFile(file);
  } catch (error) {
    throw error instanceof CodedError ? asConfigError(error) : error;
  }
}

/** Converts a syntax error in a configuration file to a configuration error (exit code 2 instead of 3). */
function asConfigError(error: CodedError): CodedError {
  const { place, next } = error;
  return new CodedError("MG2101", error.message, {
    ...(place && { place }),
    ...(next && { next }),
    cause: error,
  });
}

async function importConfig(file: string): Promise<Config> {
  const module = await importModule(file);
  const value = module["default"];
  if (typeof value !== "object" || value === null) {
    const got =
      value === undefined
        ? "none"
        : typeof value === "object"
          ? kindOf(value as JsonValue)
          : `a ${typeof value}`;
    throw new CodedError("MG2101", `expected an object as the default export, got ${got}`, {
      place: { file },
      next: "Write `export default defineConfig({ … })`.",
    });
  }
  return readConfig(value as JsonValue, async (pointer) => ({ file, pointer }));
}

async function importModule(file: string): Promise<Record<string, unknown>> {
  try {
    return await withoutOutput(() => import(pathToFileURL(file).href) as Promise<Record<string, unknown>>);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION") {
      throw new CodedError("MG2104", `Node.js ${process.versions.node} cannot import TypeScript`, {
        place: { file },
        next: "Rename it to mcpgen.config.js, or use Node.js 22.18 or later.",
        cause: error,
      });
    }
    throw new CodedError("MG2101", `the file cannot be imported: ${(error as Error).message}`, {
      place: { file },
      next: "Correct the module; it runs as an ES module in Node.js.",
      cause: error,
    });
  }
}

/**
 * Redirects what a module prints during its import to standard error, because standard output is for results.
 */
async function withoutOutput<T>(work: () => Promise<T>): Promise<T> {
  const { stdout, stderr } = process;
  const original = Object.getOwnPropertyDescriptor(stdout, "write");
  stdout.write = stderr.write.bind(stderr);
  try {
    return await work();
  } finally {
    if (original) Object.defineProperty(stdout, "write", original);
    else Reflect.deleteProperty(stdout, "write");
  }
}

/** The user's home folder with links resolved; from the system if no variable names it. */
export function homeFolder({ HOME, USERPROFILE }: Readonly<Record<string, string | undefined>>): string {
  const home = HOME || USERPROFILE || homedir();
  return existsSync(home) ? realpathSync(home) : home;
}

/**
 * The folders to search for a project's configuration, nearest first: from `directory` up to the project's
 * root, and never beyond the home folder. The root is the nearest folder with `.git`, else the nearest with
 * package.json.
 *
 * @param home the user's home folder
 */
export function searchFolders(directory: string, home: string): string[] {
  const all = foldersUpFrom(directory);
  const below = all.slice(0, all.indexOf(home) + 1 || all.length);
  const end = [".git", "package.json"]
    .map((name) => below.findIndex((folder) => existsSync(join(folder, name))))
    .find((index) => index >= 0);
  return below.slice(0, (end ?? below.length) + 1);
}

/** A folder and its ancestors, nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}
