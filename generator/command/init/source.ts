import { statSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import type { JsonObject } from "@mcpgen/engine";
import { capture } from "../../capture/capture.js";
import { isServerSource } from "../../capture/server-source.js";
import { shownSource } from "../../capture/shown-source.js";
import { withServer } from "../../capture/with-server.js";
import { contractFileName, contractIn } from "../../contract/contract-file.js";
import { contractText } from "../../contract/contract-text.js";
import type { ContractDocument } from "../../contract/contract.js";
import { expectName, nearestName } from "../../contract/project-name.js";
import { sampleContract } from "../../init/project.js";
import { loadContract, readContract } from "../../contract/read-contract.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import type { Finding } from "../../diagnostics/finding.js";
import type { Render } from "../../print/templates.js";
import type { Arguments } from "../arguments.js";
import { namelessFinding } from "../capture.js";
import { incompleteFindings, leftOutFinding } from "../capture/left-out.js";
import type { CommandContext } from "../context.js";
import { serverOptions } from "../server-options.js";
import { serverSource } from "../servers/named-servers.js";
import { shownPath } from "../shown-path.js";
import { configuredServer } from "./configured-server.js";

/** The contract that a project starts from. */
interface ProjectSource {
  readonly document: ContractDocument;
  /** Its file below the project. */
  readonly contractFile: string;
  readonly isSample: boolean;
  /** The live server of the contract, as the configuration names it. */
  readonly server?: string | undefined;
  /** Entries of a live server's lists that are none. */
  readonly findings: readonly Finding[];
}

interface SourceRequest {
  readonly role: "client" | "server";
  readonly args: Arguments;
  readonly context: CommandContext;
  /** The project's. */
  readonly folder: string;
  /** The server's name, where one was given. */
  readonly name: string | undefined;
  readonly speaks: readonly string[] | undefined;
  /** Capabilities that the extensions of a new server need. */
  readonly capabilities: JsonObject;
  readonly render: Render;
}

/**
 * The contract to start from: the one that is named, that of a live server, the one that is there, or a sample.
 *
 * @throws CodedError MG2003 for a client without one; MG2005 for options that do not go together; MG2015 for a name that
 *   cannot be; as `readContract` and `withServer`
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

/** The name of a server that was given none: that of its folder. */
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
  // If the project is to support several revisions, the server's preference decides.
  const options = { ...serverOptions(args, context), revision: speaks?.length === 1 ? speaks[0] : undefined };
  const source = await serverSource(named, args, context);
  context.console.progress(`asking ${shownSource(source)}`);
  const { timeout } = options;
  const live = await withServer(source, options, (client) =>
    capture(client, timeout === undefined ? {} : { timeout }),
  );
  const text = await contractText(live.contract, contractFileName);
  // A new server is to replace the one that the contract comes from.
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

/** Options that only make sense beside `--server`. */
const serverOnly = ["header", "env", "timeout", "input"] as const;

function refuseContradictions({ args, folder, name }: SourceRequest): void {
  const [file, server] = [args.string("contract"), args.string("server")];
  if (file !== undefined && server !== undefined) {
    throw new CodedError("MG2005", "--contract and --server exclude each other", {
      next: "Start from the file, or from the server.",
    });
  }
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

function secondContract(shown: string): CodedError {
  return new CodedError("MG2005", `the folder already has a contract: ${shown}`, {
    next: "Leave out --contract and --server to use that contract, or name another folder.",
  });
}
