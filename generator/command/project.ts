import { dirname, relative, resolve, sep } from "node:path";
import type { Arguments } from "./arguments.js";
import type { CommandContext } from "./context.js";
import { type LoadedConfig, loadConfig } from "../config/load-config.js";

/** The folders and the configuration a command works with. */
export interface Project {
  readonly loaded: LoadedConfig;
  readonly schemaDir: string;
  readonly outDir: string;
}

/** Options win over the configuration file, and that over the defaults. */
export async function openProject(args: Arguments, { directory, console }: CommandContext): Promise<Project> {
  const loaded = await loadConfig(directory, args.string("config"));
  const { config, folder, file } = loaded;
  console.detail(file === undefined ? "no configuration file" : `configuration: ${file}`);
  const out = args.string("out");
  return {
    loaded,
    schemaDir: resolve(folder, config.schema ?? "schema"),
    outDir: out === undefined ? resolve(folder, config.out ?? "generated") : resolve(directory, out),
  };
}

/** The folder that holds both schemas and output: what concerns both is written there, as one. */
export function commonFolder({ schemaDir, outDir }: Project): string {
  let folder = schemaDir;
  while (!contains(folder, outDir)) folder = dirname(folder);
  return folder;
}

function contains(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`);
}
