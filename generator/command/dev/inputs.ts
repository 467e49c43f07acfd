import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import type { Inputs } from "../../dev/watched-files.js";
import { hasSchemas } from "../../extension/extension-store.js";
import type { Project } from "../project.js";
import { userFiles } from "../sync/user-files.js";

/** The files that the output of a project, and its server, are made from. */
export interface ProjectInputs extends Inputs {
  /** Code and settings of the user: nothing is generated from them. */
  readonly code: ReadonlySet<string>;
}

/** Lists the inputs of a project as they lie on the disk now. */
export function inputsOf({ loaded, schemaDir, outDir }: Project): ProjectInputs {
  const { config, folder, file } = loaded;
  const contracts = config.contracts ?? [];
  const outs = [
    ...contracts.map(({ out }) => resolve(folder, out)),
    ...(hasSchemas(schemaDir) ? [outDir] : []),
  ];
  const { code, settings } = userFiles(folder, new Set(outs));
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

/** The folders of the files, and those above them up to the project's: further files may appear there. */
function foldersOf(files: readonly string[], root: string): Set<string> {
  const folders = new Set([root]);
  for (const file of files)
    for (let folder = dirname(file); !folders.has(folder); folder = dirname(folder)) {
      folders.add(folder);
      if (relative(root, folder).startsWith("..")) break;
    }
  return folders;
}

function filesIn(folder: string): string[] {
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
