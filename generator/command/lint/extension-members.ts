import { pointerTokens } from "@mcpgen/engine";
import type { Contract } from "../../contract/contract.js";
import type { Finding } from "../../diagnostics/finding.js";
import { loadBases } from "../../extension/add/bases.js";
import { type ExtensionSource, readStoredExtension } from "../../extension/extension-source.js";
import { newestExtensions } from "../../extension/extension-store.js";
import { extensionOver } from "../../extension/load-extension.js";
import { type MemberProblem, concernsContract, memberProblems } from "../../lint/extension-members.js";
import type { ExtensionModel } from "../../model/extension-model.js";
import { readLock } from "../../revision/lock.js";
import { ownSchemaFolder, revisionsFolder } from "../../revision/revisions-folder.js";
import type { ContractSource } from "../contract-source.js";

/**
 * The findings about members that extensions add to entries of a contract. Known are the newest versions in the schema
 * folder, and of other extensions those that mcpgen brings. Only extensions whose members the contract can have are
 * compiled.
 *
 * @throws CodedError for a stored extension that does not compile, as `generate`
 */
export async function memberFindings(source: ContractSource, schemaDir: string): Promise<Finding[]> {
  const { contract, place } = source;
  if (!hasEntries(contract)) return [];
  const own = newestExtensions(schemaDir);
  const ids = new Set(own.map(({ id }) => id));
  const shipped = newestExtensions(ownSchemaFolder).filter(({ id }) => !ids.has(id));
  const findings: Finding[] = [];
  for (const [stored, folder] of [
    ...own.map((one) => [one, schemaDir] as const),
    ...shipped.map((one) => [one, ownSchemaFolder] as const),
  ]) {
    const revisions = [...readLock(revisionsFolder(folder)).keys()];
    const extension = await readStoredExtension(stored, revisions);
    const base = revisions.findLast((revision) => extension.about.bases.includes(revision));
    if (base === undefined || !concerns(contract, extension)) continue;
    const model = await compiled(extension, base, folder);
    findings.push(...memberProblems(contract, model).map((problem) => findingOf(problem, place)));
  }
  return findings;
}

function hasEntries({ tools, resources, resourceTemplates, prompts }: Contract): boolean {
  return [tools, resources, resourceTemplates, prompts].some((list) => (list?.length ?? 0) > 0);
}

/** Whether the contract can have a member that notes of the extension are about. */
function concerns(contract: Contract, { notes }: ExtensionSource): boolean {
  return notes.some(
    (note) =>
      note.kind === "member" &&
      note.targets.some((target) =>
        concernsContract(contract, {
          of: pointerTokens(target.slice("base#".length)).at(-1)!,
          path: note.member,
          required: note.required ?? false,
        }),
      ),
  );
}

async function compiled(
  extension: ExtensionSource,
  base: string,
  schemaDir: string,
): Promise<ExtensionModel> {
  const [loaded] = await loadBases(schemaDir, [base], extension.aboutFile);
  return extensionOver(extension, loaded!.model);
}

function findingOf(
  { kind, entry, others, pointer, message, next }: MemberProblem,
  place: ContractSource["place"],
): Finding {
  const finding = {
    message: `${entry}${others > 0 ? ` and ${others} more` : ""}: ${message}`,
    place: place(pointer),
    next,
  };
  if (kind === "undeclared") return { code: "MG6605", severity: "warning", ...finding };
  return kind === "wrong"
    ? { code: "MG6604", severity: "error", ...finding }
    : { code: "MG6604", severity: "warning", ...finding };
}
