import { join } from "node:path";
import { escapedLines } from "../print/text.js";
import { bundleCommand } from "../distribution/mcpb.js";
import { packageName } from "../contract/project-name.js";

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
    mcpServers: text({ mcpServers: { [host]: start } }),
    servers: text({ servers: { [host]: { type: "stdio", ...start } } }),
    claude: `claude mcp add ${host} -- node ${shellWord(path)}`,
    bundle: bundleCommand,
  };
}

function text(value: object): string {
  return escapedLines(JSON.stringify(value, null, 2));
}

function shellWord(word: string): string {
  return /^[\w./:=,@+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
