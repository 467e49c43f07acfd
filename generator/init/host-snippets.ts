import { join } from "node:path";
import { bundleCommand } from "../distribution/mcpb.js";
import { packageName } from "../contract/project-name.js";
import { shownJson } from "../print/terminal-text.js";
import { shellLine } from "../print/shell-line.js";

/** The entries with which hosts start a server, with its path on this machine. */
interface HostSnippets {
  /** The name that hosts call it by. */
  readonly host: string;
  /** The entry for Claude Desktop, Cursor and Claude Code. */
  readonly mcpServers: string;
  /** The entry for VS Code. */
  readonly servers: string;
  /** The command of Claude Code that adds it. */
  readonly claude: string;
  /** The command that makes one file of it. */
  readonly bundle: string;
}

/** @param folder the absolute path of the project */
export function hostSnippets(name: string, folder: string): HostSnippets {
  const host = packageName(name, "server").replaceAll(".", "-");
  const path = join(folder, "dist", "main.js");
  const start = { command: "node", args: [path] };
  return {
    host,
    mcpServers: shownJson({ mcpServers: { [host]: start } }),
    servers: shownJson({ servers: { [host]: { type: "stdio", ...start } } }),
    claude: shellLine(["claude", "mcp", "add", host, "--", "node", path]),
    bundle: bundleCommand,
  };
}
