import { createHash, randomUUID } from "node:crypto";
import { mkdir, open, readFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { HandleStore, StoredHandle } from "./handle-store.js";

/**
 * Keeps handles in files of one folder, one for each task, which only the user may read. A file is replaced as a whole: a
 * process that ends in between leaves the old one.
 *
 * @param folder made if it does not exist
 */
export function fileHandles(folder: string): Required<HandleStore> {
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
      const texts = names
        .filter((name) => name.endsWith(".json"))
        // A task that ended meanwhile has no file.
        .map((name) => unlessAbsent(readFile(join(folder, name), "utf8"), undefined));
      const found = (await Promise.all(texts)).filter((text) => text !== undefined);
      return found.map((text) => JSON.parse(text) as StoredHandle);
    },
  };
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
