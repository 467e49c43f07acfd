import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { contentSha256 } from "./line-ends.js";
import { packageFolder } from "./package-folder.js";
import { sha256 } from "./sha256.js";
import { readRegularFile } from "./regular-file.js";

/** The packages that read schemas and print code. */
const libraries = ["prettier", "handlebars", "json-schema-to-typescript", "ts-morph", "yaml"];

/** Modules that are copied into output as they stand, or in part. */
const copied = ["emitted", "emitted/extending", "explain", "formats", "ir", "patterns"].map(
  (name) => `engine/${name}`,
);

/**
 * A hash of everything in mcpgen that decides what the output is: its compiled code, its templates and the
 * versions of the libraries that read and print. Undefined when it runs from source, where nothing may be cached.
 */
export function generatorFingerprint(): string | undefined {
  const self = fileURLToPath(import.meta.url);
  if (self.endsWith(".ts")) return undefined;
  const hash = createHash("sha256");
  for (const folder of [
    dirname(self),
    ...["templates", ...copied].map((name) => join(packageFolder, name)),
  ]) {
    for (const name of namesIn(folder)) hash.update(`${name}\n${contentHash(folder, name)}\n`);
  }
  for (const library of libraries) hash.update(`${library} ${versionOf(library)}\n`);
  return hash.digest("hex");
}

/** The build names a chunk by the hash of its content and of the chunks that it loads, so such a name says all. */
const namedByContent = /-[A-Z0-9]{8}\.js$/;

function contentHash(folder: string, name: string): string {
  return namedByContent.test(name) ? "" : sha256(readRegularFile(join(folder, name)));
}

/** The hash of a file's content without regard to line ends; a missing file has a hash, too. */
export function fileFingerprint(file: string | undefined): string {
  const isFile = file !== undefined && statSync(file, { throwIfNoEntry: false })?.isFile();
  return isFile ? contentSha256(readRegularFile(file)) : "none";
}

/** The hash of the files in a folder, not of folders in it. */
export function folderFingerprint(folder: string | undefined): string {
  if (folder === undefined || !existsSync(folder)) return "none";
  return sha256(
    namesIn(folder)
      .map((name) => `${name} ${fileFingerprint(join(folder, name))}`)
      .join("\n"),
  );
}

function namesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => entry.name)
    .sort();
}

function versionOf(library: string): string {
  const { version } = createRequire(import.meta.url)(`${library}/package.json`) as { version: string };
  return version;
}
