import type { JsonValue } from "@mcpgen/engine";
import { CodedError } from "../diagnostics/coded-error.js";
import { decodeText, readBytes } from "./text-file.js";

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
 * @throws CodedError MG1001–MG1004; for text that is not JSON with line and column
 */
export async function loadJson(file: string): Promise<JsonFile> {
  return parseJson(decodeText(await readBytes(file), file), file);
}

/** As `loadJson`, for text that is already there. */
export async function parseJson(text: string, file: string): Promise<JsonFile> {
  try {
    return { file, text, value: JSON.parse(text) as JsonValue };
  } catch (error) {
    throw await syntaxError(text, file, error);
  }
}

async function syntaxError(text: string, file: string, cause: unknown): Promise<CodedError> {
  const { firstSyntaxError, lineAndColumn } = await import("./positions.js");
  const problem = firstSyntaxError(text, cause);
  return new CodedError("MG1002", problem.message, {
    place: { file, ...lineAndColumn(text, problem.offset) },
    next: "Correct the file; if it was downloaded, fetch it again.",
    cause,
  });
}
