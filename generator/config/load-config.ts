import { existsSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type JsonValue, kindOf } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { type PlaceOf, placesIn, refuseFaults } from "../files/fault.js";
import { FileForm } from "../files/file-form.js";
import type { Config } from "./config.js";
import { configSchema } from "./config-schema.js";
import { readRegularFile } from "../files/regular-file.js";
import { searchFolders } from "./search-folders.js";

/** A configuration with the folder its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file, where there is one. */
  readonly file?: string;
  readonly folder: string;
}

/** The names that a configuration file may have. */
export const configNames: readonly string[] = ["mcpgen.config.json", "mcpgen.config.js", "mcpgen.config.ts"];

/** Decides which configuration is believed. */
export interface ConfigGate {
  /** The user's home folder: the search does not leave it. */
  readonly home: string;
  /**
   * Whether a configuration file may be read and, if it is code, run.
   *
   * @throws CodedError where the command cannot go on without it
   */
  admitsConfig(file: string): Promise<boolean>;
}

/** The configuration of a project that has none, or whose configuration is left out. */
export function noConfig(directory: string): LoadedConfig {
  return { config: {}, folder: directory };
}

/**
 * The configuration that holds in `directory`.
 *
 * @param named the file given with `--config`
 * @throws CodedError MG21xx
 */
export async function loadConfig(directory: string, gate: ConfigGate, named?: string): Promise<LoadedConfig> {
  const file = named === undefined ? findConfig(directory, gate.home) : resolve(directory, named);
  if (file === undefined) return noConfig(directory);
  if (!existsSync(file)) {
    throw new CodedError("MG2101", "there is no such file", {
      place: { file },
      next: "Check the path given with --config.",
    });
  }
  // Code that is no regular file has no content to trust, and importing it would wait for a pipe.
  if (!isJsonConfig(file)) expectRegularFile(file);
  if (!(await gate.admitsConfig(file))) return noConfig(directory);
  const config = isJsonConfig(file) ? await readJsonConfig(file) : await importConfig(file);
  return { config, file, folder: dirname(file) };
}

/** Whether a configuration file is JSON. All others are modules, which run. */
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

const form = new FileForm(configSchema, { unknownKey: "MG2102", wrongValue: "MG2103" });

/**
 * The configuration that `value` is.
 *
 * @throws CodedError MG2102 for a key that means nothing, MG2103 for a value that is not allowed
 */
export async function readConfig(value: JsonValue, placeOf: PlaceOf): Promise<Config> {
  await refuseFaults(form.faults(value), placeOf);
  return value as unknown as Config;
}

async function readJsonConfig(file: string): Promise<Config> {
  const { loadJson } = await import("../files/json-file.js");
  const json = await loadJson(file).catch((error: unknown) => {
    throw error instanceof CodedError ? asConfigError(error) : error;
  });
  return readConfig(json.value, placesIn(json));
}

/** @throws CodedError MG2101 for a configuration that is a pipe, a device or a folder */
function expectRegularFile(file: string): void {
  try {
    readRegularFile(file);
  } catch (error) {
    throw error instanceof CodedError ? asConfigError(error) : error;
  }
}

/** A configuration that is not JSON is a mistake of configuration: exit code 2, not 3. */
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

/** Standard output is for results: what a module prints there while it is imported goes to standard error. */
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
