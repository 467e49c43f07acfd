import { constants, watch } from "node:fs";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { join, sep } from "node:path";
import { isUtf8 } from "node:buffer";

/** Bytes of a file that is served, 1 MiB: its contents are one message, which clients bound as well. */
export const mostBytes = 1024 * 1024;

/** A folder whose files may be read, and nothing outside it. */
export class Folder {
  readonly path: string;

  /** @param path real: without symbolic links */
  constructor(path: string) {
    this.path = path;
  }

  static async at(path: string): Promise<Folder> {
    return new Folder(await realpath(path));
  }

  /** Names of the files that are directly in it; of none when the folder is gone. */
  async names(): Promise<string[]> {
    const entries = await readdir(this.path, { withFileTypes: true }).catch(() => []);
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  }

  /**
   * Contents of a file, or nothing if there is none. `path` comes from the client: `..` and symbolic links
   * that lead out of the folder are resolved first and then refused like files that do not exist, so that
   * the answer does not show what is outside.
   *
   * @returns at most one byte more than `mostBytes`, by which a longer file is known
   */
  async read(path: string): Promise<Buffer | undefined> {
    try {
      const real = await realpath(join(this.path, path));
      return real.startsWith(this.path + sep) ? await contentOf(real) : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Calls `look` now and after each change with the name of the file that came, went or changed: one call
   * after the other, so that none acts on what is no longer so. Resolves after the first.
   */
  follow(look: (changed?: string) => Promise<void>): Promise<void> {
    let last = Promise.resolve();
    watch(this.path, (_, name) => {
      if (name !== null) last = last.then(() => look(name));
    });
    return (last = look());
  }
}

/**
 * The bytes of a file; nothing of a pipe, a device or a socket. To open a pipe waits for its writer, and four that wait
 * hold up all other access to files.
 */
async function contentOf(path: string): Promise<Buffer | undefined> {
  if (!(await stat(path)).isFile()) return undefined;
  // Something else may have taken the file's place since: then this does not wait, and the second look finds it.
  const { O_RDONLY, O_NONBLOCK = 0 } = constants;
  const file = await open(path, O_RDONLY | O_NONBLOCK);
  try {
    if (!(await file.stat()).isFile()) return undefined;
    // A file may grow while it is read: its size is no bound.
    const chunks: Buffer[] = [];
    for await (const chunk of file.createReadStream({ end: mostBytes, autoClose: false }))
      chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  } finally {
    await file.close();
  }
}

/** The bytes as the contents of a resource: text where they are text. */
export function contentsOf(
  uri: string,
  bytes: Buffer,
): { uri: string; text: string } | { uri: string; blob: string } {
  return isUtf8(bytes) ? { uri, text: bytes.toString("utf8") } : { uri, blob: bytes.toString("base64") };
}
