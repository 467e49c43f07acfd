import { createHash, randomUUID } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { McpError } from "@mcpgen/runtime";
import type { HandleStore, StoredHandle } from "./client/handle-store.js";

export interface FileHandlesOptions {
  /**
   * Gets the error of each file that holds no handle (`store-failed`), while `all()` reads the others. Default: a warning of
   * the process.
   */
  readonly onCorrupt?: (error: McpError) => void;
}

/**
 * Keeps handles in files of one folder, one for each task, which only the user may read. A file is replaced as a whole: a
 * process that ends in between leaves the old one. A folder or file that another user owns or can change is refused, and no
 * symbolic link is followed: answers of the user are in the files, and go to the server that a file names.
 *
 * @param folder made if it does not exist
 * @throws {McpError} its functions: `store-failed` for a folder that is not this user's alone
 */
export function fileHandles(folder: string, options: FileHandlesOptions = {}): Required<HandleStore> {
  const { onCorrupt = (error: McpError): void => process.emitWarning(error) } = options;
  const pathOf = ({ endpoint = "", taskId }: StoredHandle): string => {
    const name = createHash("sha256")
      .update(JSON.stringify([endpoint, taskId]))
      .digest("hex");
    return join(folder, `${name}.json`);
  };
  return {
    put: async (handle) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await expectOwnFolder(folder);
      await replace(pathOf(handle), JSON.stringify(handle));
    },
    delete: async (handle) => {
      if (await expectOwnFolder(folder)) await rm(pathOf(handle), { force: true });
    },
    all: async () => {
      const names = (await expectOwnFolder(folder)) ? await unlessAbsent(readdir(folder), []) : [];
      const paths = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
      // A task that ended meanwhile has no file.
      const texts = await Promise.all(paths.map((path) => unlessAbsent(readOwn(path), undefined)));
      return texts.flatMap((text, index) => {
        if (text === undefined) return [];
        const handle = parsed(text);
        if (handle) return [handle];
        const message = `${paths[index]!}: the file holds no handle of a task. Remove it: the task goes on without it`;
        onCorrupt(new McpError("store-failed", message));
        return [];
      });
    },
  };
}

/** The handle that a text holds; `undefined` if it holds none. */
function parsed(text: string): StoredHandle | undefined {
  try {
    const { taskId, answers } = JSON.parse(text) as Partial<StoredHandle>;
    const isHandle =
      typeof taskId === "string" && typeof answers === "object" && (answers as object | null) !== null;
    return isHandle ? (JSON.parse(text) as StoredHandle) : undefined;
  } catch {
    return undefined;
  }
}

/** Resolves with whether the folder is there. */
async function expectOwnFolder(folder: string): Promise<boolean> {
  const found = await unlessAbsent(lstat(folder), undefined);
  if (!found) return false;
  if (!found.isDirectory()) throw new McpError("store-failed", `${folder} is no folder, or a link to one`);
  const fault = faultOf(found);
  if (fault !== undefined) throw new McpError("store-failed", `${folder} ${fault}`);
  return true;
}

/** The text of a regular file of this user; an empty one, which holds no handle, for another. */
async function readOwn(path: string): Promise<string> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file;
  try {
    // A pipe in place of a file would be waited for.
    file = await open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW);
    const found = await file.stat();
    return found.isFile() && faultOf(found) === undefined ? await file.readFile("utf8") : "";
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ELOOP") return "";
    throw error;
  } finally {
    await file?.close();
  }
}

function faultOf({ uid, mode }: Stats): string | undefined {
  if (process.getuid === undefined) return undefined;
  if (uid !== process.getuid()) return "belongs to another user";
  return (mode & 0o022) === 0 ? undefined : "can be changed by other users";
}

async function replace(path: string, text: string): Promise<void> {
  const next = `${path}.${randomUUID()}`;
  try {
    const file = await open(next, "wx", 0o600);
    try {
      await file.writeFile(text);
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

async function unlessAbsent<Value, Other>(read: Promise<Value>, other: Other): Promise<Value | Other> {
  try {
    return await read;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return other;
    throw error;
  }
}
