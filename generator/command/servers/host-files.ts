import { statSync } from "node:fs";
import { join } from "node:path";
import { homeFolder, searchFolders } from "../../config/config.js";
import { type JsonObject, type JsonValue, isJsonObject, kindOf, pointer } from "@mcpgen/engine";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";
import { readRegularText } from "../../files/regular-file.js";

/** Which `${…}` a host replaces in the entries of its file. */
type Expansion = "shell" | "editor" | "none";

/** A kind of file in which a host names servers. */
interface HostFileKind {
  readonly host: string;
  /** The member that holds the servers by name. */
  readonly member: "mcpServers" | "servers";
  readonly expansion: Expansion;
  /** Whether an entry with a URL may name a command that prints headers, `headersHelper`. */
  readonly runsHelpers: boolean;
}

export interface HostFile extends HostFileKind {
  readonly path: string;
  /** The folder that relative paths in the file start at, and that `${workspaceFolder}` stands for. */
  readonly folder: string;
  /** Whether it is the user's own, and of no project. */
  readonly isUsers: boolean;
}

/** In each folder the first file that names a server wins. */
const projectFiles: readonly (HostFileKind & { readonly path: string })[] = [
  { path: ".mcp.json", host: "Claude Code", member: "mcpServers", expansion: "shell", runsHelpers: true },
  { path: ".vscode/mcp.json", host: "VS Code", member: "servers", expansion: "editor", runsHelpers: false },
  { path: ".cursor/mcp.json", host: "Cursor", member: "mcpServers", expansion: "editor", runsHelpers: false },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The files that name servers for `directory`: those of the project, the nearest folder first, then those of the user: in the
 * home folder, and of the desktop.
 */
export function hostFiles(directory: string, env: Environment, platform = process.platform): HostFile[] {
  const home = homeFolder(env);
  const folders = searchFolders(directory, home).filter((folder) => folder !== home);
  return [...folders.flatMap(hostFilesIn), ...userFiles(directory, env, platform)];
}

/** The files in one folder of a project. */
export function hostFilesIn(folder: string): HostFile[] {
  return filesIn(folder, false);
}

function filesIn(folder: string, isUsers: boolean): HostFile[] {
  return projectFiles
    .map(({ path, ...kind }) => ({ ...kind, folder, path: join(folder, path), isUsers }))
    .filter(({ path }) => exists(path));
}

function userFiles(directory: string, env: Environment, platform: NodeJS.Platform): HostFile[] {
  const files = filesIn(homeFolder(env), true);
  const desktop = desktopFolder(env, platform);
  const path = desktop && join(desktop, "claude_desktop_config.json");
  if (!path || !exists(path)) return files;
  const kind = { host: "Claude Desktop", member: "mcpServers", expansion: "none" } as const;
  return [...files, { ...kind, runsHelpers: false, path, folder: directory, isUsers: true }];
}

function exists(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The folder in which Claude Desktop keeps its configuration. */
function desktopFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { HOME, APPDATA, XDG_CONFIG_HOME } = env;
  if (platform === "win32") return APPDATA && join(APPDATA, "Claude");
  if (platform === "darwin") return HOME && join(HOME, "Library/Application Support/Claude");
  const config = XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return config && join(config, "Claude");
}

/** A value that a host asks its user for. */
export interface InputDeclaration {
  readonly id: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
  readonly fallback: string | undefined;
}

/** The content of a host's file, not checked further. */
export interface HostConfiguration {
  readonly file: HostFile;
  readonly servers: JsonObject;
  readonly inputs: readonly InputDeclaration[];
}

/**
 * Reads a file in which a host names servers: JSON, with comments and trailing commas as editors allow them.
 *
 * @param shown what messages call the file
 * @throws CodedError MG2202 for what cannot be read, or is no such file
 */
export async function readHostFile(file: HostFile, shown: string): Promise<HostConfiguration> {
  const value = await parsed(readText(file.path, shown), shown);
  const servers = value[file.member] ?? {};
  if (!isJsonObject(servers))
    throw wrong({ file: shown, pointer: `/${file.member}` }, "an object", kindOf(servers));
  const { inputs } = value;
  return { file, servers, inputs: Array.isArray(inputs) ? inputs.flatMap(declaration) : [] };
}

/** A fault of a host's file is one of configuration. */
function readText(path: string, shown: string): string {
  try {
    return readRegularText(path, { shown });
  } catch (cause) {
    const { message, next } = cause as CodedError;
    throw new CodedError("MG2202", message, { place: { file: shown }, ...(next && { next }), cause });
  }
}

async function parsed(source: string, shown: string): Promise<JsonObject> {
  const { parseCommentedJson } = await import("../../files/commented-json.js");
  const text = source.replace(/^\uFEFF/, "");
  const read = parseCommentedJson(text);
  if ("fault" in read) {
    const { lineAndColumn } = await import("../../files/json-file.js");
    const place: Place = { file: shown, ...lineAndColumn(text, read.fault.offset) };
    throw new CodedError("MG2202", `not JSON: ${read.fault.reason}`, {
      place,
      next: "Correct the file; its host cannot read it either.",
    });
  }
  const { value } = read;
  if (!isJsonObject(value)) throw wrong({ file: shown }, "an object", kindOf(value));
  return value;
}

function declaration(value: JsonValue): InputDeclaration[] {
  if (!isJsonObject(value) || typeof value["id"] !== "string") return [];
  const { id, description, password } = value;
  const text = (member: JsonValue | undefined): string | undefined =>
    typeof member === "string" ? member : undefined;
  return [
    { id, description: text(description), isSecret: password === true, fallback: text(value["default"]) },
  ];
}

/** An entry's parts, as they stand in the file. */
export type ServerEntry =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string | undefined;
    }
  | {
      readonly kind: "http";
      readonly url: string;
      readonly headers: Readonly<Record<string, string>>;
      /** A command that prints further headers. */
      readonly helper: string | undefined;
    };

