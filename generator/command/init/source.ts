import { statSync, existsSync } from "node:fs";
import { basename, extname, join, resolve, isAbsolute } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import { capture } from "../../capture/capture.js";
import {
  type ServerSource,
  isServerSource,
  kindOfServer,
  shownSource,
  mayHoldSecret,
} from "../../capture/server-source.js";
import { withServer } from "../../capture/with-server.js";
import { type ContractDocument, contractIn, contractFileName } from "../../contract/contract.js";
import { expectName, nearestName } from "../../contract/project-name.js";
import { sampleContract } from "../../init/project.js";
import { type Finding, CodedError } from "../../diagnostics/coded-error.js";
import type { Render } from "../../print/templates.js";
import { type Arguments, type CommandContext, contextWith } from "../command.js";
import { namelessFinding } from "../capture.js";
import { slashPath } from "../../files/platform.js";
import { incompleteFindings, leftOutFinding } from "../capture/left-out.js";
import { serverOptions } from "../server-options.js";
import { serverSource, knownServers } from "../servers/named-servers.js";
import { shownPath, shellLine } from "../../print/terminal-text.js";
import { loadRuntime } from "../../capture/runtime.js";
import { homeFolder, searchFolders } from "../../config/config.js";
import { hostFiles } from "../servers/host-files.js";
import { loadContract, readContract, contractText } from "../../contract/read-contract.js";

/** The contract that a project starts from. */
interface ProjectSource {
  readonly document: ContractDocument;
  /** Path of the contract file below the project. */
  readonly contractFile: string;
  readonly isSample: boolean;
  /** The contract's live server, in the form for the configuration. */
  readonly server?: string | undefined;
  /** Findings about invalid list entries of the server. */
  readonly findings: readonly Finding[];
}

interface SourceRequest {
  readonly role: "client" | "server";
  readonly args: Arguments;
  readonly context: CommandContext;
  /** Folder of the project. */
  readonly folder: string;
  /** The server's name, if given. */
  readonly name: string | undefined;
  readonly speaks: readonly string[] | undefined;
  /** Capabilities that the extensions of a new server need. */
  readonly capabilities: JsonObject;
  readonly render: Render;
}

/**
 * Chooses the contract to start from: the file of `--contract`, the contract of a live server, a contract in
 * the project's folder, or a sample.
 *
 * @throws CodedError MG2003 for a client without a contract; MG2005 for conflicting options; MG2015 for an
 * invalid name; and the errors of `readContract` and `withServer`
 */
export async function projectSource(request: SourceRequest): Promise<ProjectSource> {
  const { role, args, context, folder, name, capabilities, render } = request;
  const [file, server] = [args.string("contract"), args.string("server")];
  refuseContradictions(request);
  const there = contractIn(folder);
  if (server !== undefined) return captured(server, request);
  const path = file === undefined ? there && join(folder, there) : contractPath(file, context.directory);
  if (path !== undefined) {
    refuseSecond(path, there, folder, context.directory);
    const document = await loadContract(path, shownPath(path, context.directory));
    const contractFile = `mcp.contract${extname(path) === ".json" ? ".json" : ".yaml"}`;
    const isSample =
      role === "server" &&
      document.text === sampleContract(document.contract.name, render, document.contract.capabilities);
    return { document, contractFile, isSample, findings: [] };
  }
  if (role === "client") {
    throw new CodedError("MG2003", "expected the contract of the server", {
      next: "Name its file with --contract FILE, or the running server with --server SOURCE.",
    });
  }
  const text = sampleContract(
    name === undefined ? folderName(folder) : expectName(name),
    render,
    capabilities,
  );
  const document = await readContract(text, contractFileName);
  return { document, contractFile: contractFileName, isSample: true, findings: [] };
}

/** Derives a server's default name from its folder. */
export function folderName(folder: string): string {
  const near = nearestName(basename(folder));
  if (near !== undefined) return near;
  throw new CodedError(
    "MG2015",
    `no name can be made of that of the folder, ${JSON.stringify(basename(folder))}`,
    {
      next: "Name the server: --name NAME.",
    },
  );
}

