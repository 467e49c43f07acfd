import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { join } from "node:path";
import { type Rules, text } from "@mcpgen/base";
import type { TokenStore } from "../client/store.js";
import { AuthError } from "../shared/errors.js";
import { checkOptions } from "../shared/option-rules.js";
import { lockFile } from "./file-lock.js";
import { fileStore, tokenFolder } from "./file-store.js";
import { inFolder, preparedFolder } from "./store-folder.js";

/** Options of `keychain()`. */
export interface KeychainOptions {
  /** Fallback if the system has no keychain: files, or an error. Default: `file`. */
  readonly fallback?: "file" | "none";
  /** The folder for files and locks. Default: `$XDG_STATE_HOME/mcpgen/tokens`. */
  readonly folder?: string;
  /** Called once with the choice. */
  readonly onChoice?: (choice: "keychain" | "file") => void;
}

const rules: Rules<KeychainOptions> = {
  fallback: ["file", "none"],
  folder: text,
  onChoice: "function",
};

/**
 * Stores tokens in the system's keychain, by `security` on macOS or `secret-tool` with a session bus.
 *
 * @throws {AuthError} `auth-store`, from the functions of the store
 */
export function keychain(options: KeychainOptions = {}): TokenStore {
  checkOptions(options, rules);
  const { fallback = "file", folder = tokenFolder(), onChoice } = options;
  let chosen: Promise<TokenStore> | undefined;
  const choose = async (): Promise<TokenStore> => {
    const program = await available();
    if (!program && fallback === "none")
      throw new AuthError(
        "auth-store",
        'this system has no keychain: use keychain({ fallback: "file" }) or fileStore()',
      );
    onChoice?.(program ? "keychain" : "file");
    return program ? keychainStore(program, folder) : fileStore(folder);
  };
  const store = (): Promise<TokenStore> => (chosen ??= choose());
  return {
    get: async (key) => (await store()).get(key),
    put: async (key, value, expected) => (await store()).put(key, value, expected),
    lock: async (key, signal) => (await store()).lock!(key, signal),
  };
}

function keychainStore(program: Entries, folder: string): TokenStore {
  const entries = longTexts(program);
  const accountOf = (key: string): string => createHash("sha256").update(key).digest("hex");
  const lock = (name: string, signal?: AbortSignal): Promise<() => Promise<void>> =>
    inFolder(folder, async () => {
      await preparedFolder(folder, true);
      return lockFile(join(folder, name), signal);
    });
  return {
    get: (key) => entries.get(accountOf(key)),
    put: async (key, value, expected) => {
      const account = accountOf(key);
      const unlock = await lock(`${account}.put`);
      try {
        if ((await entries.get(account)) !== expected) return false;
        await (value === undefined ? entries.remove(account) : entries.set(account, value));
        // The programs exit with success even if they have cut a text.
        if ((await entries.get(account)) !== value) throw notStored();
        return true;
      } finally {
        await unlock();
      }
    },
    lock: (key, signal) => lock(`${accountOf(key)}.lock`, signal),
  };
}

/** Name of a permanent entry that shows that the keychain is writable. */
const probe = "probe";

/** Finds a keychain that answers within two seconds and stores a probe. A locked keychain may answer as if it were empty. */
async function available(): Promise<Entries | undefined> {
  const program = process.platform === "darwin" ? security : secretTool;
  if (program === secretTool && !process.env["DBUS_SESSION_BUS_ADDRESS"]) return undefined;
  try {
    if ((await program.get(probe)) === probe) return program;
    await program.set(probe, probe);
    return (await program.get(probe)) === probe ? program : undefined;
  } catch {
    return undefined;
  }
}

const service = "mcpgen";

/** Secrets go to standard input, because other users can read the arguments of a process. */
const secretTool: Entries = {
  get: async (account) => {
    const { code, output, failed } = await run("secret-tool", [
      "lookup",
      "service",
      service,
      "account",
      account,
    ]);
    // Without text on standard error, the exit code means that the entry does not exist.
    if (code !== 0 && failed) throw new AuthError("auth-store", "secret-tool cannot read the keychain");
    return code === 0 ? output : undefined;
  },
  set: (account, value) =>
    done(run("secret-tool", ["store", "--label=mcpgen", "service", service, "account", account], value)),
  remove: async (account) =>
    void (await run("secret-tool", ["clear", "service", service, "account", account])),
};

