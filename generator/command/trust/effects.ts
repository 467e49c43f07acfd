import { basename, delimiter, dirname, join, resolve, sep } from "node:path";
import {
  type JsonObject,
  type JsonValue,
  canonicalText,
  isJsonObject,
  pointer,
  pointerTokens,
} from "@mcpgen/engine";
import { isJsonConfig, foldersUpFrom } from "../../config/config.js";
import { sha256, readRegularText, readRegularFile } from "../../files/regular-file.js";
import { projectRoot } from "../../files/held-folder.js";
import { parsedText } from "../../files/json-file.js";
import { slashPath } from "../../files/platform.js";
import { textIn } from "../../files/user-files.js";
import { type HostFile, readHostFile } from "../servers/host-files.js";
import { referencesIn } from "../servers/expand.js";
import { literalsIn, mainOf, moduleFiles, realFile, templateFiles, textsIn } from "./module-files.js";

/** One effect that a folder's configuration has when mcpgen uses it. */
export interface Effect {
  readonly verb: "run" | "render" | "start" | "expand" | "send" | "read";
  /** The file (relative to the folder), command, variable names or URL that the effect concerns. */
  readonly what: string;
  /** The file with the configuration, relative to the folder, and the JSON Pointer in it. */
  readonly file: string;
  readonly pointer: string;
  /**
   * Hash of the file that would run, or of the entry that starts a program, expands variables or sends a
   * request.
   */
  readonly sha256: string;
  /** Whether the effect needs trust. A request to a URL without variables does not. */
  readonly needed: boolean;
}

/** The effects of all configuration in a folder, in a fixed order: gravest first, own files before those of packages. */
export interface FolderEffects {
  readonly folder: string;
  readonly effects: readonly Effect[];
  /** Hash of all effects; the same on every machine. */
  readonly hash: string;
}

/** The configuration files of one folder. */
export interface FolderConfiguration {
  /** The folder's real path. */
  readonly folder: string;
  readonly files: readonly string[];
  /** Files of hosts, which name servers. */
  readonly hosts: readonly HostFile[];
  /** Additional modules to run. */
  readonly modules: readonly string[];
  /** Whether another user could have written a file. Such a file needs trust whatever its content. */
  readonly guarded: (file: string) => boolean;
}

interface Source {
  readonly folder: string;
  readonly file: string;
  readonly pointer: string;
}

/**
 * Determines everything that the configuration of a folder would run, render, start, expand or send. Reads
 * only texts and runs nothing.
 */
export async function folderEffects({
  folder,
  files,
  hosts,
  modules,
  guarded,
}: FolderConfiguration): Promise<FolderEffects> {
  const ofHosts = await Promise.all(hosts.map((host) => hostEffects(host, folder)));
  const read = [...files, ...hosts.map(({ path }) => path)].filter(guarded).map((file) => {
    const from = { folder, file: slashPath(folder, file), pointer: "" };
    return effect("read", from.file, from, digestOf(file));
  });
  const [first] = modules;
  const own = new Set(ofHosts.flat().map(({ pointer }) => pointerTokens(pointer)[1] ?? ""));
  const all = [
    ...files.flatMap((file) => configEffects(file, folder, own)),
    ...ofHosts.flat(),
    ...read,
    ...(first === undefined
      ? []
      : ofFiles("run", moduleFiles(modules), { folder, file: slashPath(folder, first), pointer: "" })),
  ];
  const lines = new Map(all.map((each) => [effectKey(each), each]));
  const keys = [...lines.keys()].sort();
  const effects = keys.map((key) => lines.get(key)!).sort((a, b) => rank(a) - rank(b));
  return { folder, effects, hash: sha256(keys.join("\n")) };
}

/** Kinds of effects, gravest first. */
const gravest: readonly Effect["verb"][] = ["start", "expand", "run", "render", "send", "read"];

