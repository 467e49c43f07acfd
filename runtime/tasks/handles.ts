import { createHash, randomUUID } from "node:crypto";
import { type Stats, constants } from "node:fs";
import { lstat, mkdir, open, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { McpError } from "@mcpgen/runtime";
import type { HandleStore, StoredHandle } from "./client/handle-store.js";

export interface FileHandlesOptions {
  /**
   * Receives an error (`store-failed`) for each file without a valid handle; `all()` then returns the others. Default: emits
   * a process warning.
   */
  readonly onCorrupt?: (error: McpError) => void;
}

/**
 * Stores handles in a folder, one file for each task, which only the user can read. Replaces files atomically: a process
 * that ends during a write leaves the old file. Refuses a folder or file that another user owns or can change, and symbolic
 * links, because the files contain answers of the user, which are sent to the server that a file names.
 *
 * @param folder is created if it does not exist
 * @throws {McpError} its functions: `store-failed` if other users own or can change the folder
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
      // A task may end during the read: skip its missing file.
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

/** Parses a handle. Returns `undefined` if the text is not a valid one. */
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

/** Checks the owner and mode of the folder. Resolves with whether it exists. */
async function expectOwnFolder(folder: string): Promise<boolean> {
  const found = await unlessAbsent(lstat(folder), undefined);
  if (!found) return false;
  if (!found.isDirectory()) throw new McpError("store-failed", `${folder} is no folder, or a link to one`);
  const fault = faultOf(found);
  if (fault !== undefined) throw new McpError("store-failed", `${folder} ${fault}`);
  return true;
}

/** Reads a regular file of this user. Resolves with an empty text, which is not a handle, for any other file. */
async function readOwn(path: string): Promise<string> {
  const { O_RDONLY, O_NONBLOCK = 0, O_NOFOLLOW = 0 } = constants;
  let file;
  try {
    // Opening a pipe would block without `O_NONBLOCK`.
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
