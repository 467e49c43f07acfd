import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { AuthPackage, TokenStore } from "./auth-package.js";

/** Where logins are kept: `auto` takes the keychain where there is one, else files. */
export const storeKinds = ["auto", "keychain", "file", "memory"] as const;
export type StoreKind = (typeof storeKinds)[number];

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of what mcpgen remembers (XDG Base Directory Specification). */
export function stateFolder({ XDG_STATE_HOME, HOME }: Environment): string {
  return join(XDG_STATE_HOME || join(HOME || homedir(), ".local/state"), "mcpgen");
}

/**
 * The servers with a stored login, and where: no keychain can list what it holds. The file holds no secret.
 */
export class LoginIndex {
  readonly #file: string;

  constructor(env: Environment) {
    this.#file = join(stateFolder(env), "logins.json");
  }

  /** The kind of store by URL. A file that cannot be read counts as empty. */
  read(): Readonly<Record<string, StoreKind>> {
    try {
      const { logins } = JSON.parse(readFileSync(this.#file, "utf8")) as { readonly logins?: unknown };
      const entries = Object.entries(logins ?? {}) as [string, StoreKind][];
      return Object.fromEntries(entries.filter(([, kind]) => storeKinds.includes(kind)));
    } catch {
      return {};
    }
  }

  /** @param kind `undefined` removes the entry */
  set(url: string, kind: StoreKind | undefined): void {
    const { [url]: old, ...others } = this.read();
    if (old === kind) return;
    const logins = kind === undefined ? others : { ...others, [url]: kind };
    mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 });
    chmodSync(dirname(this.#file), 0o700);
    const temporary = `${this.#file}.${process.pid}`;
    writeFileSync(temporary, `${JSON.stringify({ logins }, null, 2)}\n`, { mode: 0o600 });
    renameSync(temporary, this.#file);
  }
}

/** @param note hears once where tokens are kept */
export function openStore(
  auth: AuthPackage,
  kind: StoreKind,
  env: Environment,
  note: (text: string) => void,
): TokenStore {
  const folder = join(stateFolder(env), "tokens");
  if (kind === "memory") return auth.memoryStore();
  if (kind === "file") return auth.fileStore(folder);
  return auth.keychain({
    folder,
    fallback: kind === "auto" ? "file" : "none",
    onChoice: (chosen: "keychain" | "file") => {
      if (chosen === "file")
        note(`there is no keychain: logins are kept in files that only you can read, in ${folder}`);
    },
  });
}
