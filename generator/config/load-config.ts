import { existsSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type JsonValue, kindOf } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import type { Config } from "./config.js";
import type { PlaceOf } from "../files/json-shape.js";
import { readConfig } from "./read-config.js";

/** A configuration with the folder its paths are relative to. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file, where there is one. */
  readonly file?: string;
  readonly folder: string;
}

const fileNames = ["mcpgen.config.json", "mcpgen.config.js", "mcpgen.config.ts"];

/**
 * The configuration that holds in `directory`.
 *
 * @param named the file given with `--config`
 * @throws CodedError MG21xx
 */
export async function loadConfig(directory: string, named?: string): Promise<LoadedConfig> {
  const file = named === undefined ? findConfig(directory) : resolve(directory, named);
  if (file === undefined) return { config: {}, folder: directory };
  if (!existsSync(file)) {
    throw new CodedError("MG2101", "there is no such file", {
      place: { file },
      next: "Check the path given with --config.",
    });
  }
  const config = extname(file) === ".json" ? await readJsonConfig(file) : await importConfig(file);
  return { config, file, folder: dirname(file) };
}

/** The nearest configuration file, from `directory` upwards. */
export function findConfig(directory: string): string | undefined {
  const found = fileNames.map((name) => join(directory, name)).filter((file) => existsSync(file));
  if (found.length > 1) {
    throw new CodedError("MG2101", `expected one configuration file, got ${found.length}`, {
      place: { file: found[1]! },
      next: `Delete it or ${found[0]!}.`,
    });
  }
  if (found.length === 1) return found[0];
  const parent = dirname(directory);
  return parent === directory ? undefined : findConfig(parent);
}

async function readJsonConfig(file: string): Promise<Config> {
  const { loadJson } = await import("../files/json-file.js");
  const { value, text } = await loadJson(file).catch((error: unknown) => {
    throw error instanceof CodedError ? asConfigError(error) : error;
  });
  const placeOf: PlaceOf = async (pointer) => {
    const { positionOf } = await import("../files/positions.js");
    return { file, pointer, ...positionOf(text, pointer) };
  };
  return readConfig(value, placeOf);
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
