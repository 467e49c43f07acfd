import { join } from "node:path";
import { CodedError } from "../diagnostics/coded-error.js";
import { stateFolder } from "../files/state-folder.js";
import { sha256 } from "../files/sha256.js";
import { StateFiles } from "../files/state-files.js";
import { secrets } from "../secrets/secrets.js";
import { type AuthPackage, type StoreKind, type TokenStore, storeKinds } from "./auth-package.js";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The servers with a stored login, and where: no keychain can list what it holds. Each has a file, so that logins at the same
 * time do not lose one another. The files hold no secret.
 */
export class LoginIndex {
  readonly #files: StateFiles;

  constructor(env: Environment) {
    this.#files = new StateFiles(env, "logins");
  }

  /** The kind of store by URL. A file that cannot be read counts as absent. */
  read(): Readonly<Record<string, StoreKind>> {
    const files = this.#files.names().filter((file) => file.endsWith(".json"));
    const entries = files.flatMap((file): [string, StoreKind][] => {
      try {
        const { server, store } = JSON.parse(this.#files.read(file)!) as {
          readonly server?: unknown;
          readonly store?: StoreKind;
        };
        return typeof server === "string" && storeKinds.includes(store!) ? [[server, store!]] : [];
      } catch {
        return [];
      }
    });
    return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
  }

  /**
   * @param kind `undefined` removes the entry
   * @throws CodedError MG4107 where files cannot be written
   */
  set(url: string, kind: StoreKind | undefined): void {
    const file = `${sha256(url)}.json`;
    try {
      if (kind === undefined) return this.#files.delete(file);
      if (this.read()[url] === kind) return;
      this.#files.write(file, `${JSON.stringify({ server: url, store: kind }, null, 2)}\n`);
    } catch (cause) {
      if (cause instanceof CodedError) throw cause;
      const { code } = cause as NodeJS.ErrnoException;
      throw new CodedError("MG4107", `the logins in ${this.#files.folder} cannot be written (${code})`, {
        next: "Check the permissions of the folder, or keep nothing: --token-store memory.",
        cause,
      });
    }
  }
}

/** @param onChoice hears once what `auto` has taken, and the folder of files */
export function openStore(
  auth: AuthPackage,
  kind: StoreKind,
  env: Environment,
  onChoice: (chosen: "keychain" | "file", folder: string) => void,
): TokenStore {
  const folder = join(stateFolder(env), "tokens");
  if (kind === "memory") return hiding(auth.memoryStore());
  if (kind === "file") return hiding(auth.fileStore(folder));
  const keychain = auth.keychain({
    folder,
    fallback: kind === "auto" ? "file" : "none",
    onChoice: (chosen: "keychain" | "file") => onChoice(chosen, folder),
  });
  return hiding(keychain);
}

/** The store, whose tokens and keys no output shows. */
function hiding(store: TokenStore): TokenStore {
  const { get, put } = store;
  const learned = (text: string | undefined): void => {
    if (text !== undefined) secrets.learnStored(text);
  };
  return {
    ...(store.lock && { lock: store.lock.bind(store) }),
    get: async (key: string) => {
      const text = await get.call(store, key);
      learned(text);
      return text;
    },
    put: (key: string, value: string | undefined, expected?: string) => {
      learned(value);
      return put.call(store, key, value, expected);
    },
  };
}
