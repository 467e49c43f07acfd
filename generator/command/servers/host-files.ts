import { statSync } from "node:fs";
import { join } from "node:path";
import { homeFolder, searchFolders } from "../../config/search-folders.js";

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
