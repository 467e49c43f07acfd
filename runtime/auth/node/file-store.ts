import { createHash, randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { TokenStore } from "../client/store.js";
import { lockFile } from "./file-lock.js";
import { readPlainFile } from "./plain-file.js";
import { expectOwn, inFolder, preparedFolder } from "./store-folder.js";

/** The default folder for tokens: `$XDG_STATE_HOME/mcpgen/tokens`, or its counterpart on other systems. */
export function tokenFolder(): string {
  const { XDG_STATE_HOME: state, LOCALAPPDATA: local } = process.env;
  const base = process.platform === "win32" ? local : state;
  // The XDG specification makes relative paths invalid: they would lead into the working directory.
  return join(base && isAbsolute(base) ? base : join(homedir(), ".local", "state"), "mcpgen", "tokens");
}

/**
 * Stores tokens in files of a folder that only the user can read. Refuses a file or folder that others can read or
 * replace, because its tokens must count as disclosed.
 *
 * @param folder default: `$XDG_STATE_HOME/mcpgen/tokens`
 * @throws {AuthError} its functions: `auth-store`
 */
export function fileStore(folder: string = tokenFolder()): TokenStore {
  const pathOf = (key: string): string => join(folder, createHash("sha256").update(key).digest("hex"));
  const put = async (path: string, value: string | undefined, expected?: string): Promise<boolean> => {
    await preparedFolder(folder, true);
    const unlock = await lockFile(`${path}.put`);
    try {
      if ((await readOwn(path)) !== expected) return false;
      if (value === undefined) await rm(path, { force: true });
      else await replace(path, value);
      return true;
    } finally {
      await unlock();
    }
  };
  const get = async (path: string): Promise<string | undefined> =>
    (await preparedFolder(folder, false)) ? readOwn(path) : undefined;
  const lock = async (path: string, signal: AbortSignal): Promise<() => Promise<void>> => {
    await preparedFolder(folder, true);
    return lockFile(path, signal);
  };
  return {
    get: (key) => inFolder(folder, () => get(pathOf(key))),
    put: (key, value, expected) => inFolder(folder, () => put(pathOf(key), value, expected)),
    lock: (key, signal) => inFolder(folder, () => lock(`${pathOf(key)}.lock`, signal)),
  };
}

const readOwn = (path: string): Promise<string | undefined> =>
  readPlainFile(path, (found) => expectOwn(path, found, 0o600));

async function replace(path: string, value: string): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  try {
    const file = await open(next, "wx", 0o600);
    try {
      await file.writeFile(value);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(next, path);
  } catch (error) {
    await rm(next, { force: true });
    throw error;
  }
}