const security: Entries = {
  get: async (account) => {
    const { code, output } = await run("security", [
      "find-generic-password",
      "-s",
      service,
      "-a",
      account,
      "-w",
    ]);
    // 44: the entry does not exist.
    if (code !== 0 && code !== 44) throw new AuthError("auth-store", "security cannot read the keychain");
    return code === 0 ? output.trim() : undefined;
  },
  // With `-i`, the command comes from standard input.
  set: (account, value) =>
    done(run("security", ["-i"], `add-generic-password -U -s ${service} -a ${account} -w ${value}\n`)),
  remove: async (account) =>
    void (await run("security", ["delete-generic-password", "-s", service, "-a", account])),
};

async function done(running: Promise<{ readonly code: number }>): Promise<void> {
  if ((await running).code !== 0) throw notStored();
}

const notStored = (): AuthError => new AuthError("auth-store", "the keychain did not store the tokens");

/** Runs a program without a shell. Rejects if it cannot be started or takes more than two seconds. */
function run(
  program: string,
  args: readonly string[],
  input = "",
): Promise<{ readonly code: number; readonly output: string; readonly failed: boolean }> {
  return new Promise((resolve, reject) => {
    // Run outside the working directory: with `.` in PATH, programs of a cloned repository would run.
    const options = { cwd: "/", timeout: 2000, killSignal: "SIGKILL" } as const;
    const child = spawn(program, args, { ...options, stdio: "pipe" });
    let output = "";
    let failed = false;
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => (output += chunk));
    child.stderr.on("data", () => (failed = true));
    child.stdin.on("error", () => undefined).end(input);
    child.on("error", () => reject(new AuthError("auth-store", `${program} cannot be started`)));
    child.on("close", (code) =>
      code === null
        ? reject(new AuthError("auth-store", `${program} did not answer`))
        : resolve({ code, output, failed }),
    );
  });
}

/** Entries of a keychain by account. */
export interface Entries {
  get(account: string): Promise<string | undefined>;
  set(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
}

/** Maximum length of an entry in characters. `secret-tool` cuts a text after 8,192 bytes, `security` a line after 4,096. */
const longest = 3000;

const encoded = (text: string): string => Buffer.from(text).toString("base64");
const decoded = (word: string): string => Buffer.from(word, "base64").toString();

/** Returns the accounts of the parts that an entry names; `undefined` if it contains the text itself. */
function partsIn(account: string, entry: string | undefined): string[] | undefined {
  const [, count, id] = /^\*(\d{1,3})\.([\da-f-]{36})$/.exec(entry ?? "") ?? [];
  return id === undefined
    ? undefined
    : Array.from({ length: Number(count) }, (_, at) => `${account}.${id}.${at}`);
}

/** Adapts entries for short words to texts of any length and with any characters. */
export function longTexts(entries: Entries): Entries {
  const removeParts = async (account: string, entry: string | undefined): Promise<void> => {
    for (const part of partsIn(account, entry) ?? []) await entries.remove(part);
  };
  return {
    async get(account) {
      let entry = await entries.get(account);
      for (;;) {
        const parts = partsIn(account, entry);
        if (!parts) return entry === undefined ? undefined : decoded(entry);
        const words = await Promise.all(parts.map((part) => entries.get(part)));
        if (words.every((word) => word !== undefined)) return decoded(words.join(""));
        // If the entry has changed, another process has replaced the text: read again. Otherwise the text is lost.
        const now = await entries.get(account);
        if (now === entry) return undefined;
        entry = now;
      }
    },
    async set(account, text) {
      const before = await entries.get(account);
      const word = encoded(text);
      if (word.length <= longest) await entries.set(account, word);
      else {
        const entry = `*${Math.ceil(word.length / longest)}.${randomUUID()}`;
        // Write the main entry last, so that readers find all parts.
        for (const [at, part] of partsIn(account, entry)!.entries())
          await entries.set(part, word.slice(at * longest, (at + 1) * longest));
        await entries.set(account, entry);
      }
      await removeParts(account, before);
    },
    async remove(account) {
      const before = await entries.get(account);
      await entries.remove(account);
      await removeParts(account, before);
    },
  };
}