async function captured(
  named: string,
  { role, args, context, folder, speaks }: SourceRequest,
): Promise<ProjectSource> {
  const there = contractIn(folder);
  if (there !== undefined) throw secondContract(shownPath(folder, context.directory, there));
  // If the project is to support several revisions, the server chooses the revision of this session.
  const options = { ...serverOptions(args, context), revision: speaks?.length === 1 ? speaks[0] : undefined };
  const source = await serverSource(named, args, context);
  context.console.progress(`asking ${shownSource(source)}`);
  const { timeout } = options;
  const live = await withServer(source, options, (client) =>
    capture(client, timeout === undefined ? {} : { timeout }),
  );
  const text = await contractText(live.contract, contractFileName);
  // The configuration of a new server does not name the server that the contract comes from, because the
  // project replaces it.
  const { server, findings } =
    role === "client" ? await configuredServer(source, folder, args, context) : { findings: [] };
  return {
    document: await readContract(text, contractFileName),
    contractFile: contractFileName,
    isSample: false,
    server,
    findings: [
      ...findings,
      ...live.leftOut.map((entry) => leftOutFinding(entry, source)),
      ...namelessFinding(live, source),
      ...incompleteFindings(live, source),
    ],
  };
}

function contractPath(file: string, directory: string): string {
  const path = resolve(directory, file);
  if (isServerSource(file)) {
    throw new CodedError("MG2004", "expected --contract to be a file, got a server", {
      next: "Name a server with --server SOURCE.",
    });
  }
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    const inside = contractIn(path);
    throw new CodedError("MG2004", "expected --contract to be a file, got a folder", {
      place: { file: shownPath(path, directory) },
      next: inside === undefined ? "Name the file." : `Did you mean ${shownPath(path, directory, inside)}?`,
    });
  }
  return path;
}

/** Options that need `--server`. */
const serverOnly = ["header", "env", "timeout", "input"] as const;

function refuseContradictions({ args, folder, name }: SourceRequest): void {
  const [file, server] = [args.string("contract"), args.string("server")];
  const stray = server === undefined ? serverOnly.find((option) => args.given(option)) : undefined;
  if (stray !== undefined)
    throw new CodedError("MG2005", `--${stray} needs --server`, { next: "Name the server, too." });
  const has = server !== undefined ? "the server" : (file ?? contractIn(folder));
  if (name !== undefined && has !== undefined) {
    throw new CodedError("MG2005", `--name and a contract exclude each other: ${has} has a name`, {
      next: "Leave --name out, or change the name in the contract.",
    });
  }
}

function refuseSecond(path: string, there: string | undefined, folder: string, directory: string): void {
  if (there !== undefined && join(folder, there) !== path)
    throw secondContract(shownPath(folder, directory, there));
}

/** @param options the options that need a folder without a contract */
export function secondContract(shown: string, options = "--contract and --server"): CodedError {
  return new CodedError("MG2005", `the folder already has a contract: ${shown}`, {
    next: `Leave out ${options} to use that contract, or name another folder.`,
  });
}

/** The live server in the configuration of a new project. */
interface ConfiguredServer {
  /** A SOURCE that is valid from the project's folder; undefined if there is no such form. */
  readonly server?: string;
  readonly findings: readonly Finding[];
}

/**
 * Makes the `server` member of the new contract's configuration entry, from which `mcpgen check` finds the
 * server. Secrets are omitted, because the configuration is shared.
 *
 * @param source the server that the contract was captured from
 * @param folder folder of the project
 */
async function configuredServer(
  source: ServerSource,
  folder: string,
  args: Arguments,
  context: CommandContext,
): Promise<ConfiguredServer> {
  if (args.given("header")) return unwritten("its requests need headers");
  if (typeof source !== "string") {
    const there = contextWith(context, { directory: folder });
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

/**
 * Whether the search for a host's configuration file, started in the new project, reaches it. Without a
 * repository, the project's package.json ends the search.
 */
function isFoundFrom(folder: string, path: string, { env }: CommandContext): boolean {
  const file = hostFiles(folder, env).find((each) => each.path === path);
  if (file === undefined || file.isUsers || file.folder === folder) return file !== undefined;
  return searchFolders(folder, homeFolder(env)).some((each) => existsSync(join(each, ".git")));
}

/**
 * Rewrites a word of a command that is a path relative to `directory`, to be relative to `folder`. Returns
 * other words unchanged.
 */
function pathFrom(word: string, isProgram: boolean, directory: string, folder: string): string {
  const isPath = isProgram ? /[/\\]/.test(word) : !word.startsWith("-");
  const found =
    isPath && !isAbsolute(word) ? statSync(resolve(directory, word), { throwIfNoEntry: false }) : undefined;
  // A word without a slash counts as a path only if it is a file: the name of a package or script may equal
  // that of a folder.
  if (!found?.isFile() && !(found && word.includes("/"))) return word;
  const path = slashPath(folder, resolve(directory, word));
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
