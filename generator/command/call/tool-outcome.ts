import type { JsonObject } from "@mcpgen/engine";
import { type ServerSource, shownSource } from "../../capture/server-source.js";
import { CodedError, findingOfError } from "../../diagnostics/coded-error.js";
import type { Arguments, CommandContext, Outcome } from "../command.js";
import { type Saved, resultText, withFiles, binaryPieces, savePieces, textPiece } from "../content.js";

/** A tool, and the server that it was called on. */
interface CalledTool {
  readonly tool: string;
  readonly source: ServerSource;
}

/**
 * Turns a tool's result into the outcome of the command. Saves images, audio and blobs to the place that
 * `--output` names.
 */
export function toolOutcome(
  result: JsonObject,
  { tool, source }: CalledTool,
  args: Arguments,
  context: CommandContext,
): Outcome {
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const pieces = binaryPieces(content);
  const saved = savePieces(pieces.length > 0 ? pieces : [textPiece(tool, resultText(result))], args, context);
  return outcomeOf(result, saved, { tool, source }, context);
}

function outcomeOf(
  result: JsonObject,
  saved: readonly Saved[],
  { tool, source }: CalledTool,
  { console }: CommandContext,
): Outcome {
  const { content = [], structuredContent, isError } = result;
  const structured = structuredContent === undefined ? {} : { structuredContent };
  const files = saved.map(({ file }) => file);
  const wasSavedAsText = saved.some(({ piece }) => piece.holder === textPiece.holder);
  const text = wasSavedAsText ? `saved to ${files[0]!}` : resultText({ content, ...structured }, saved);
  const data = {
    tool,
    content: withFiles(content, saved),
    ...structured,
    isError: isError === true,
    ...(files.length > 0 && { files }),
  };
  if (isError !== true) return { text, data };
  const error = new CodedError("MG6304", `the tool ${JSON.stringify(tool)} returned an error`, {
    place: { file: shownSource(source) },
  });
  // As text, standard output holds only the tool's result.
  return console.settings.format === "text"
    ? { text, data, error }
    : { text, data, findings: [findingOfError(error)] };
}
