import { randomUUID } from "node:crypto";
import { join, resolve } from "node:path";
import { type JsonObject, canonicalText } from "@mcpgen/engine";
import { fileFingerprint, folderFingerprint } from "../../files/fingerprint.js";
import { listOutput } from "../../files/folder.js";
import { generatedContracts } from "../../config/config.js";
import { sha256 } from "../../files/sha256.js";
import type { Arguments } from "../arguments.js";
import type { CommandContext } from "../context.js";
import type { ContractTarget } from "../contracts/targets.js";
import type { Project } from "../project.js";
import type { UserFiles } from "../sync/user-files.js";

/** The inputs of a check of contracts. */
export interface ContractInputs {
  readonly args: Arguments;
  readonly targets: readonly ContractTarget[];
  readonly project: Project;
  readonly context: CommandContext;
  /** The user's code, in which handlers are looked for. */
  readonly files: UserFiles;
}

/** A hash of all of it, the contents of files included. */
export function contractInputs(
  { args, targets, project: { loaded }, context, files }: ContractInputs,
  generator: string,
): string {
  const { importExtension, templates } = loaded.config;
  const given = args.string("templates");
  const templatesDir = given === undefined ? templates : resolve(context.directory, given);
  const options = {
    contracts: generatedContracts(loaded.config).map(({ file, out, role, formats = null, base = null }) => ({
      ...{ file, out, role },
      ...{ formats, base },
    })),
    extension: args.string("import-extension") ?? importExtension ?? null,
    templates: templatesDir ?? null,
  } satisfies JsonObject;
  const outputs = targets.flatMap(({ outDir }) => listOutput(outDir).map((path) => join(outDir, path)));
  const paths = [...targets.map(({ file }) => file), ...outputs, ...files.code, ...files.settings];
  return sha256(
    [
      generator,
      // Places are shown from there.
      context.directory,
      loaded.folder,
      canonicalText(options),
      folderFingerprint(templatesDir && resolve(loaded.folder, templatesDir)),
      // The files that schemas refer to are known only after reading them: no hash can stand for them.
      targets.some(({ base }) => base !== undefined) ? randomUUID() : "",
      ...Object.entries(fingerprintsOf(paths)).map((each) => each.join(" ")),
    ].join("\n"),
  );
}

/** The hash of each file's content, by path; of one that may not be read, that it is so. */
export function fingerprintsOf(paths: readonly string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, fingerprintOf(path)]));
}

function fingerprintOf(path: string): string {
  try {
    return fileFingerprint(path);
  } catch {
    return "unreadable";
  }
}
