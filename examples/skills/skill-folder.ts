import { createHash } from "node:crypto";
import { readFile, readdir, stat } from "node:fs/promises";
import { isUtf8 } from "node:buffer";
import { join } from "node:path";
import type { Skill } from "@mcpgen/protocol/extensions/io.modelcontextprotocol/skills/server";
import { frontmatterOf } from "./frontmatter.js";

/** Limits of the extension for one skill. */
const mostFiles = 512;
const mostBytes = 16 * 1024 * 1024;

const manifest = "SKILL.md";

/** A file of a skill as it was when the folder was read. */
export interface SkillFile {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
}

/** A child of a directory: a file, or a directory. */
export interface Child {
  readonly uri: string;
  readonly name: string;
  readonly mimeType: string;
}

/** The names of folders and of the file, from the folder that is served. */
type Path = readonly string[];

/**
 * The skills below a folder. Each folder with a `SKILL.md` is one; its folder may lie in others.
 *
 * All files are read once, and served from memory. A URI of a client is looked up among the URIs of these files: no path is
 * made of it, so that no URI leads out of the folder. Files and digests agree until the server is started again.
 */
export class SkillFolder {
  /** By the URI of their `SKILL.md`, in the order of the URIs. */
  readonly skills = new Map<string, Skill>();
  readonly files = new Map<string, SkillFile>();
  /** The children of each directory by its URI, which has no slash at its end. */
  readonly directories = new Map<string, Child[]>();
  /** Why folders with a `SKILL.md` are no skills. */
  readonly problems: string[] = [];

  static async at(root: string): Promise<SkillFolder> {
    const folder = new SkillFolder();
    const paths = await filesBelow(root);
    for (const path of paths) if (path.at(-1) === manifest) await folder.#add(root, path.slice(0, -1), paths);
    return folder;
  }

  async #add(root: string, folder: Path, all: readonly Path[]): Promise<void> {
    const own = all.filter((path) => folder.every((name, index) => path[index] === name));
    try {
      await requireLimits(root, own);
      const files = await Promise.all(own.map((path) => fileAt(root, path)));
      const { bytes, uri } = files.find((file) => file.uri === uriOf([...folder, manifest]))!;
      const frontmatter = frontmatterOf(bytes.toString("utf8"));
      requireName(frontmatter.name, folder);
      const resources = files.map((file) => ({
        uri: file.uri,
        digest: digestOf(file.bytes),
        size: file.bytes.length,
      }));
      this.skills.set(uri, { uri, frontmatter, resources });
      for (const file of files) this.files.set(file.uri, file);
      for (const path of own) this.#addToDirectories(path);
    } catch (error) {
      this.problems.push(`${join(...folder, manifest)}: ${(error as Error).message}`);
    }
  }

  #addToDirectories(path: Path): void {
    for (let length = path.length; length > 1; length--) {
      const uri = uriOf(path.slice(0, length));
      const parent = uriOf(path.slice(0, length - 1));
      const children = this.directories.get(parent) ?? [];
      this.directories.set(parent, children);
      if (children.some((child) => child.uri === uri)) continue;
      const name = path[length - 1]!;
      children.push({ uri, name, mimeType: length === path.length ? mimeTypeOf(name) : "inode/directory" });
    }
  }
}

/** `sha256:` and the digest of the bytes in hexadecimal. */
export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

/** The contents of a resource: text where the bytes are text. */
export function contentsOf({
  uri,
  mimeType,
  bytes,
}: SkillFile): { uri: string; mimeType: string } & ({ text: string } | { blob: string }) {
  const content = isUtf8(bytes) ? { text: bytes.toString("utf8") } : { blob: bytes.toString("base64") };
  return { uri, mimeType, ...content };
}

/** All files in order, without symbolic links and without names that begin with a dot. */
async function filesBelow(root: string, folder: Path = []): Promise<Path[]> {
  const entries = await readdir(join(root, ...folder), { withFileTypes: true });
  const seen = entries
    .filter(({ name }) => !name.startsWith("."))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
  const paths: Path[] = [];
  for (const entry of seen) {
    const path = [...folder, entry.name];
    if (entry.isDirectory()) paths.push(...(await filesBelow(root, path)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}

/** A larger skill need not be loadable by any client (skills, limits). */
async function requireLimits(root: string, paths: readonly Path[]): Promise<void> {
  if (paths.length > mostFiles)
    throw new Error(`it has ${paths.length} files; a skill has ${mostFiles} at most`);
  const sizes = await Promise.all(paths.map(async (path) => (await stat(join(root, ...path))).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes > mostBytes) throw new Error(`its files have ${bytes} bytes; a skill has ${mostBytes} at most`);
}

async function fileAt(root: string, path: Path): Promise<SkillFile> {
  const bytes = await readFile(join(root, ...path));
  const name = path.at(-1)!;
  return { uri: uriOf(path), name, mimeType: mimeTypeOf(name), bytes };
}

/** The name is the one of the folder, by the rules of Agent Skills. */
function requireName(name: string, folder: Path): void {
  if (name !== folder.at(-1))
    throw new Error(`its name is ${JSON.stringify(name)}, which is not that of its folder`);
  if (name.length > 64 || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(name))
    throw new Error("a name has at most 64 lowercase letters and digits, with single hyphens between them");
}

function uriOf(path: Path): string {
  return `skill://${path.map(encodeURIComponent).join("/")}`;
}

const mimeTypes: Readonly<Record<string, string>> = {
  json: "application/json",
  md: "text/markdown",
  png: "image/png",
  py: "text/x-python",
  sh: "application/x-sh",
  txt: "text/plain",
};

function mimeTypeOf(name: string): string {
  return mimeTypes[/\.([^.]+)$/.exec(name)?.[1] ?? ""] ?? "application/octet-stream";
}
