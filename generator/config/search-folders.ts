import { existsSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The home folder of the user, links resolved; the one that the system knows where no variable names it. */
export function homeFolder({ HOME, USERPROFILE }: Readonly<Record<string, string | undefined>>): string {
  const home = HOME || USERPROFILE || homedir();
  return existsSync(home) ? realpathSync(home) : home;
}

/**
 * The folders in which configuration of a project may lie, the nearest first: from `directory` up to the project's root, and
 * never beyond the home folder. The root is the nearest folder with `.git`; without one, the nearest with package.json.
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

/** A folder and those around it, the nearest first. */
export function foldersUpFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}
