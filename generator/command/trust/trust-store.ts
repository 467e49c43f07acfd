import { isJsonObject } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { sha256 } from "../../files/sha256.js";
import { StateFiles } from "../../files/state-files.js";

/** A folder with the contents that its user trusts. */
export interface TrustedFolder {
  readonly folder: string;
  /** Hashes, the newest last. */
  readonly hashes: readonly string[];
}

/** Contents of one folder that are remembered: branches that a user works on by turns. */
const maxHashes = 50;

/** The folders that a user trusts, each in a file of the state folder. */
export class TrustStore {
  readonly #files: StateFiles;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#files = new StateFiles(env, "trust");
  }

  /** @throws CodedError MG3008 where another user could have written the file; MG2105 for a file that is no such */
  hashesOf(folder: string): readonly string[] {
    const found = this.#read(nameOf(folder));
    return found?.folder === folder ? found.hashes : [];
  }

  add(folder: string, hash: string): void {
    const hashes = [...this.hashesOf(folder).filter((each) => each !== hash), hash].slice(-maxHashes);
    const text = JSON.stringify({ folder, hashes } satisfies TrustedFolder, null, 2);
    this.#files.write(nameOf(folder), `${text}\n`);
  }

  /** @returns whether the folder was there */
  remove(folder: string): boolean {
    const isThere = this.hashesOf(folder).length > 0;
    this.#files.delete(nameOf(folder));
    return isThere;
  }

  list(): TrustedFolder[] {
    const found = this.#files.names().filter((name) => name.endsWith(".json"));
    return found.flatMap((name) => this.#read(name) ?? []).sort((a, b) => (a.folder < b.folder ? -1 : 1));
  }

  #read(name: string): TrustedFolder | undefined {
    const text = this.#files.read(name);
    if (text === undefined) return undefined;
    try {
      const value = JSON.parse(text) as unknown;
      if (isTrustedFolder(value)) return value;
    } catch {
      // Reported below.
    }
    throw new CodedError("MG2105", "the record of trust cannot be read", {
      place: { file: `${this.#files.folder}/${name}` },
      next: "Remove the file, and trust its folder again.",
    });
  }
}

function nameOf(folder: string): string {
  return `${sha256(folder)}.json`;
}

function isTrustedFolder(value: unknown): value is TrustedFolder {
  if (!isJsonObject(value)) return false;
  const { folder, hashes } = value;
  return (
    typeof folder === "string" && Array.isArray(hashes) && hashes.every((hash) => typeof hash === "string")
  );
}
