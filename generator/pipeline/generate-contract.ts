import { basename, dirname, isAbsolute, join, posix, relative, sep } from "node:path";
import { type JsonObject, type JsonValue, pointer, isJsonObject, resolveUri } from "@mcpgen/engine";
import type { EmittedFile } from "../print/emitted-file.js";
import { commentText } from "../print/text.js";
import { loadTemplates } from "../print/templates.js";
import { formatPieces, KeptTexts } from "../print/format.js";
import { type Finding, type Place, CodedError } from "../diagnostics/coded-error.js";
import type { ContractDocument, ContractTool } from "../contract/contract.js";
import { emitChecks } from "../contract/emit/checks.js";
import { emitClient } from "../contract/emit/client.js";
import { type ContractInput, type ContractRole, contractNames } from "../contract/emit/names.js";
import { emitPayload, emitRouting, emitServer } from "../contract/emit/server.js";
import { expectExtensionId } from "../extension/extension-store.js";
import { readableTemplates } from "../contract/emit/readable-templates.js";
import {
  type ToolSchemas,
  expectRead,
  ignoredWarnings,
  readToolSchemas,
  untypedWarning,
} from "../contract/emit/tool-schemas.js";
import { emitTypes } from "../contract/emit/types.js";
import { realpathSync } from "node:fs";
import { parseJson } from "../files/json-file.js";
import { readRegularFile, decodeText } from "../files/regular-file.js";

interface ContractRequest {
  readonly document: ContractDocument;
  readonly role: ContractRole;
  readonly importExtension: "js" | "ts";
  /** Folder with templates that replace shipped ones. */
  readonly templatesDir?: string;
  /** Whether known `format`s are asserted, or only annotations (default). */
  readonly formats?: "annotation" | "assertion";
}

export interface GeneratedContract {
  /** Content by path below the output folder. */
  readonly files: ReadonlyMap<string, string>;
  /** Parts of the contract that the output does not reproduce exactly. */
  readonly warnings: readonly Finding[];
}

const layouts = new KeptTexts();

/** Maximum length of a formatted file; formatting takes seconds per megabyte. */
const maxFormattedLength = 150_000;

/**
 * Generates all files of a contract's output. Pure: the same contract gives the same bytes. A client is
 * generated without types for unreadable schemas and without methods for unreadable URI templates, since
 * these are the server's mistakes.
 *
 * @throws CodedError MG6005, MG6006, MG6007 if nothing can be generated from a part; MG1301 for an extension
 * that a server must not declare
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

/**
 * @throws CodedError MG1301 if the server would declare an extension with an id that the specification does
 * not allow
 */
function expectDeclarable({ contract, place }: ContractDocument): void {
  const extensions = contract.capabilities?.["extensions"];
  for (const id of Object.keys(extensions ?? {}))
    expectExtensionId(id, place(pointer("/capabilities/extensions", id)));
}

/** The parts of a contract from which a client can be generated, and warnings about the omitted ones. */
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

/** Maximum number of files that one schema may refer to. */
const mostFiles = 1_000;

/**
 * Embeds the files that tool schemas refer to. Each becomes a definition with an `$id`, which the references
 * resolve to (2020-12 core, section 9.3). References are relative to `base` or to the referring file, and
 * must lead to JSON files inside `base`, checked after resolving symbolic links. Nothing is fetched.
 *
 * @throws CodedError MG6010 for a reference that leads out of `base` or to a missing file, MG1002 for a file
 * that is not JSON
 */
export async function withLocalReferences(
  document: ContractDocument,
  base: string,
): Promise<ContractDocument> {
  const tools: ContractTool[] = [];
  for (const [index, tool] of (document.contract.tools ?? []).entries()) {
    const changed: { inputSchema?: JsonObject; outputSchema?: JsonObject } = {};
    for (const part of ["inputSchema", "outputSchema"] as const) {
      const schema = tool[part];
      const at = pointer("/tools", index, part);
      if (schema) changed[part] = await withFiles(schema, base, (below) => document.place(at + below));
    }
    tools.push({ ...tool, ...changed });
  }
  return { ...document, contract: { ...document.contract, ...(tools.length > 0 && { tools }) } };
}