/**
 * The server of that name.
 *
 * @throws CodedError MG2202 for an entry that starts nothing and has no address
 */
export function entryOf({ file, servers }: HostConfiguration, name: string, shown: string): ServerEntry {
  const at = pointer(`/${file.member}`, name);
  const entry = servers[name];
  if (!isJsonObject(entry)) throw wrong({ file: shown, pointer: at }, "an object", kindOf(entry ?? null));
  const place = (member: string): Place => ({ file: shown, pointer: pointer(at, member) });
  const { url } = entry;
  if (typeof url === "string") {
    // A placeholder such as `${URL}` has no value yet.
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(url)) throw wrongUrl(place("url"), url);
    const headers = texts(entry["headers"], place("headers"));
    return { kind: "http", url, headers, helper: helperOf(entry, file, place("headersHelper")) };
  }
  if (typeof entry["command"] !== "string" || entry["command"] === "")
    throw wrong({ file: shown, pointer: at }, 'a "command" or a "url"', kindOf(entry));
  const { args = [], cwd } = entry;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    throw wrong(place("args"), "an array of strings", kindOf(args));
  if (entry["envFile"] !== undefined)
    throw new CodedError("MG2202", "envFile is not supported", {
      place: place("envFile"),
      next: "Start the server with stdio:COMMAND …, and pass the variables with --env NAME.",
    });
  const env = texts(entry["env"], place("env"));
  const folder = typeof cwd === "string" ? cwd : undefined;
  return { kind: "stdio", command: entry["command"], args: args as string[], env, cwd: folder };
}

/** The command that prints headers. A host that does not know it sends requests without: that is refused. */
function helperOf(
  { headersHelper: command }: JsonObject,
  { host, runsHelpers }: HostFile,
  place: Place,
): string | undefined {
  if (command === undefined) return undefined;
  if (!runsHelpers)
    throw new CodedError("MG2202", `headersHelper is not supported by ${host}`, {
      place,
      next: "Put the header into `headers`, or pass it with --header NAME:VALUE.",
    });
  if (typeof command === "string" && command.trim() !== "") return command;
  throw wrong(place, "a command", typeof command === "string" ? "an empty string" : kindOf(command));
}

/** An object of texts; numbers and booleans are what they are written as. */
function texts(value: JsonValue | undefined, place: Place): Record<string, string> {
  if (value === undefined || value === null) return {};
  if (!isJsonObject(value)) throw wrong(place, "an object", kindOf(value));
  return Object.fromEntries(
    Object.entries(value).map(([name, text]): [string, string] => {
      if (typeof text === "string" || typeof text === "number" || typeof text === "boolean")
        return [name, String(text)];
      throw wrong({ ...place, pointer: pointer(place.pointer!, name) }, "a string", kindOf(text!));
    }),
  );
}

/** The error of a `url` that is no http or https URL. */
export function wrongUrl(place: Place, url: string): CodedError {
  return wrong(place, "an http or https URL", JSON.stringify(url));
}

function wrong(place: Place, expected: string, got: string): CodedError {
  return new CodedError("MG2202", `expected ${expected}, got ${got}`, {
    place,
    next: "Correct the file; its host cannot use it either.",
  });
}
