import { basename } from "node:path";
import { contractSha256 } from "../../contract/contract-sha256.js";
import type { LoadContract } from "../../contract/contract-reader.js";
import { loadContract } from "../../contract/read-contract.js";
import { withLocalReferences } from "../../contract/local-references.js";
import { generateContract } from "../../pipeline/generate-contract.js";
import type { Finding } from "../../diagnostics/finding.js";
import { type ComparedFile, compareOutput } from "../../files/compare.js";
import { type Manifest, manifestText, readManifest, readableManifest } from "../../files/manifest.js";
import { recordedFiles } from "../../files/write.js";
import { packageVersion } from "../../files/package-folder.js";
import { compareManifest } from "../comparison.js";
import type { ContractTarget } from "./targets.js";

/** The output of a contract compared with the files in its folder. */
export interface ContractComparison {
  readonly target: ContractTarget;
  readonly files: readonly ComparedFile[];
  /** The manifest of the last run. */
  readonly before: Manifest | undefined;
  readonly manifest: Manifest;
  readonly manifestFile: ComparedFile;
  /** The parts of the contract that the output leaves out. */
  readonly warnings: readonly Finding[];
}

export interface ContractOptions {
  readonly importExtension: "js" | "ts";
  readonly templatesDir?: string;
  /** An unreadable manifest is as good as none. */
  readonly ignoreManifest: boolean;
  /** Reads the contract. Default: from its file. */
  readonly load?: LoadContract;
}

/**
 * Generates from a contract, and compares the result with its folder. Writes nothing.
 *
 * @throws CodedError for a contract that cannot be generated from
 */
export async function compareContract(
  target: ContractTarget,
  { importExtension, templatesDir, ignoreManifest, load = loadContract }: ContractOptions,
): Promise<ContractComparison> {
  const { file, shown, outDir, role, formats, base } = target;
  const written = await load(file, shown);
  const document = base === undefined ? written : await withLocalReferences(written, base);
  const { files, warnings } = await generateContract({
    document,
    role,
    importExtension,
    ...(formats && { formats }),
    ...(templatesDir !== undefined && { templatesDir }),
  });
  const before = ignoreManifest ? readableManifest(outDir) : readManifest(outDir);
  const manifest: Manifest = {
    generator: packageVersion(),
    options: {
      importExtension,
      role,
      ...(formats === "assertion" && { formats }),
      ...(templatesDir !== undefined && { templates: true }),
    },
    shared: {},
    inputs: { contract: { [basename(file)]: contractSha256(document.contract) } },
    files: recordedFiles(files, before, () => false),
  };
  return {
    target,
    files: compareOutput(outDir, files, before, () => false),
    before,
    manifest,
    manifestFile: compareManifest(outDir, manifestText(manifest)),
    warnings,
  };
}
