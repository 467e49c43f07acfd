import { resolve } from "node:path";
import { pointer } from "@mcpgen/engine";
import { type ContractConfig, generatedContracts } from "../../config/config.js";
import { CodedError } from "../../diagnostics/coded-error.js";
import { hasSchemas } from "../../extension/extension-store.js";
import type { ContractRole } from "../../contract/emit/input.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import { isServerSource } from "../../capture/server-source.js";
import { shownSource } from "../../capture/shown-source.js";
import { refuseContradictions, refuseRoot } from "../output-request.js";
import type { Project } from "../project.js";
import { shellLine } from "../../print/shell-line.js";
import { shownPath } from "../shown-path.js";

/** A contract to generate from, and where to. */
export interface ContractTarget {
  readonly file: string;
  /** The file as messages call it. */
  readonly shown: string;
  readonly outDir: string;
  /** Whether the user named the output folder on the command line. */
  readonly isOutNamed: boolean;
  readonly role: ContractRole;
  /** Whether `format` is checked; it only describes without. */
  readonly formats?: "annotation" | "assertion";
  /** Folder that references to files may lead into. */
  readonly base?: string;
}

/** Options that ask for a part of the protocol's own output, and for nothing else. */
const protocolOptions = ["schema", "only"] as const;

/**
 * The contracts that a command is about: the one named, else those of the configuration.
 *
 * @throws CodedError MG2005 for options that do not go together, MG2103 for a folder that is taken
 */
export function contractTargets(
  args: Arguments,
  project: Project,
  context: CommandContext,
): ContractTarget[] {
  const named = args.string("contract");
  if (named === undefined) {
    for (const option of ["formats", "base"]) {
      if (args.string(option) !== undefined)
        throw new CodedError("MG2005", `--${option} needs --contract`, {
          next: `Name the contract file, too; or write ${option} beside it in the configuration.`,
        });
    }
    if (args.string("role") !== undefined)
      throw new CodedError("MG2005", "--role needs --contract", { next: "Name the contract file, too." });
    const asksForProtocol =
      protocolOptions.some((option) => args.string(option) !== undefined) || args.strings("revision");
    return asksForProtocol ? [] : configured(project, context);
  }
  refuseProtocolOptions(args);
  refuseContradictions(args);
  const { outDir } = project;
  refuseRoot(outDir);
  refuseServer(named);
  const file = resolve(context.directory, named);
  const role = (args.string("role") as ContractRole | undefined) ?? "both";
  const formats = args.string("formats") as ContractTarget["formats"];
  const base = args.string("base");
  return [
    {
      ...{ file, shown: shownPath(file, context.directory), outDir, isOutNamed: true, role },
      ...(formats && { formats }),
      ...(base !== undefined && { base: resolve(context.directory, base) }),
    },
  ];
}

function refuseProtocolOptions(args: Arguments): void {
  const other = [...protocolOptions, "name", "notes", "package"].find(
    (option) => args.string(option) !== undefined,
  );
  const clash = other ?? (args.strings("revision") ? "revision" : undefined);
  if (clash !== undefined) {
    throw new CodedError("MG2005", `--contract and --${clash} exclude each other`, {
      next: "Generate from the contract and from schemas in two runs.",
    });
  }
  if (args.string("out") === undefined)
    throw new CodedError("MG2005", "--contract needs --out", {
      next: "Say which folder the output is for: --out DIR.",
    });
}

/**
 * Refuses a server or standard input as a contract: `check` compares output with its contract later, and needs a file.
 */
function refuseServer(source: string): void {
  if (source !== "-" && !isServerSource(source)) return;
  throw new CodedError(
    "MG2004",
    `expected --contract to be a file, got ${JSON.stringify(shownSource(source))}`,
    {
      next:
        source === "-"
          ? "Write the contract to a file first."
          : `Capture it first: \`${shellLine(["mcpgen", "capture", shownSource(source), "--out", "FILE"])}\`.`,
    },
  );
}

function configured({ loaded, outDir, schemaDir }: Project, { directory }: CommandContext): ContractTarget[] {
  const { config, folder, file: configFile } = loaded;
  const generated = generatedContracts(config);
  const targets = generated.map(({ file, out, role, formats, base }): ContractTarget => {
    const path = resolve(folder, file);
    return {
      ...{ file: path, shown: shownPath(path, directory), outDir: resolve(folder, out), role },
      isOutNamed: false,
      ...(formats && { formats }),
      ...(base !== undefined && { base: resolve(folder, base) }),
    };
  });
  const protocol = hasSchemas(schemaDir) ? [outDir] : [];
  for (const [index, target] of targets.entries()) {
    refuseRoot(target.outDir);
    const others = [...protocol, ...targets.slice(0, index).map((other) => other.outDir)];
    if (!others.includes(target.outDir)) continue;
    throw new CodedError("MG2103", `expected a separate folder for ${target.shown}, got one that is in use`, {
      place: {
        ...(configFile !== undefined && { file: configFile }),
        pointer: pointer("", "contracts", config.contracts!.indexOf(generated[index]!), "out"),
      },
      next: "Write another folder; it may be a subfolder of the others.",
    });
  }
  return targets;
}

/** A contract of the configuration whose server is known. */
export type ServedContract = ContractConfig & { readonly server: string };

/** The contracts of the configuration that name their server. */
export function servedContracts({ loaded }: Project): ServedContract[] {
  return (loaded.config.contracts ?? []).filter(
    (contract): contract is ServedContract => contract.server !== undefined,
  );
}
