import type { JsonValue } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { type DuplicateKey, duplicateKey } from "./duplicate-keys.js";
import { readRegularFile } from "./regular-file.js";
import { decodeText } from "./text-file.js";

/** A JSON file as read: its value and the text that positions refer to. */
export interface JsonFile {
  readonly file: string;
  readonly text: string;
  readonly value: JsonValue;
}

/**
 * Reads a JSON file.
 *
 * @param file path, also the name errors use
 * @throws CodedError MG1001–MG1004, MG1009; for text that is not JSON or not clear with line and column
 */
export async function loadJson(file: string): Promise<JsonFile> {
  return parseJson(decodeText(readRegularFile(file), file), file);
}

/** As `loadJson`, for text that is read already. */
export async function parseJson(text: string, file: string): Promise<JsonFile> {
  const value = await parsed(text, file);
  const duplicate = duplicateKey(text, value);
  if (duplicate) throw await ambiguous(text, file, duplicate);
  return { file, text, value };
}

async function parsed(text: string, file: string): Promise<JsonValue> {
  try {
    return JSON.parse(text) as JsonValue;
  } catch (error) {
    throw await syntaxError(text, file, error);
  }
}

async function ambiguous(text: string, file: string, duplicate: DuplicateKey): Promise<CodedError> {
  const { lineAndColumn } = await import("./positions.js");
  const { key, first, offset } = duplicate;
  const { line } = lineAndColumn(text, first);
  return new CodedError(
    "MG1009",
    `the key ${JSON.stringify(key)} is used twice in one object, first in line ${line}`,
    {
      place: { file, ...lineAndColumn(text, offset) },
      next: "Remove one of them.",
    },
  );
}

async function syntaxError(text: string, file: string, cause: unknown): Promise<CodedError> {
  const { firstSyntaxError, lineAndColumn } = await import("./positions.js");
  const problem = firstSyntaxError(text, cause);
  return new CodedError("MG1002", problem.message, {
    place: { file, ...lineAndColumn(text, problem.offset) },
    next: nextOf(file),
    cause,
  });
}

function nextOf(file: string): string {
  if (/\.ya?ml$/i.test(file)) return "Schemas and notes are read as JSON: convert the YAML file.";
  if (/\.[cm]?[jt]s$/i.test(file))
    return "Name the schema, not the program that defines it: print the schema as JSON first.";
  return "Correct the file; if it was downloaded, fetch it again.";
}
