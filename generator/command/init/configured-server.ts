import { existsSync, statSync } from "node:fs";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { loadRuntime } from "../../capture/runtime.js";
import { type ServerSource, kindOfServer } from "../../capture/server-source.js";
import { mayHoldSecret } from "../../capture/shown-source.js";
import { homeFolder, searchFolders } from "../../config/search-folders.js";
import type { Finding } from "../../diagnostics/finding.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { hostFiles } from "../servers/host-files.js";
import { knownServers } from "../servers/named-servers.js";
import { shellLine } from "../../print/shell-line.js";

/** The entry for its live server in the configuration of a new project. */
interface ConfiguredServer {
  /** A SOURCE that holds in the project's folder; undefined where none can be written. */
  readonly server?: string;
  readonly findings: readonly Finding[];
}

/**
 * The `server` of the new contract's entry in the configuration, by which `mcpgen check` finds it again. Secrets are not
 * written: the configuration is shared.
 *
 * @param source the server that the contract was captured from
 * @param folder the project's
 */
export async function configuredServer(
  source: ServerSource,
  folder: string,
  args: Arguments,
  context: CommandContext,
): Promise<ConfiguredServer> {
  if (args.given("header")) return unwritten("its requests need headers");
  if (typeof source !== "string") {
    const there = Object.create(context, { directory: { value: folder } }) as CommandContext;
    const isKnown = (await knownServers(there)).some(({ name }) => name === source.name);
    return isKnown && isFoundFrom(folder, resolve(context.directory, source.file), context)
      ? { server: source.name, findings: [] }
      : unwritten("no file of a host names it in the project's folder");
  }
  if (mayHoldSecret(source)) return unwritten("its address may hold a secret");
  const { directory } = context;
  if (kindOfServer(source) === "http" || folder === directory) return { server: source, findings: [] };
  const words = (await loadRuntime()).parseStdioSource(source);
  const moved = words.map((word, index) => pathFrom(word, index === 0, directory, folder));
  return { server: `stdio:${shellLine(moved)}`, findings: [] };
}

/** Whether the search for a host's file reaches it from the new project, whose package.json ends it without a repository. */
function isFoundFrom(folder: string, path: string, { env }: CommandContext): boolean {
  const file = hostFiles(folder, env).find((each) => each.path === path);
  if (file === undefined || file.isUsers || file.folder === folder) return file !== undefined;
  return searchFolders(folder, homeFolder(env)).some((each) => existsSync(join(each, ".git")));
}

/** A word of a command that is a path from `directory`, as one from `folder`; other words stay. */
function pathFrom(word: string, isProgram: boolean, directory: string, folder: string): string {
  const isPath = isProgram ? /[/\\]/.test(word) : !word.startsWith("-");
  const found =
    isPath && !isAbsolute(word) ? statSync(resolve(directory, word), { throwIfNoEntry: false }) : undefined;
  // The name of a package or a script may be that of a folder, too.
  if (!found?.isFile() && !(found && word.includes("/"))) return word;
  const path = relative(folder, resolve(directory, word)).split(sep).join("/");
  return path.startsWith("../") ? path : `./${path}`;
}

function unwritten(why: string): ConfiguredServer {
  return {
    findings: [
      {
        code: "MG6402",
        severity: "warning",
        message: `the contract has no "server": ${why}`,
        place: { file: "mcpgen.config.json" },
        next: 'Name the server in .mcp.json, and add that name: "server": "NAME". Then `mcpgen check` compares the server with the contract.',
      },
    ],
  };
}
