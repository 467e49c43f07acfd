import { type Stats, existsSync, realpathSync, lstatSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { configsIn, isJsonConfig, homeFolder } from "../../config/config.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { shellLine, shownPath, columns, printable } from "../../print/terminal-text.js";
import { hostFilesIn } from "../servers/host-files.js";
import { type Surroundings, canAsk } from "../console.js";
import type { Effect, FolderEffects } from "./effects.js";
import { parsedText } from "../../files/json-file.js";
import { slashPath } from "../../files/platform.js";
import { sha256 } from "../../files/regular-file.js";
import { StateFiles } from "../../files/state-files.js";

/** Configuration that a command is about to use. */
export interface Subject {
  /** Absolute path of the configuration file. */
  readonly file: string;
  /** The folder that the file configures: its own, or the project's. */
  readonly folder: string;
  /** JSON Pointer of the configuration in the file; undefined for the whole file. */
  readonly pointer?: string;
  /** Modules to run in addition to the configuration's own; the file is the first. */
  readonly modules?: readonly string[];
  /** A further reason to require trust, as a sentence without a full stop. */
  readonly because?: string;
}

/** The command-line options about trust. */
interface TrustArguments {
  string(name: "config" | "trust"): string | undefined;
  flag(name: "no-config"): boolean;
}

/**
 * Decides whether to use the configuration of a folder. Configuration that runs code, renders templates,
 * starts a program or expands a variable needs the user's trust, once per folder and content. A file that
 * another user could have written always needs it.
 */
export class Trust {
  /** The user's home folder. Configuration above it is ignored. */
  readonly home: string;
  #store: TrustStore | undefined;
  /** Whether the project's configuration is used at all (false under `--no-config`). */
  readonly usesConfig: boolean;
  readonly #surroundings: Surroundings;
  /** Hashes from the command line or the environment. */
  readonly #given: readonly string[];
  /** The file of `--config`. */
  readonly #named: string | undefined;
  /** Whether the command itself runs the folder's code, as `mcpgen dev` does. */
  readonly #runsCode: boolean;
  /** Messages already printed and contents already declined in this run, so that neither is repeated. */
  readonly #said: Set<string>;

  /** @throws CodedError MG2004 for a malformed hash in `--trust` or MCPGEN_TRUST */
  constructor(surroundings: Surroundings, args: TrustArguments, runsCode = false, said = new Set<string>()) {
    const { directory, env } = surroundings;
    this.home = homeFolder(env);
    this.usesConfig = !args.flag("no-config");
    this.#surroundings = surroundings;
    this.#given = givenHashes(args, env);
    const named = args.string("config");
    this.#named = named === undefined ? undefined : resolve(directory, named);
    this.#runsCode = runsCode;
    this.#said = said;
  }

  get store(): TrustStore {
    return (this.#store ??= new TrustStore(this.#surroundings.env));
  }

  /**
   * A copy for a command whose purpose is to run the folder's code, like `npm run`. Only files that another
   * user could have written then need trust.
   */
  runningCode(args: TrustArguments): Trust {
    return new Trust(this.#surroundings, args, true, this.#said);
  }

  /**
   * Requires trust for configuration that the command needs. Asks at a terminal.
   *
   * @throws CodedError MG2105 without trust, MG2106 if other content is trusted, MG2107 for a file that another user could
   *   have written
   */
  async expect(subject: Subject): Promise<void> {
    const refusal = await this.#refusal(subject);
    if (refusal === undefined) return;
    const { content, error } = refusal;
    if (error.code === "MG2105" && (await this.#asked(content)))
      return this.store.add(content.folder, content.hash);
    throw error;
  }

  /**
   * Checks trust for configuration that the command can do without. Does not ask; if trust is missing, prints
   * to standard error what is ignored.
   *
   * @throws CodedError MG2106 if the command line names the hash of other content
   */
  async admits(subject: Subject): Promise<boolean> {
    const error = (await this.#refusal(subject))?.error;
    if (error === undefined) return true;
    if (error.code === "MG2106") throw error;
    const { console, directory } = this.#surroundings;
    const note = `left out: ${shownPath(subject.file, directory)}: ${error.message}; \`${this.#command(subject.folder)}\` shows it`;
    if (!this.#said.has(note)) console.error(note);
    this.#said.add(note);
    return false;
  }

  /** Determines the effects of all configuration in a folder. */
  async content(folder: string, modules: readonly string[] = []): Promise<FolderEffects> {
    const real = realpathSync(folder);
    const named = this.#named !== undefined && existsSync(this.#named) ? this.#named : undefined;
    const isHere = named !== undefined && realpathSync(dirname(named)) === real;
    const files = isHere ? [join(real, basename(named))] : configsIn(real);
    const hosts = real === this.home ? [] : hostFilesIn(real);
    const guarded = (file: string): boolean => writerOf(file) !== undefined;
    // Load this module only when needed: most commands meet no configuration that needs trust.
    const { folderEffects } = await import("./effects.js");
    return folderEffects({ folder: real, files, hosts, modules, guarded });
  }

  /** Whether the user trusts the content, through an earlier answer or a given hash. */
  isTrusted({ folder, hash }: FolderEffects): boolean {
    return this.#given.includes(hash) || this.store.hashesOf(folder).includes(hash);
  }

  /**
   * Records trust in a folder's configuration, given by a hash on the command line or an answer at a
   * terminal.
   *
   * @throws CodedError MG2105 if trust is not given, MG2106 if the command line names the hash of other
   * content
   */
  async grant(content: FolderEffects): Promise<void> {
    const { folder, hash, effects } = content;
    if (this.store.hashesOf(folder).includes(hash)) return;
    const isNamed = this.#given.includes(hash);
    if (!isNamed && (this.#given.length > 0 || !(await this.#asked(content))))
      throw this.#error(
        content,
        effects.filter(({ needed }) => needed),
        { file: folder, folder },
        undefined,
      );
    this.store.add(folder, hash);
  }

  async #refusal(
    subject: Subject,
  ): Promise<{ readonly content: FolderEffects; readonly error: CodedError } | undefined> {
    // A JSON file runs nothing by itself, so the folder need not be examined.
    const isText =
      subject.pointer === undefined && subject.because === undefined && isJsonConfig(subject.file);
    if (isText && writerOf(subject.file) === undefined) return undefined;
    const content = await this.content(subject.folder, subject.modules);
    const file = slashPath(
      content.folder,
      realpathSync(dirname(subject.file)) + sep + basename(subject.file),
    );
    const concerned = content.effects.filter(
      (effect) => effect.needed && effect.file === file && isWithin(effect.pointer, subject.pointer ?? ""),
    );
    const error = this.#judged(content, concerned, subject);
    return error && { content, error };
  }

  #judged(content: FolderEffects, effects: readonly Effect[], subject: Subject): CodedError | undefined {
    const believes = effects.length > 0 || subject.because !== undefined;
    const stranger =
      writerOf(subject.file) ??
      (believes ? (strangerAt(subject.file) ?? strangerIn(content.folder, effects)) : undefined);
    const needsTrust = believes && !this.#runsCode;
    if (!needsTrust && stranger === undefined) return undefined;
    // Trust in an empty set of effects would cover any file, so it does not count.
    if (content.effects.length > 0 && this.isTrusted(content)) return undefined;
    return this.#error(content, effects, subject, stranger);
  }

  #error(
    { folder, hash, effects: all }: FolderEffects,
    effects: readonly Effect[],
    { file, pointer, because }: Subject,
    stranger: Stranger | undefined,
  ): CodedError {
    const details = {
      place: {
        file: shownPath(file, this.#surroundings.directory),
        ...(pointer !== undefined && { pointer }),
      },
      detail: effectLines(all).join("\n"),
      facts: { trust: { folder, hash, effects: all } },
    };
    const look = `Look at what it does, then run \`${this.#command(folder)}\``;
    const otherwise = `or repeat the command with --trust ${hash}. --no-config leaves configuration out.`;
    if (stranger !== undefined)
      return new CodedError("MG2107", `${stranger.path} ${stranger.why}`, {
        ...details,
        next: `Correct its owner and its mode. ${look}; ${otherwise}`,
      });
    if (this.#given.length > 0)
      return new CodedError("MG2106", `expected the content ${this.#given.join(" or ")}, got ${hash}`, {
        ...details,
        next: "Compare the files with those that were trusted; if all of it is wanted, name the new hash.",
      });
    const [first] = effects;
    const why = because ?? `it would ${first!.verb} ${first!.what}`;
    return new CodedError("MG2105", `the folder is not trusted: ${why}`, {
      ...details,
      next: `${look}; ${otherwise}`,
    });
  }

  /** The command that asks for trust in a folder. */
  #command(folder: string): string {
    const shown = shownPath(folder, this.#surroundings.directory);
    return shellLine(["mcpgen", "trust", ...(shown === "." ? [] : [shown])]);
  }

  /** Asks at the terminal. Returns false without a terminal, or if the content was declined before. */
  async #asked(content: FolderEffects): Promise<boolean> {
    const { console, terminal } = this.#surroundings;
    if (terminal === undefined || !canAsk(this.#surroundings) || this.#said.has(content.hash)) return false;
    const { confirm } = await import("@clack/prompts");
    const shown = shownPath(content.folder, this.#surroundings.directory);
    console.error([`The configuration in ${shown} would:`, ...effectLines(content.effects)].join("\n"));
    const answer = await confirm({ ...terminal, message: "Trust it, as it is now?", initialValue: false });
    if (answer === true) return true;
    this.#said.add(content.hash);
    return false;
  }
}

function isWithin(place: string, other: string): boolean {
  return `${place}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${place}/`);
}

/** The first file among the effects that another user could have written. */
function strangerIn(folder: string, effects: readonly Effect[]): Stranger | undefined {
  const known = new Set<string>();
  for (const { verb, what } of effects) {
    if (verb !== "run" && verb !== "render" && verb !== "read") continue;
    const path = resolve(folder, what);
    const found = existsSync(path) ? strangerAt(path, known) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Reads hashes of trusted content from `--trust` or the environment variable MCPGEN_TRUST, separated by
 * commas. An empty variable is ignored.
 *
 * @throws CodedError MG2004 for a value that is not a hash. No value means "trust everything".
 */
function givenHashes(
  args: TrustArguments,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  return [...hashesIn(args.string("trust"), "--trust"), ...hashesIn(env["MCPGEN_TRUST"], "MCPGEN_TRUST")];
}

function hashesIn(text: string | undefined, name: string): string[] {
  const hashes = (text ?? "").split(/[\s,]+/).filter((hash) => hash !== "");
  const wrong = hashes.find((hash) => !/^[\da-f]{64}$/.test(hash));
  if (wrong === undefined) return hashes;
  throw new CodedError(
    "MG2004",
    `expected ${name} to be a hash of 64 hexadecimal digits, got ${JSON.stringify(wrong)}`,
    {
      next: "`mcpgen trust --print` prints the hash of a folder.",
    },
  );
}

/** A folder and the contents that its user trusts. */
interface TrustedFolder {
  readonly folder: string;
  /** Hashes of contents, newest last. */
  readonly hashes: readonly string[];
}

/** Maximum number of contents remembered for a folder, e.g. of branches that a user switches between. */
const maxHashes = 50;

/** Stores the trusted folders, each in a file of the state folder. */
class TrustStore {
  readonly #files: StateFiles;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    this.#files = new StateFiles(env, "trust");
  }

  /**
   * @throws CodedError MG3008 if another user could have written the file, MG2105 if its content is invalid
   */
  hashesOf(folder: string): readonly string[] {
    const found = this.#read(nameOf(folder));
    return found?.folder === folder ? found.hashes : [];
  }

  add(folder: string, hash: string): void {
    const hashes = [...this.hashesOf(folder).filter((each) => each !== hash), hash].slice(-maxHashes);
    const text = JSON.stringify({ folder, hashes } satisfies TrustedFolder, null, 2);
    this.#files.write(nameOf(folder), `${text}\n`);
  }

  /** @returns whether the folder was stored */
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
    const value = parsedText(text);
    if (isTrustedFolder(value)) return value;
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

/** Maximum number of files listed individually; a package may have hundreds. */
const maxFiles = 30;

/** Describes effects, one line each; files beyond the maximum are only counted. */
export function effectLines(effects: readonly Effect[], all = false): string[] {
  const files = effects.filter(isOfFile);
  const shown = new Set(all ? files : files.slice(0, maxFiles));
  const rows = effects
    .filter((effect) => !isOfFile(effect) || shown.has(effect))
    .map((effect) => [verbs[effect.verb], printable(effect.what), printable(placeOf(effect))]);
  const rest = files.length - shown.size;
  return [
    ...(rows.length === 0 ? [] : columns(rows).split("\n")),
    ...(rest > 0 ? [`and run or render ${rest} more files; \`mcpgen trust --print\` lists them`] : []),
  ];
}

const verbs: Readonly<Record<Effect["verb"], string>> = {
  run: "run",
  render: "render",
  start: "start",
  expand: "expand",
  send: "send to",
  read: "read",
};

function isOfFile({ verb }: Effect): boolean {
  return verb === "run" || verb === "render";
}

function placeOf({ what, file, pointer }: Effect): string {
  return what === file && pointer === ""
    ? ""
    : `(${[file, pointer].filter((part) => part !== "").join(" ")})`;
}

/** A file or folder that another user could have written. */
interface Stranger {
  readonly path: string;
  /** The reason, as the predicate of a sentence about the path. */
  readonly why: string;
}

/** Ids of the process's user and of that user's group; undefined on platforms without such ids. */
interface UserIds {
  readonly user: number;
  readonly group: number;
}

/** Id of the superuser, who can change any file anyway. */
const root = 0;

/** @returns undefined on Windows, where access rights of the user's folders exclude other users */
function processUser(): UserIds | undefined {
  const { getuid, getgid } = process;
  return getuid && getgid && { user: getuid(), group: getgid() };
}

/**
 * Finds out who else could have written a file. That is the case if it belongs to a user other than this one
 * and the superuser, or if others or a group may write it. The group with the user's own number does not
 * count: systems create one for each user (hence `umask 002`).
 *
 * @param file absolute path; for a link, both the link and its target are checked
 */
function writerOf(file: string, user: UserIds | undefined = processUser()): Stranger | undefined {
  return user && strangerAmong([file, realpathSync(file)], new Set(), user);
}

/**
 * Same as `writerOf` for a file that is opened again after the check, to run it. All folders on its path are
 * checked, too. In a folder with the sticky bit, such as /tmp, users can replace only their own files.
 *
 * @param known paths already checked to be safe; the function adds to it
 */
export function strangerAt(
  file: string,
  known = new Set<string>(),
  user: UserIds | undefined = processUser(),
): Stranger | undefined {
  return user && strangerAmong([...wayTo(file), ...wayTo(realpathSync(file))], known, user);
}

function strangerAmong(paths: readonly string[], known: Set<string>, user: UserIds): Stranger | undefined {
  for (const path of paths) {
    if (known.has(path)) continue;
    const why = faultOf(lstatSync(path), user);
    if (why !== undefined) return { path, why };
    known.add(path);
  }
  return undefined;
}

function wayTo(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [path] : [...wayTo(parent), path];
}

const [groupWrites, othersWrite, stickyBit] = [0o020, 0o002, 0o1000];

function faultOf(about: Stats, { user, group }: UserIds): string | undefined {
  const { uid, gid, mode } = about;
  if (uid !== user && uid !== root) return `belongs to another user (${uid})`;
  if (about.isSymbolicLink() || (about.isDirectory() && (mode & stickyBit) !== 0)) return undefined;
  if ((mode & othersWrite) !== 0) return "can be changed by every user of the machine";
  const isPrivate = gid === root || (gid === group && gid === user);
  if ((mode & groupWrites) !== 0 && !isPrivate) return `can be changed by the group ${gid}`;
  return undefined;
}
