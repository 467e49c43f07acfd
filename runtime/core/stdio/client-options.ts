import type { Rules } from "@mcpgen/base";

// These types do not refer to Node's types, because programs without Node's types also read them.

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export interface StartOptions {
  /** Added to the inherited environment; replaces inherited variables. `undefined` removes a variable. */
  readonly env?: Environment | undefined;
  /** Inherited variables: with `safe` (default) only `safeVariables`, with `all` every variable. */
  readonly inheritEnv?: "safe" | "all" | undefined;
  /** Working directory. */
  readonly cwd?: string | undefined;
  /**
   * Where standard error of the child goes: to standard error of this process (with escape sequences) or to a function.
   * Default: its last 8 KiB are kept for errors only. With `ignore` nothing is kept.
   */
  readonly stderr?: "inherit" | "ignore" | ((text: string) => void) | undefined;
}

export interface ChildOptions extends StartOptions {
  /** Milliseconds between the end of the input and SIGTERM. Default: 2000. */
  readonly inputGrace?: number | undefined;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 2000. */
  readonly terminateGrace?: number | undefined;
}

export interface StdioClientOptions extends ChildOptions {
  /** Bytes of one incoming message; a longer one is dropped. Default: 10 MiB. */
  readonly limit?: number | undefined;
}

export const clientRules: Rules<StdioClientOptions> = {
  cwd: "anything",
  env: "object",
  stderr: "anything",
  inheritEnv: ["safe", "all"],
  inputGrace: "amount",
  terminateGrace: "amount",
  limit: "amount",
};

/** How a process ended, or the error with which it did not start. */
export interface Exit {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly error?: Error;
}

/**
 * The variables that a server inherits by default: those for programs, home, temporary files and language. Variables that
 * usually contain secrets are not among them.
 */
export const safeVariables = {
  posix: [
    "PATH",
    "HOME",
    "USER",
    "LOGNAME",
    "SHELL",
    "TERM",
    "LANG",
    "LANGUAGE",
    "LC_ALL",
    "LC_CTYPE",
    "LC_MESSAGES",
    "TMPDIR",
    "TZ",
  ],
  windows: [
    "PATH",
    "PATHEXT",
    "SYSTEMROOT",
    "SYSTEMDRIVE",
    "WINDIR",
    "COMSPEC",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "HOMEDRIVE",
    "HOMEPATH",
    "APPDATA",
    "LOCALAPPDATA",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "PROGRAMFILES(X86)",
    "PROCESSOR_ARCHITECTURE",
    "NUMBER_OF_PROCESSORS",
    "OS",
  ],
} as const;

interface ChildEnvironmentInput {
  readonly platform: string;
  /** The environment of this process. */
  readonly from: Environment;
  /** `safe`: only `safeVariables`. */
  readonly inherit: "safe" | "all";
  /** Added variables, which replace inherited ones. `undefined` removes a variable. */
  readonly add?: Environment | undefined;
}

/** The environment of a child process. On Windows, names are case-insensitive. */
export function childEnvironment(input: ChildEnvironmentInput): Record<string, string> {
  const windows = input.platform === "win32";
  const folded = (name: string): string => (windows ? name.toUpperCase() : name);
  const safe = new Set<string>(windows ? safeVariables.windows : safeVariables.posix);
  const chosen = new Map<string, readonly [name: string, value: string]>();
  for (const [name, value] of Object.entries(input.from)) {
    if (value === undefined || (input.inherit === "safe" && !safe.has(folded(name)))) continue;
    // Skips functions exported by a shell, which are code (CVE-2014-6271).
    if (input.inherit === "safe" && value.startsWith("()")) continue;
    chosen.set(folded(name), [name, value]);
  }
  for (const [name, value] of Object.entries(input.add ?? {})) {
    if (value === undefined) chosen.delete(folded(name));
    else chosen.set(folded(name), [name, value]);
  }
  return Object.fromEntries(chosen.values());
}

/** The value of a variable. On Windows, names are case-insensitive. */
export function variable(environment: Environment, name: string, platform: string): string | undefined {
  if (platform !== "win32") return environment[name];
  const found = Object.keys(environment).find((key) => key.toUpperCase() === name);
  return found === undefined ? undefined : environment[found];
}
