import { realpathSync } from "node:fs";
import { dirname, isAbsolute, join, posix, relative, sep } from "node:path";
import { type JsonObject, type JsonValue, isJsonObject, pointer, resolveUri } from "@mcpgen/engine";
import { CodedError, type Place } from "../diagnostics/coded-error.js";
import { parseJson } from "../files/json-file.js";
import { readRegularFile } from "../files/regular-file.js";
import { decodeText } from "../files/text-file.js";
import type { ContractDocument, ContractTool } from "./contract.js";

/** Files that one schema may refer to, at most. */
const mostFiles = 1_000;

/**
 * The contract with the files that schemas of tools refer to inside of those schemas: each becomes a definition with
 * an `$id` by which the references find it (2020-12 core, section 9.3). References are relative to `base`, or to the
 * file they stand in, and lead to JSON files inside of `base`; links of the file system are followed before that is
 * asked. Nothing is fetched.
 *
 * @throws CodedError MG6010 for a reference that leads out of `base` or to nothing, MG1002 for a file that is no JSON
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

/** A reference to another file, and where it stands. */
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
  // References are relative to the identity of the schema, where it has one: the files are named likewise.
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
