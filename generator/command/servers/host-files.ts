import { statSync } from "node:fs";
import { dirname, join } from "node:path";

/** Which `${…}` a host replaces in the entries of its file. */
type Expansion = "shell" | "editor" | "none";

/** A kind of file in which a host names servers. */
interface HostFileKind {
  readonly host: string;
  /** The member that holds the servers by name. */
  readonly member: "mcpServers" | "servers";
  readonly expansion: Expansion;
}

export interface HostFile extends HostFileKind {
  readonly path: string;
  /** The folder that relative paths in the file start at, and that `${workspaceFolder}` stands for. */
  readonly folder: string;
}

/** In each folder the first file that names a server wins. */
const projectFiles: readonly (HostFileKind & { readonly path: string })[] = [
  { path: ".mcp.json", host: "Claude Code", member: "mcpServers", expansion: "shell" },
  { path: ".vscode/mcp.json", host: "VS Code", member: "servers", expansion: "editor" },
  { path: ".cursor/mcp.json", host: "Cursor", member: "mcpServers", expansion: "editor" },
];

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The files that name servers for `directory`: those of the nearest folder first, that of the desktop last. A file in a
 * parent that belongs to another user is left out: it could start that user's program under the name of one's own.
 *
 * @param user the id of the process's user; undefined on platforms without
 */
export function hostFiles(
  directory: string,
  env: Environment,
  platform = process.platform,
  user = process.getuid?.(),
): HostFile[] {
  const files = foldersUpFrom(directory).flatMap((folder) =>
    projectFiles.map(({ path, ...kind }) => ({ ...kind, folder, path: join(folder, path) })),
  );
  const desktop = desktopFolder(env, platform);
  if (desktop !== undefined)
    files.push({
      host: "Claude Desktop",
      member: "mcpServers",
      expansion: "none",
      path: join(desktop, "claude_desktop_config.json"),
      folder: directory,
    });
  return files.filter(({ path, folder }) => {
    const found = statSync(path, { throwIfNoEntry: false });
    if (found === undefined) return false;
    return folder === directory || user === undefined || found.uid === user || found.uid === root;
  });
}

/** The id of the superuser. */
const root = 0;

function foldersUpFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersUpFrom(parent)];
}

/** The folder in which Claude Desktop keeps its configuration. */
function desktopFolder(env: Environment, platform: NodeJS.Platform): string | undefined {
  const { HOME, APPDATA, XDG_CONFIG_HOME } = env;
  if (platform === "win32") return APPDATA && join(APPDATA, "Claude");
  if (platform === "darwin") return HOME && join(HOME, "Library/Application Support/Claude");
  const config = XDG_CONFIG_HOME || (HOME && join(HOME, ".config"));
  return config && join(config, "Claude");
}
