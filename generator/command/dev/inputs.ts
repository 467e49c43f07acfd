import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { generatedContracts } from "../../config/config.js";
import type { Inputs } from "../../dev/watched-files.js";
import { hasSchemas } from "../../extension/extension-store.js";
import type { Project } from "../project.js";
import { userFiles } from "../../files/user-files.js";

/** The files that the project's output and its server are made from. */
export interface ProjectInputs extends Inputs {
  /** Code and settings of the user, from which nothing is generated. */
  readonly code: ReadonlySet<string>;
}

/** The output folders of a project: those of its contracts, and that of its schemas if it has any. */
export function outputFolders({ loaded, schemaDir, outDir }: Project): string[] {
  const { config, folder } = loaded;
  return [
    ...generatedContracts(config).map(({ out }) => resolve(folder, out)),
    ...(hasSchemas(schemaDir) ? [outDir] : []),
  ];
}

/** Lists the inputs of a project as they lie on the disk now. */
export function inputsOf(project: Project): ProjectInputs {
  const { loaded, schemaDir } = project;
  const { config, folder, file } = loaded;
  const contracts = config.contracts ?? [];
  const { code, settings } = userFiles(folder, new Set(outputFolders(project)));
  const own = new Set([...code, ...settings].filter((path) => path !== file));
  const sources = [
    ...(file === undefined ? [] : [file]),
    ...contracts.map((contract) => resolve(folder, contract.file)),
    ...contracts.flatMap(({ base }) => (base === undefined ? [] : filesIn(resolve(folder, base)))),
    ...(config.templates === undefined ? [] : filesIn(resolve(folder, config.templates))),
    ...(hasSchemas(schemaDir) ? filesIn(schemaDir) : []),
  ];
  const files = [...new Set([...own, ...sources])];
  return { files, folders: [...foldersOf(files, folder)], code: own };
}

/**
 * The folders to watch: those of the files, and their parents up to the project's folder. New files may
 * appear there.
 */
export function foldersOf(files: readonly string[], root: string): Set<string> {
  const folders = new Set([root]);
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) {
      folders.add(folder);
      if (relative(root, folder).startsWith("..")) break;
    }
  return folders;
}

/** The files below a folder without hidden ones; an empty list if it cannot be read. */
export function filesIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.flatMap((entry) => {
      if (entry.name.startsWith(".") || entry.name === "node_modules") return [];
      const path = join(folder, entry.name);
      return entry.isDirectory() ? filesIn(path) : [path];
    });
  } catch {
    return [];
  }
}
