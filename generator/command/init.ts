import { existsSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { generateContract } from "../contract/generate-contract.js";
import { clientFiles } from "../contract/init/client-project.js";
import { type ProjectRequest, commonFiles, generatedFolder } from "../contract/init/project.js";
import { sampleContract, serverFiles } from "../contract/init/server-project.js";
import { contractFileName } from "../contract/contract-file.js";
import type { ContractDocument } from "../contract/contract.js";
import { loadContract, readContract } from "../contract/read-contract.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { type Render, loadTemplates } from "../emit/templates.js";
import { type Manifest, manifestFile, manifestText } from "../output/manifest.js";
import { sha256 } from "../output/sha256.js";
import { applyChanges } from "../output/transaction.js";
import { recordedFiles } from "../output/write.js";
import { packageVersion } from "../package-folder.js";
import type { Arguments } from "./arguments.js";
import { columns } from "./columns.js";
import { counted } from "./counted.js";
import type { CommandContext, RunCommand } from "./context.js";
import type { Outcome } from "./outcome.js";
import { quoted } from "./repeated.js";
import { shownPath } from "./shown-path.js";

type Role = ProjectRequest["role"];

interface Source {
  readonly document: ContractDocument;
  readonly contractFile: string;
  readonly isSample: boolean;
}

/** Makes a project of a server: a contract, what is generated from it, and files that are the author's. */
export const initServer: RunCommand = (args, context) => init("server", args, context);

/** Makes a project of a client of one server, by its contract. */
export const initClient: RunCommand = (args, context) => init("client", args, context);

async function init(role: Role, args: Arguments, { directory }: CommandContext): Promise<Outcome> {
  const folder = resolve(directory, args.string("dir") ?? ".");
  const render = loadTemplates();
  const source = await sourceOf(role, args, folder, directory, render);
  const request: ProjectRequest = { ...source, role, version: packageVersion(), render };
  const files = [
    ...commonFiles(request),
    ...(role === "server" ? serverFiles(request) : clientFiles(request)),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  const generated = await generatedFiles(role, source);
  const planned = [...files, ...generated].map(([path, content]) => ({
    path,
    content,
    action: existsSync(join(folder, path)) ? ("SKIP" as const) : ("CREATE" as const),
  }));
  const created = planned.filter(({ action }) => action === "CREATE");
  const dryRun = args.flag("dry-run");
  if (!dryRun) applyChanges(folder, created);
  const shown = shownPath(folder, directory);
  const next = [...(shown === "." ? [] : [`cd ${quoted(shown)}`]), "npm install", "npm test"].join(" && ");
  return {
    steps: stepsOf(planned, generated.size, shown),
    summary:
      `${counted(created.length, "file")} ${dryRun ? "would be created (--dry-run)" : "created"}, ` +
      `${planned.length - created.length} left as they were`,
    ...(!dryRun && created.length > 0 && { mend: next }),
    data: { folder: shown, written: !dryRun, files: planned.map(({ path, action }) => ({ path, action })) },
  };
}

interface Planned {
  readonly path: string;
  readonly action: "CREATE" | "SKIP";
}

/** A line a file; those that are generated, which stand last, in one. */
function stepsOf(planned: readonly Planned[], generated: number, shown: string): string {
  const at = (path: string): string => (shown === "." ? path : `${shown}/${path}`);
  const own = planned.slice(0, -generated).map(({ action, path }) => [action, at(path)]);
  const made = planned.slice(-generated).filter(({ action }) => action === "CREATE").length;
  const files = `${at(generatedFolder)}/ (${made > 0 ? `${made} of ` : ""}${counted(generated, "file")})`;
  return columns([...own, [made > 0 ? "CREATE" : "SKIP", files]]);
}

/**
 * The contract to start from: the one that is named, the one that is there, or a sample.
 *
 * @throws CodedError MG2003 for a client without one; MG2005 where a name is given to a contract that has one; as `readContract`
 */
async function sourceOf(
  role: Role,
  args: Arguments,
  folder: string,
  directory: string,
  render: Render,
): Promise<Source> {
  const named = args.string("contract");
  const there = [contractFileName, "mcp.contract.json"].find((name) => existsSync(join(folder, name)));
  const file = named === undefined ? there && join(folder, there) : resolve(directory, named);
  if (file === undefined && role === "client") {
    throw new CodedError("MG2003", "expected the contract of the server", {
      next: "Name it with --contract FILE, or capture it first: `mcpgen capture SOURCE`.",
    });
  }
  if (file === undefined) {
    const name = args.string("name") ?? basename(folder);
    const document = await readContract(
      sampleContract(name === "" ? "server" : name, render),
      contractFileName,
    );
    return { document, contractFile: contractFileName, isSample: true };
  }
  const document = await loadContract(file, shownPath(file, directory));
  if (args.string("name") !== undefined) {
    throw new CodedError("MG2005", `--name and a contract exclude each other: ${document.file} has a name`, {
      next: "Leave --name out, or change the name in the contract.",
    });
  }
  const contractFile = `mcp.contract${extname(file) === ".json" ? ".json" : ".yaml"}`;
  if (there !== undefined && join(folder, there) !== file) {
    throw new CodedError("MG2005", `there is a contract already: ${shownPath(folder, directory, there)}`, {
      next: "Leave --contract out, or name another folder.",
    });
  }
  return { document, contractFile, isSample: false };
}

/** What `mcpgen generate` would write, with its manifest. */
async function generatedFiles(role: Role, { document, contractFile }: Source): Promise<Map<string, string>> {
  const options = { importExtension: "js", role } as const;
  const files = await generateContract({ document: { ...document, file: contractFile }, ...options });
  const manifest: Manifest = {
    generator: packageVersion(),
    options,
    shared: {},
    inputs: { contract: { [contractFile]: sha256(document.text) } },
    files: recordedFiles(files, undefined, () => false),
  };
  return new Map(
    [...files, [manifestFile, manifestText(manifest)] as const].map(([path, content]) => [
      `${generatedFolder}/${path}`,
      content,
    ]),
  );
}