function rank({ verb, what }: Effect): number {
  return 2 * gravest.indexOf(verb) + (/(?:^|\/)node_modules\//.test(what) ? 1 : 0);
}

function effectKey({ verb, what, file, pointer, sha256 }: Effect): string {
  return JSON.stringify([verb, what, file, pointer, sha256]);
}

function effect(
  verb: Effect["verb"],
  what: string,
  { file, pointer }: Source,
  sha256: string,
  needed = true,
): Effect {
  return { verb, what, file, pointer, sha256, needed };
}

/** An effect for each file that would run or be rendered, with the hash of its content. */
function ofFiles(verb: "run" | "render", files: readonly string[], from: Source): Effect[] {
  return files.map((file) => effect(verb, slashPath(from.folder, file), from, digestOf(file)));
}

/** @param own names of servers defined in files of the same folder */
function configEffects(file: string, folder: string, own: ReadonlySet<string>): Effect[] {
  const from = { folder, file: slashPath(folder, file), pointer: "" };
  if (!isJsonConfig(file)) return moduleEffects(file, from);
  // Loading the configuration reports an error later.
  const config = parsedText(textIn(file).replace(/^\uFEFF/, ""));
  if (!isJsonObject(config)) return [];
  const { templates, contracts } = config;
  return [
    ...templateEffects(templates, dirname(file), at(from, "templates")),
    ...listOf(contracts).flatMap((contract, index) =>
      isJsonObject(contract)
        ? serverEffects(contract["server"], dirname(file), at(from, "contracts", index, "server"), own)
        : [],
    ),
  ];
}

/**
 * Effects of a configuration module: it runs with its imports, and its string literals count as configuration
 * values.
 */
function moduleEffects(file: string, from: Source): Effect[] {
  const texts = realFile(file).flatMap((path) => literalsIn(readRegularText(path)));
  const folder = dirname(file);
  return [
    ...ofFiles("run", moduleFiles([file]), from),
    ...texts.flatMap(({ text }) =>
      /^stdio:/i.test(text)
        ? serverEffects(text, folder, from)
        : ofFiles("render", templateFiles(resolve(folder, text)), from),
    ),
  ];
}

function templateEffects(templates: JsonValue | undefined, folder: string, from: Source): Effect[] {
  if (typeof templates !== "string") return [];
  return [
    effect("render", templates, from, sha256(templates)),
    ...ofFiles("render", templateFiles(resolve(folder, templates)), from),
  ];
}

/** Effect of a contract's `server`: a command, a URL, or the name of a server in a host's file. */
function serverEffects(
  server: JsonValue | undefined,
  folder: string,
  from: Source,
  own: ReadonlySet<string> = new Set(),
): Effect[] {
  if (typeof server !== "string") return [];
  const [, command] = /^stdio:([^]*)$/i.exec(server) ?? [];
  if (command !== undefined) {
    const start = { command: server, texts: [command], environment: {}, cwd: folder, sha256: sha256(server) };
    return startEffects(start, from);
  }
  if (/^https?:/i.test(server)) return [effect("send", server, from, sha256(server), false)];
  return [effect("start", server, from, sha256(server), !own.has(server))];
}

/** Effects of the servers in a host's file; none if the file cannot be read. */
async function hostEffects(host: HostFile, folder: string): Promise<Effect[]> {
  const shown = slashPath(folder, host.path);
  const configuration = await readHostFile(host, shown).catch(() => undefined);
  if (configuration === undefined) return [];
  const { servers, inputs } = configuration;
  return Object.entries(servers).flatMap(([name, entry]) => {
    const from = { folder, file: shown, pointer: pointer("", host.member, name) };
    return entryEffects(entry, sha256(canonicalText([entry, inputs] as unknown as JsonValue)), host, from);
  });
}

function entryEffects(entry: JsonValue, digest: string, { expansion }: HostFile, from: Source): Effect[] {
  if (!isJsonObject(entry)) return [];
  const texts = textsIn(entry);
  const variables = new Set(
    texts.flatMap(referencesIn).flatMap((part) => ("text" in part ? [] : [`\${${part.reference}}`])),
  );
  const effects: Effect[] = [];
  if (variables.size > 0 && expansion !== "none")
    effects.push(effect("expand", [...variables].sort().join(", "), from, digest));
  if (typeof entry["url"] === "string") {
    effects.push(effect("send", entry["url"], from, digest, false), ...helperEffects(entry, digest, from));
  } else if (typeof entry["command"] === "string") {
    const filled = (text: string): string => text.replaceAll("${workspaceFolder}", from.folder);
    const cwd = typeof entry["cwd"] === "string" ? resolve(from.folder, filled(entry["cwd"])) : from.folder;
    const environment = isJsonObject(entry["env"]) ? entry["env"] : {};
    const start = { command: commandText(entry), texts: texts.map(filled), environment, cwd, sha256: digest };
    effects.push(...startEffects(start, from));
  }
  return effects;
}

/**
 * Effects of an entry's `headersHelper`. For a host that does not support it, `entryOf` rejects the entry
 * later.
 */
function helperEffects({ headersHelper: command }: JsonObject, digest: string, from: Source): Effect[] {
  if (typeof command !== "string") return [];
  const start = { command, texts: [command], environment: {}, cwd: from.folder, sha256: digest };
  return startEffects(start, at(from, "headersHelper"));
}

function commandText({ command, args }: JsonObject): string {
  return [command, ...listOf(args)]
    .map((word) => (typeof word === "string" ? word : JSON.stringify(word)))
    .join(" ");
}

/** Programs that run scripts of package.json, and programs that run the entry point of a folder. */
const scriptRunners = /^(?:npm|npx|yarn|pnpm|pnpx|bun|bunx)(?:\.cmd|\.exe)?$/i;
const folderRunners = /^(?:node|nodejs|tsx|ts-node|deno|npm|npx|bun)(?:\.cmd|\.exe)?$/i;

interface Start {
  /** The command in messages. */
  readonly command: string;
  /** All texts of the entry: arguments, variables, folder. */
  readonly texts: readonly string[];
  readonly environment: JsonObject;
  readonly cwd: string;
  /** Hash of the entry. */
  readonly sha256: string;
}

/**
 * Effects of starting a command: the start itself, and the project's files that may run. These are files
 * named by its words or variables, programs found through PATH or `node_modules/.bin`, and everything those
 * files import.
 */
function startEffects({ command, texts, environment, cwd, sha256: digest }: Start, from: Source): Effect[] {
  const words = texts.flatMap(wordsIn);
  const searched = Object.entries(environment)
    .filter(([name]) => name.toUpperCase() === "PATH")
    .flatMap(([, value]) => String(value).split(delimiter));
  const around = foldersUpFrom(cwd);
  // Folders of the programs that the project's packages install.
  const bins = around.map((up) => join(up, "node_modules/.bin"));
  const folders = [cwd, ...searched.map((path) => resolve(cwd, path)), ...bins];
  const runsFolders = words.some((word) => folderRunners.test(basename(word)));
  const entries = words.flatMap((word) => [
    ...folders.flatMap((folder) => realFile(resolve(folder, word))),
    ...(runsFolders ? mainOf(resolve(cwd, word)) : []),
  ]);
  if (words.some((word) => scriptRunners.test(basename(word)))) entries.push(...nearestManifest(around));
  // Files outside the project are not part of its content.
  const inside = entries.filter((file) => file.startsWith(projectRoot(from.folder) + sep));
  return [effect("start", command, from, digest), ...ofFiles("run", moduleFiles(inside), from)];
}

/** All strings that may be a word of a command line: the text itself, its parts, and quoted words. */
function wordsIn(text: string): string[] {
  const quoted = [...text.matchAll(/"([^"]*)"|'([^']*)'/g)].map(([, one, other]) => one ?? other ?? "");
  const plain = text.replace(/["']/g, "").split(/\s+/);
  return [text, ...quoted, ...plain, ...text.split(/[\s"'=,;{}]+|:-/)].filter((word) => word !== "");
}

function nearestManifest(folders: readonly string[]): string[] {
  return folders.flatMap((folder) => realFile(join(folder, "package.json"))).slice(0, 1);
}

function at(from: Source, ...path: readonly (string | number)[]): Source {
  return { ...from, pointer: pointer(from.pointer, ...path) };
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function digestOf(file: string): string {
  return sha256(readRegularFile(file, { limit: Infinity }));
}