/** A reference to another file, and its place. */
interface FileReference {
  /** Path of the file relative to the base, with forward slashes. */
  readonly path: string;
  readonly written: string;
  readonly place: Place;
}

async function withFiles(
  schema: JsonObject,
  base: string,
  place: (pointer: string) => Place,
): Promise<JsonObject> {
  // References are relative to the schema's `$id` if it has one, so the files get ids relative to it.
  const identity = typeof schema["$id"] === "string" ? schema["$id"] : "";
  const pending = [...fileReferences(schema, "", place)];
  const files = new Map<string, JsonObject>();
  for (const reference of pending) {
    if (files.has(reference.path)) continue;
    if (files.size === mostFiles) throw referenceError(reference, `expected at most ${mostFiles} files`);
    const { value, shown } = await fileAt(reference, base);
    files.set(reference.path, { ...value, $id: resolveUri(reference.path, identity) });
    pending.push(...fileReferences(value, reference.path, (below) => ({ file: shown, pointer: below })));
  }
  if (files.size === 0) return schema;
  const definitions = isJsonObject(schema["$defs"]) ? schema["$defs"] : {};
  return { ...schema, $defs: { ...definitions, ...Object.fromEntries(files) } };
}

/** The references of a schema that lead to other files. */
function* fileReferences(
  value: JsonValue,
  from: string,
  place: (pointer: string) => Place,
  at = "",
): Generator<FileReference> {
  if (typeof value !== "object" || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const below = pointer(at, key);
    if (
      key === "$ref" &&
      typeof child === "string" &&
      !child.startsWith("#") &&
      !/^[a-z][a-z0-9+.-]*:/i.test(child)
    )
      yield { ...targetOf(child, from, place(below)), written: child };
    else if (!["const", "enum", "default", "examples"].includes(key))
      yield* fileReferences(child, from, place, below);
  }
}

function targetOf(written: string, from: string, place: Place): FileReference {
  const [file = ""] = written.split("#");
  let path: string;
  try {
    path = decodeURIComponent(file);
  } catch {
    throw referenceError({ path: "", written, place }, "expected a percent-encoded path");
  }
  const reference = { path: posix.normalize(posix.join(posix.dirname(from || "."), path)), written, place };
  const leaves = reference.path === ".." || reference.path.startsWith("../");
  if (leaves || path.startsWith("/") || path.includes("\\") || path.includes("\0") || isAbsolute(path))
    throw referenceError(reference, "expected a path inside of the folder given as base");
  return reference;
}

async function fileAt(
  reference: FileReference,
  base: string,
): Promise<{ readonly value: JsonObject; readonly shown: string }> {
  const shown = join(base, ...reference.path.split("/"));
  let text: string;
  try {
    const [root, file] = [realpathSync(base), realpathSync(shown)];
    const inside = relative(root, file);
    if (
      inside.startsWith("..") ||
      isAbsolute(inside) ||
      dirname(file).split(sep).length < root.split(sep).length
    )
      throw referenceError(
        reference,
        "expected a path inside of the folder given as base, got a link out of it",
      );
    text = decodeText(readRegularFile(file, { shown }), shown);
  } catch (error) {
    if (error instanceof CodedError && error.code !== "MG1001") throw error;
    const why = error instanceof CodedError ? `: ${error.message}` : "";
    throw referenceError(reference, `the file ${JSON.stringify(reference.path)} cannot be read${why}`, error);
  }
  const { value } = await parseJson(text, shown);
  if (!isJsonObject(value)) throw referenceError(reference, "expected a file that holds an object");
  return { value, shown };
}

function referenceError({ written, place }: FileReference, message: string, cause?: unknown): CodedError {
  return new CodedError("MG6010", `the reference ${JSON.stringify(written)}: ${message}`, {
    place,
    next: "Correct the reference, or name another folder with --base or `base` of the contract.",
    ...(cause !== undefined && { cause }),
  });
}
