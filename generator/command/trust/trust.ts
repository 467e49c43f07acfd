import { type Stats, existsSync, realpathSync, lstatSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { configsIn, isJsonConfig, homeFolder } from "../../config/config.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { shellLine, shownPath, columns, printable } from "../../print/terminal-text.js";
import { hostFilesIn } from "../servers/host-files.js";
import { type Surroundings, canAsk } from "../console.js";
import type { Effect, FolderEffects } from "./effects.js";
import { sha256 } from "../../files/regular-file.js";
import { StateFiles } from "../../files/state-files.js";

/** Something that a command would believe. */
export interface Subject {
  /** A file with configuration: absolute. */
  readonly file: string;
  /** The folder that the file configures: where it lies, or the project's. */
  readonly folder: string;
  /** The place in the file; without it, the file itself. */
  readonly pointer?: string;
  /** Modules that are to run beside what the folder's configuration says; the file is the first of them. */
  readonly modules?: readonly string[];
  /** A reason to ask beside the effects of the place: a statement without a full stop. */
  readonly because?: string;
}

/** The options of the command line that say what is believed. */
interface TrustArguments {
  string(name: "config" | "trust"): string | undefined;
  flag(name: "no-config"): boolean;
}

/**
 * Decides whether the configuration of a folder is believed. What runs code, renders templates, starts a program or expands a
 * variable needs the trust of the user, once per folder and content. A file that another user could have written needs it,
 * whatever it says.
 */
export class Trust {
  /** The user's home folder: no configuration above it is looked for. */
  readonly home: string;
  #store: TrustStore | undefined;
  /** Whether configuration of the project is used at all (`--no-config`). */
  readonly usesConfig: boolean;
  readonly #surroundings: Surroundings;
  /** Hashes that the command line or the environment names. */
  readonly #given: readonly string[];
  /** The file of `--config`. */
  readonly #named: string | undefined;
  /** Whether the command line itself says that the code of the folder is to run. */
  readonly #runsCode: boolean;
  /** Answers and notes of this run, so that none is repeated. */
  readonly #said: Set<string>;

  /** @throws CodedError MG2004 for a hash in `--trust` or MCPGEN_TRUST that is malformed */
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
   * The same for a command whose task is to run the code of the folder, as `npm run` does: only files that another user could
   * have written need trust.
   */
  runningCode(args: TrustArguments): Trust {
    return new Trust(this.#surroundings, args, true, this.#said);
  }

  /**
   * For a command that cannot do without: asks at a terminal.
   *
   * @throws CodedError MG2105 without trust, MG2106 where other content is trusted, MG2107 for a file that another user could
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
   * For a command that can do without: does not ask, and says on standard error what is left out.
   *
   * @throws CodedError MG2106 where the command line names other content
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

  /** All effects of the configuration in a folder. */
  async content(folder: string, modules: readonly string[] = []): Promise<FolderEffects> {
    const real = realpathSync(folder);
    const named = this.#named !== undefined && existsSync(this.#named) ? this.#named : undefined;
    const isHere = named !== undefined && realpathSync(dirname(named)) === real;
    const files = isHere ? [join(real, basename(named))] : configsIn(real);
    const hosts = real === this.home ? [] : hostFilesIn(real);
    const guarded = (file: string): boolean => writerOf(file) !== undefined;
    // Most commands meet nothing that needs trust, and start faster without.
    const { folderEffects } = await import("./effects.js");
    return folderEffects({ folder: real, files, hosts, modules, guarded });
  }

  /** Whether the user trusts the content, by an earlier answer or by the hash. */
  isTrusted({ folder, hash }: FolderEffects): boolean {
    return this.#given.includes(hash) || this.store.hashesOf(folder).includes(hash);
  }

  /**
   * Records the trust of a folder's configuration: by its hash on the command line, or by the answer at a terminal.
   *
   * @throws CodedError MG2105 where it stays without trust, MG2106 where the command line names other content
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
    // JSON runs nothing by itself: the common case costs no look at the folder.
    const isText =
      subject.pointer === undefined && subject.because === undefined && isJsonConfig(subject.file);
    if (isText && writerOf(subject.file) === undefined) return undefined;
    const content = await this.content(subject.folder, subject.modules);
    const { shownIn } = await import("./effects.js");
    const file = shownIn(content.folder, realpathSync(dirname(subject.file)) + sep + basename(subject.file));
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
    // Only a hash that covers something can stand for it.
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
    const [first] = effects.toSorted((a, b) => gravest.indexOf(a.verb) - gravest.indexOf(b.verb));
    const why = because ?? `it would ${first!.verb} ${first!.what}`;
    return new CodedError("MG2105", `the folder is not trusted: ${why}`, {
      ...details,
      next: `${look}; ${otherwise}`,
    });
  }

  /** The command that asks for trust of a folder. */
  #command(folder: string): string {
    const shown = shownPath(folder, this.#surroundings.directory);
    return shellLine(["mcpgen", "trust", ...(shown === "." ? [] : [shown])]);
  }

  /** Asks at the terminal. Returns false without a terminal, and for content that was declined before. */
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

/** Which of several effects a message names. */
const gravest: readonly Effect["verb"][] = ["start", "expand", "run", "render", "send", "read"];

function isWithin(place: string, other: string): boolean {
  return `${place}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${place}/`);
}

/** The first file among effects that another user could have written. */
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
 * The hashes of trusted content that the command line (`--trust`) or the environment (MCPGEN_TRUST) names; several are separated
 * by commas. An empty variable names none.
 *
 * @throws CodedError MG2004 for what is no hash: no word trusts everything
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

/** A folder with the contents that its user trusts. */
interface TrustedFolder {
  readonly folder: string;
  /** Hashes, the newest last. */
  readonly hashes: readonly string[];
}

/** Contents of one folder that are remembered: branches that a user works on by turns. */
const maxHashes = 50;

/** The folders that a user trusts, each in a file of the state folder. */
class TrustStore {
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

/** Files that are shown one by one; a package may bring hundreds. */
const maxFiles = 30;

/** What the effects are for people: a line each, but for files beyond the first ones. */
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
  /** What is wrong with it, as the rest of a sentence about the path. */
  readonly why: string;
}

/** The ids of the process's user and of that user's group; undefined on platforms without. */
interface UserIds {
  readonly user: number;
  readonly group: number;
}

/** The id of the superuser, who can change every file anyway. */
const root = 0;

/** @returns undefined on Windows, where the access rights of the user's folders keep others out */
function processUser(): UserIds | undefined {
  const { getuid, getgid } = process;
  return getuid && getgid && { user: getuid(), group: getgid() };
}

/**
 * Who else could have written the text of a file: it belongs to another user than this one and the superuser, or others may
 * change it. Others may change what everybody may write, and what a group may write; not the group that has this user's number,
 * as systems make one for each user (`umask 002` goes with it).
 *
 * @param file absolute; a link is judged, and the file that it leads to
 */
function writerOf(file: string, user: UserIds | undefined = processUser()): Stranger | undefined {
  return user && strangerAmong([file, realpathSync(file)], new Set(), user);
}

/**
 * The same for a file that is to run, which is opened after it was judged: no folder on the way to it may be another user's either.
 * In a folder with the sticky bit, such as /tmp, users can replace their own files only.
 *
 * @param known paths in which no other user can write, as judged before; it grows
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
