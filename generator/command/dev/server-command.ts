import { existsSync } from "node:fs";
import { join } from "node:path";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Arguments } from "../command.js";
import { shellLine } from "../../print/terminal-text.js";
import type { Preparation } from "./preparation.js";

/** The server of the development loop: a command to start, or a URL. */
export interface DevelopedServer {
  /** `stdio:COMMAND …` or a URL. */
  readonly source: string;
  /** The folder in which the command starts. */
  readonly directory: string;
}

/**
 * Chooses the server of the development loop: the one on the command line, the one of the only contract in
 * the configuration, or the compiled `src/main.ts`.
 *
 * @throws CodedError MG2004, MG2005 for invalid or conflicting options, MG2003 if there is no server
 */
export function developedServer(
  args: Arguments,
  preparation: Preparation,
  directory: string,
): DevelopedServer {
  const [command, url] = [args.string("server"), args.string("http")];
  if (url !== undefined) return { source: expectUrl(url), directory };
  if (command !== undefined) return { source: commandSource(command), directory };
  const { config, folder } = preparation.project.loaded;
  const [configured, another] = (config.contracts ?? []).flatMap(({ role, server }) =>
    role !== "client" && server !== undefined ? [server] : [],
  );
  if (configured !== undefined && another === undefined) return { source: configured, directory: folder };
  const main = join(folder, "src/main.ts");
  if (existsSync(main))
    return { source: `stdio:${shellLine(["node", preparation.outputOf(main)])}`, directory: folder };
  throw new CodedError("MG2003", "expected --server COMMAND: the project has no src/main.ts", {
    next: 'Name the command that starts the server, e.g. --server "node dist/server.js"; or run the command in a project of `mcpgen init server`.',
  });
}

function expectUrl(url: string): string {
  if (/^https?:\/\//i.test(url) && URL.canParse(url)) return url;
  throw new CodedError("MG2004", `expected --http to be a URL, got ${JSON.stringify(url)}`, {
    next: "Give http(s)://…; a command is for --server.",
  });
}

function commandSource(command: string): string {
  if (/^https?:\/\//i.test(command))
    throw new CodedError("MG2004", "expected --server to be a command, got a URL", {
      next: "Use --http URL.",
    });
  return /^stdio:/i.test(command) ? command : `stdio:${command}`;
}
