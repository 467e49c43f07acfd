import { basename } from "node:path";
import { pointer } from "@mcpgen/engine";
import type { EmittedFile } from "../print/emitted-file.js";
import { commentText } from "../print/text.js";
import { loadTemplates } from "../print/templates.js";
import { formatPieces, KeptTexts } from "../print/format.js";
import type { Finding } from "../diagnostics/finding.js";
import type { ContractDocument } from "../contract/contract.js";
import { emitChecks } from "../contract/emit/checks.js";
import { emitClient } from "../contract/emit/client.js";
import type { ContractInput, ContractRole } from "../contract/emit/input.js";
import { contractNames } from "../contract/emit/names.js";
import { emitPayload, emitRouting, emitServer } from "../contract/emit/server.js";
import { expectExtensionId } from "../extension/extension-id.js";
import { readableTemplates } from "../contract/emit/readable-templates.js";
import {
  type ToolSchemas,
  expectRead,
  ignoredWarnings,
  readToolSchemas,
  untypedWarning,
} from "../contract/emit/tool-schemas.js";
import { emitTypes } from "../contract/emit/types.js";

interface ContractRequest {
  readonly document: ContractDocument;
  readonly role: ContractRole;
  readonly importExtension: "js" | "ts";
  /** Folder of template overrides. */
  readonly templatesDir?: string;
  /** Whether `format` is checked, of the formats that the engine knows, or only describes (default). */
  readonly formats?: "annotation" | "assertion";
}

export interface GeneratedContract {
  /** Content by path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Parts of the contract that the output does not reproduce exactly. */
  readonly warnings: readonly Finding[];
}

const layouts = new KeptTexts();

/** Longer files are not formatted: formatting takes seconds per megabyte. */
const maxFormattedLength = 150_000;

/**
 * Makes every file of a contract's output. Pure: the same contract gives the same bytes.
 * A client does without types for schemas, and methods for URI templates, that cannot be read: they are the server's.
 *
 * @throws CodedError MG6005, MG6006, MG6007 for what cannot be generated from; MG1301 for an extension that a server must not declare
 */
export async function generateContract(request: ContractRequest): Promise<GeneratedContract> {
  const { role, importExtension } = request;
  const tools = readToolSchemas(request.document.contract);
  if (role !== "client") {
    expectRead(tools, request.document.place);
    expectDeclarable(request.document);
  }
  const { document, warnings } =
    role === "client" ? settled(request.document, tools) : { ...request, warnings: [] };
  const input: ContractInput = {
    document,
    role,
    importExtension,
    formats: request.formats ?? "annotation",
    names: contractNames(document.contract),
    tools,
    origin: commentText(basename(document.file)).replaceAll("\n", " "),
    render: loadTemplates(request.templatesDir),
  };
  const files = new Map<string, string>();
  for (const [path, { content, formatted }] of await emitted(input))
    files.set(
      path,
      formatted || content.length > maxFormattedLength ? content : await formatPieces(path, content, layouts),
    );
  const { contract, place } = request.document;
  const unread = tools.flatMap((tool) => tool.unread);
  return { files, warnings: [...warnings, ...ignoredWarnings(contract, unread, place)] };
}

/** @throws CodedError MG1301: the server would declare an extension by an id that the specification does not allow */
function expectDeclarable({ contract, place }: ContractDocument): void {
  const extensions = contract.capabilities?.["extensions"];
  for (const id of Object.keys(extensions ?? {}))
    expectExtensionId(id, place(pointer("/capabilities/extensions", id)));
}

/** The parts of a contract from which a client can be generated, and those that it leaves out. */
function settled(
  document: ContractDocument,
  tools: readonly ToolSchemas[],
): Pick<GeneratedContract, "warnings"> & { readonly document: ContractDocument } {
  const { contract, place } = document;
  const { readable, warnings } = readableTemplates(contract, place);
  const untyped = tools.flatMap(({ unread }) => unread.map((each) => untypedWarning(each, place)));
  return {
    document:
      warnings.length === 0
        ? document
        : { ...document, contract: { ...contract, resourceTemplates: readable } },
    warnings: [...untyped, ...warnings],
  };
}

async function emitted(input: ContractInput): Promise<Map<string, EmittedFile>> {
  const { role, tools } = input;
  const serves = role !== "client";
  const files = new Map<string, EmittedFile>([["types.ts", await emitTypes(input)]]);
  if (serves || tools.some(({ output }) => output !== undefined))
    for (const [path, file] of emitChecks(input)) files.set(path, file);
  if (serves) {
    files.set("contract.ts", emitPayload(input));
    files.set("routing.ts", emitRouting(input));
    files.set("server.ts", emitServer(input));
  }
  if (role !== "server") files.set("client.ts", emitClient(input));
  return files;
}
