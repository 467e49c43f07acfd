import { type Stats, lstatSync, realpathSync } from "node:fs";
import { dirname } from "node:path";

/** A file or folder that another user could have written. */
export interface Stranger {
  readonly path: string;
  /** What is wrong with it, as the rest of a sentence about the path. */
  readonly why: string;
}

/** The ids of the process's user and of that user's group; undefined on platforms without. */
export interface UserIds {
  readonly user: number;
  readonly group: number;
}

/** The id of the superuser, who can change every file anyway. */
const root = 0;

/** @returns undefined on Windows, where the access rights of the user's folders keep others out */
export function processUser(): UserIds | undefined {
  const { getuid, getgid } = process;
  return getuid && getgid && { user: getuid(), group: getgid() };
}

/**
 * Who else could have written the text of a file: it belongs to another user than this one and the superuser, or others may
 * change it. Others may change what everybody may write, and what a group may write; not the group that has this user's number,
 * as systems make one for each user (`umask 002` goes with it).
 *
 * @param file absolute; a link is judged, and the file that it leads to
 */
export function writerOf(file: string, user: UserIds | undefined = processUser()): Stranger | undefined {
  return user && strangerAmong([file, realpathSync(file)], new Set(), user);
}

/**
 * The same for a file that is to run, which is opened after it was judged: no folder on the way to it may be another user's either.
 * In a folder with the sticky bit, such as /tmp, users can replace their own files only.
 *
 * @param known paths in which no other user can write, as judged before; it grows
 */
export function strangerAt(
  file: string,
  known = new Set<string>(),
  user: UserIds | undefined = processUser(),
): Stranger | undefined {
  return user && strangerAmong([...wayTo(file), ...wayTo(realpathSync(file))], known, user);
}

function strangerAmong(paths: readonly string[], known: Set<string>, user: UserIds): Stranger | undefined {
  for (const path of paths) {
    if (known.has(path)) continue;
    const why = faultOf(lstatSync(path), user);
    if (why !== undefined) return { path, why };
    known.add(path);
  }
  return undefined;
}

function wayTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...wayTo(parent), path];
}

const [groupWrites, othersWrite, stickyBit] = [0o020, 0o002, 0o1000];

function faultOf(about: Stats, { user, group }: UserIds): string | undefined {
  const { uid, gid, mode } = about;
  if (uid !== user && uid !== root) return `belongs to another user (${uid})`;
  if (about.isSymbolicLink() || (about.isDirectory() && (mode & stickyBit) !== 0)) return undefined;
  if ((mode & othersWrite) !== 0) return "can be changed by every user of the machine";
  const isPrivate = gid === root || (gid === group && gid === user);
  if ((mode & groupWrites) !== 0 && !isPrivate) return `can be changed by the group ${gid}`;
  return undefined;
}
