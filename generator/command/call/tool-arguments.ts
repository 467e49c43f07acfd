import { resolve } from "node:path";
import { type JsonObject, type JsonValue, isJsonObject, kindOf } from "@mcpgen/engine";
import { CodedError } from "../../diagnostics/coded-error.js";
import { parseJson } from "../../files/json-file.js";
import { openSource } from "../../files/source.js";
import { readRegularFile } from "../../files/regular-file.js";
import { decodeText } from "../../files/text-file.js";
import type { CommandContext } from "../context.js";

/**
 * The arguments of a tool as the command line gives them: JSON, `@FILE`, or `@-` for standard input; none without.
 *
 * @throws CodedError MG10xx for what cannot be read or is no JSON, MG2004 for JSON that is no object
 */
export async function toolArguments(given: string | undefined, context: CommandContext): Promise<JsonObject> {
  if (given === undefined) return {};
  const file = given.startsWith("@") ? given.slice(1) : undefined;
  const name = file === undefined ? "--args" : file === "-" ? "standard input" : file;
  const { value } = await (file === undefined
    ? inline(given)
    : parseJson(await readArguments(file, name, context), name));
  if (isJsonObject(value)) return value;
  throw new CodedError("MG2004", `expected the arguments to be a JSON object, got ${kindOf(value)}`, {
    place: { file: name },
    next: `Name each argument: --args '{"city":"Bergen"}'.`,
  });
}

/** Reads JSON from the command line. Errors name no file: the text has none. */
async function inline(text: string): Promise<{ readonly value: JsonValue }> {
  try {
    return await parseJson(text, "--args");
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    const { message, place } = error;
    throw new CodedError("MG2004", message, {
      ...(place && { place }),
      next: "Put the JSON into single quotes for the shell, or into a file: --args @FILE.",
      cause: error,
    });
  }
}

async function readArguments(file: string, name: string, context: CommandContext): Promise<string> {
  if (file !== "-") return decodeText(readRegularFile(resolve(context.directory, file)), name);
  const chunks: Buffer[] = [];
  for await (const chunk of openSource("-", context)) chunks.push(Buffer.from(chunk as Uint8Array));
  return decodeText(Buffer.concat(chunks), name);
}
