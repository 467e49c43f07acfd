import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { McpError } from "@mcpgen/runtime";
import type { HandleStore, StoredHandle } from "./handle-store.js";

export interface FileHandlesOptions {
  /**
   * Gets the error of each file that holds no handle (`store-failed`), while `all()` reads the others. Default: a warning of
   * the process.
   */
  readonly onCorrupt?: (error: McpError) => void;
}

/**
 * Keeps handles in files of one folder, one for each task, which only the user may read. A file is replaced as a whole: a
 * process that ends in between leaves the old one.
 *
 * @param folder made if it does not exist
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
      await replace(pathOf(handle), JSON.stringify(handle));
    },
    delete: (handle) => rm(pathOf(handle), { force: true }),
    all: async () => {
      const names = await unlessAbsent(readdir(folder), []);
      const paths = names.filter((name) => name.endsWith(".json")).map((name) => join(folder, name));
      // A task that ended meanwhile has no file.
      const texts = await Promise.all(paths.map((path) => unlessAbsent(readFile(path, "utf8"), undefined)));
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
