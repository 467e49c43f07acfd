import { homedir } from "node:os";
import { join } from "node:path";

/** The folder of what mcpgen remembers (XDG Base Directory Specification). */
export function stateFolder({ XDG_STATE_HOME, HOME }: Readonly<Record<string, string | undefined>>): string {
  return join(XDG_STATE_HOME || join(HOME || homedir(), ".local/state"), "mcpgen");
}
