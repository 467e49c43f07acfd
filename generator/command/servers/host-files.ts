import { statSync } from "node:fs";
import { join } from "node:path";
import { homeFolder, searchFolders } from "../../config/config.js";
import { type JsonObject, type JsonValue, isJsonObject, kindOf, pointer } from "@mcpgen/engine";
import { type Place, CodedError } from "../../diagnostics/coded-error.js";
import { FileForm } from "../../files/file-form.js";
import { readRegularText } from "../../files/regular-file.js";

/** The style of `${…}` references that a host replaces in its file. */
type Expansion = "shell" | "editor" | "none";

/** A kind of configuration file in which a host (an MCP client application) names servers. */
interface HostFileKind {
  readonly host: string;
  /** The member with the servers, keyed by name. */
  readonly member: "mcpServers" | "servers";
  readonly expansion: Expansion;
  /** Whether an entry with a URL may have `headersHelper`, a command that prints headers. */
  readonly runsHelpers: boolean;
}

export interface HostFile extends HostFileKind {
  readonly path: string;
  /** The folder that relative paths start from, and the value of `${workspaceFolder}`. */
  readonly folder: string;
  /** Whether the file belongs to the user rather than to a project. */
  readonly isUsers: boolean;
}

/** The files of a project by priority: within a folder, the first file that names a server wins. */
const projectFiles: readonly (HostFileKind & { readonly path: string })[] = [
  { path: ".mcp.json", host: "Claude Code", member: "mcpServers", expansion: "shell", runsHelpers: true },
  { path: ".vscode/mcp.json", host: "VS Code", member: "servers", expansion: "editor", runsHelpers: false },
  { path: ".cursor/mcp.json", host: "Cursor", member: "mcpServers", expansion: "editor", runsHelpers: false },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The files that can name servers for `directory`, in order of priority: those of the project from the
 * nearest folder up, then those in the user's home folder and of Claude Desktop.
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

/** The folder of Claude Desktop's configuration. */
function desktopFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { HOME, APPDATA, XDG_CONFIG_HOME } = env;
  if (platform === "win32") return APPDATA && join(APPDATA, "Claude");
  if (platform === "darwin") return HOME && join(HOME, "Library/Application Support/Claude");
  const config = XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return config && join(config, "Claude");
}

/** A value that the host asks its user for. */
export interface InputDeclaration {
  readonly id: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
  readonly fallback: string | undefined;
}

const codes = { unknownKey: "MG2202", wrongValue: "MG2202" } as const;

/** Strings by name; numbers and booleans are converted to text. */
const textsByName = {
  type: ["object", "null"],
  additionalProperties: { type: ["string", "number", "boolean"] },
};

/** The parts of a host's file that are read: hosts have further members. */
const forms = {
  object: new FileForm({ type: "object" }, codes),
  http: new FileForm({ properties: { headers: textsByName } }, codes),
  stdio: new FileForm(
    { properties: { args: { type: "array", items: { type: "string" } }, env: textsByName } },
    codes,
  ),
};

/** The parsed content of a host's file; its entries are not checked yet. */
export interface HostConfiguration {
  readonly file: HostFile;
  readonly servers: JsonObject;
  readonly inputs: readonly InputDeclaration[];
}

/**
 * Reads a host's configuration file: JSON that may have comments and trailing commas.
 *
 * @param shown the file's path in messages
 * @throws CodedError MG2202 if the file cannot be read or has another form
 */
export async function readHostFile(file: HostFile, shown: string): Promise<HostConfiguration> {
  const value = await parsed(readText(file.path, shown), shown);
  const servers = objectOf(value[file.member] ?? {}, { file: shown, pointer: `/${file.member}` });
  const { inputs } = value;
  return { file, servers, inputs: Array.isArray(inputs) ? inputs.flatMap(declaration) : [] };
}

/** Reads the text of a host's file. A failure is a configuration error. */
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
  return objectOf(read.value, { file: shown });
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

/** The parts of a server entry, with references not yet replaced. */
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
      /** A command that prints additional headers. */
      readonly helper: string | undefined;
    };

/**
 * Finds a server by name.
 *
 * @throws CodedError MG2202 for an entry with neither a command nor a URL
 */
export function entryOf({ file, servers }: HostConfiguration, name: string, shown: string): ServerEntry {
  const at = pointer(`/${file.member}`, name);
  const entry = objectOf(servers[name] ?? null, { file: shown, pointer: at });
  const place = (member: string): Place => ({ file: shown, pointer: pointer(at, member) });
  const { url } = entry;
  if (typeof url === "string") {
    // A URL that starts with a reference such as `${URL}` cannot be checked yet.
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(url)) throw wrongUrl(place("url"), url);
    requireForm(forms.http, entry, { file: shown, pointer: at });
    const headers = texts(entry["headers"]);
    return { kind: "http", url, headers, helper: helperOf(entry, file, place("headersHelper")) };
  }
  if (typeof entry["command"] !== "string" || entry["command"] === "")
    throw wrong({ file: shown, pointer: at }, 'a "command" or a "url"', kindOf(entry));
  requireForm(forms.stdio, entry, { file: shown, pointer: at });
  const { args = [], cwd } = entry;
  if (entry["envFile"] !== undefined)
    throw new CodedError("MG2202", "envFile is not supported", {
      place: place("envFile"),
      next: "Start the server with stdio:COMMAND …, and pass the variables with --env NAME.",
    });
  const env = texts(entry["env"]);
  const folder = typeof cwd === "string" ? cwd : undefined;
  return { kind: "stdio", command: entry["command"], args: args as string[], env, cwd: folder };
}

/**
 * The command of `headersHelper`. For a host that does not support it, it is an error, since that host would
 * send requests without the headers.
 */
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

function texts(value: JsonValue | undefined): Record<string, string> {
  return Object.fromEntries(Object.entries(value ?? {}).map(([name, text]) => [name, String(text)]));
}

/** @throws CodedError MG2202 if a value is not an object */
function objectOf(value: JsonValue, place: Place): JsonObject {
  requireForm(forms.object, value, place);
  return value as JsonObject;
}

/** @throws CodedError MG2202 for the first part that the form does not allow */
function requireForm(form: FileForm, value: JsonValue, place: Place): void {
  const [fault] = form.faults(value);
  if (!fault) return;
  const at = (place.pointer ?? "") + fault.pointer;
  throw unusable(at === "" ? place : { ...place, pointer: at }, fault.message);
}

/** The error for a `url` that is not an http or https URL. */
export function wrongUrl(place: Place, url: string): CodedError {
  return wrong(place, "an http or https URL", JSON.stringify(url));
}

function wrong(place: Place, expected: string, got: string): CodedError {
  return unusable(place, `expected ${expected}, got ${got}`);
}

function unusable(place: Place, message: string): CodedError {
  return new CodedError("MG2202", message, {
    place,
    next: "Correct the file; its host cannot use it either.",
  });
}
