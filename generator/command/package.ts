import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { isJsonObject } from "@mcpgen/engine";
import { type ContractDocument, contractIn } from "../contract/contract.js";
import { dockerFiles, mcpbFiles, registryFiles } from "../distribution/targets.js";
import type { PackageFiles, PackageRequest } from "../distribution/request.js";
import { CodedError } from "../diagnostics/coded-error.js";
import { loadTemplates } from "../print/templates.js";
import { loadJson } from "../files/json-file.js";
import { WriteRoot } from "../files/held-folder.js";
import { writeFiles } from "../files/writer.js";
import type { Arguments, CommandContext, RunCommand } from "./command.js";
import { columns, counted, shownPath } from "../print/terminal-text.js";
import { type Project, openProject } from "./project.js";
import { readTextIfPresent } from "../files/regular-file.js";
import { loadContract } from "../contract/read-contract.js";

/** The package formats, each with the function that creates its files. */
const targets: Readonly<Record<string, (request: PackageRequest) => PackageFiles>> = {
  docker: dockerFiles,
  mcpb: mcpbFiles,
  registry: registryFiles,
};

/** Writes the files that a registry, a container or a host needs to install the project's server. */
export const packageServer: RunCommand = async (args, context) => {
  const project = await openProject(args, context);
  const { folder } = project.loaded;
  const { contract } = await serverContract(args, project, context);
  const { files, findings, next } = targets[args.required("target")]!({
    contract,
    ...(await manifestIn(folder, context)),
    firstLine: readTextIfPresent(join(folder, "src/main.ts"))?.split("\n")[0],
    registryName: args.string("registry-name"),
    author: args.string("author"),
    remote: remote(args),
    render: loadTemplates(),
  });
  const planned = [...files].map(([path, content]) => ({
    path,
    content,
    before: readTextIfPresent(join(folder, path)),
  }));
  const changed = planned.filter(({ before, content }) => before !== content);
  const taken = args.flag("replace") ? undefined : changed.find(({ before }) => before !== undefined);
  if (taken)
    throw new CodedError("MG6310", "the file already exists, with other content", {
      place: { file: shownPath(folder, context.directory, taken.path) },
      next: "Look at it, then repeat with --replace.",
    });
  const dryRun = args.flag("dry-run");
  if (!dryRun && changed.length > 0) writeFiles(WriteRoot.ofProject(folder, folder), changed);
  const rows = planned.map(({ path, before, content }) => [
    before === content ? "SKIP" : before === undefined ? "CREATE" : "REPLACE",
    shownPath(folder, context.directory, path),
  ]);
  return {
    findings,
    steps: columns(rows),
    summary: `${counted(changed.length, "file")} ${dryRun ? "would be written (--dry-run)" : "written"}`,
    ...(!dryRun && findings.length === 0 && { mend: next }),
    data: { written: !dryRun, files: Object.fromEntries(files) },
  };
};

/**
 * Chooses the contract: the named file, the only server contract of the configuration, or the file in the
 * folder.
 */
async function serverContract(
  args: Arguments,
  { loaded }: Project,
  { directory }: CommandContext,
): Promise<ContractDocument> {
  const named = args.string("contract");
  const configured = (loaded.config.contracts ?? [])
    .filter(({ role }) => role !== "client")
    .map(({ file }) => resolve(loaded.folder, file));
  const beside = configured.length === 0 ? contractIn(loaded.folder) : undefined;
  const [only, another] = beside === undefined ? configured : [join(loaded.folder, beside)];
  const file = named === undefined ? only : resolve(directory, named);
  if (file !== undefined && (named !== undefined || another === undefined))
    return loadContract(file, shownPath(file, directory));
  throw new CodedError("MG2003", "expected --contract FILE: there is no single contract of a server", {
    next:
      configured.length > 1
        ? `Name one: ${configured.map((each) => shownPath(each, directory)).join(", ")}.`
        : "Run it in the project's folder. A server in code writes one: mcpgen capture SOURCE.",
  });
}

async function manifestIn(
  folder: string,
  { directory }: CommandContext,
): Promise<Pick<PackageRequest, "manifest" | "manifestFile">> {
  const file = join(folder, "package.json");
  const shown = shownPath(folder, directory, "package.json");
  if (!existsSync(file))
    throw new CodedError(
      "MG6702",
      "expected package.json with the name and version of the package, got no file",
      {
        place: { file: shown },
        next: "Run the command in the project's folder, or create the file: npm init.",
      },
    );
  const { value } = await loadJson(file);
  if (isJsonObject(value)) return { manifest: value, manifestFile: shown };
  throw new CodedError("MG6702", "expected package.json to contain an object", {
    place: { file: shown },
    next: "Correct it.",
  });
}

function remote(args: Arguments): string | undefined {
  const url = args.string("remote");
  if (url === undefined || url.startsWith("https://")) return url;
  throw new CodedError("MG2004", `expected --remote to be an https address, got ${JSON.stringify(url)}`, {
    next: "Give the URL at which other people reach the server.",
  });
}
