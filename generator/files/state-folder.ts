import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";

/**
 * The folder of what mcpgen remembers (XDG Base Directory Specification). A relative path in a variable counts as absent, as
 * the specification asks: it would lead into the folder where a command runs, which others may have filled.
 */
export function stateFolder({ XDG_STATE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  const home = absolute(HOME) ?? homedir();
  return join(absolute(XDG_STATE_HOME) ?? join(home, ".local/state"), "mcpgen");
}

function absolute(path: string | undefined): string | undefined {
  return path && isAbsolute(path) ? path : undefined;
}
