import type { JsonObject } from "@mcpgen/engine";
import { oneLine } from "../print/one-line.js";
import type { LiveClient, LiveOptions } from "../capture/runtime.js";
import { isRuntimeError } from "../capture/server-error.js";
import type { ServerSource } from "../capture/server-source.js";
import { shownSource } from "../capture/shown-source.js";
import { CodedError } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { closest } from "../diagnostics/suggest.js";
import { askServer } from "./ask/ask-server.js";
import { readPairs } from "./call/pairs.js";
import { toolArguments } from "./call/tool-arguments.js";
import { typedArguments } from "./call/typed-arguments.js";
import { resultText, withFiles } from "./content/content-text.js";
import { binaryPieces } from "./content/pieces.js";
import { type Saved, expectFree, savePieces, textPiece } from "./content/save.js";
import type { CommandContext, RunCommand } from "./context.js";
import { toolSignature } from "./list/signature.js";
import type { Outcome } from "./outcome.js";
import { findingText } from "./present.js";
import { serverSource } from "./servers/named-servers.js";

/** Calls one tool. */
export const call: RunCommand = async (args, context) => {
  const tool = args.required("tool");
  const pairs = readPairs(args.strings("arguments") ?? []);
  const given = await toolArguments(args.string("args"), context);
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const result = await askServer(source, args, context, async (client, options, listing) => {
    const definition = await definitionOf(client, tool, listing);
    const schema = definition["inputSchema"] ?? {};
    const target = {
      schema,
      owner: `the tool ${JSON.stringify(tool)}`,
      signature: toolSignature(definition),
    };
    const values =
      pairs.length > 0 || args.string("args") === undefined ? typedArguments(pairs, target, given) : given;
    return client.callTool(tool, values, options).catch((error: unknown) => {
      throw invalidArgumentsError(error) ?? error;
    });
  });
  const content = Array.isArray(result["content"]) ? result["content"] : [];
  const pieces = binaryPieces(content);
  const saved = savePieces(pieces.length > 0 ? pieces : [textPiece(tool, resultText(result))], args, context);
  return outcomeOf(result, saved, tool, source, context);
};

/** Listing first costs a request, and gains the check of what the tool promises, headers, types, and the name meant. */
async function definitionOf(client: LiveClient, tool: string, options: LiveOptions): Promise<JsonObject> {
  const isOffered = client.serverCapabilities["tools"] !== undefined;
  const tools = isOffered ? (await client.listTools(options)).items : [];
  const found = tools.find(({ name }) => name === tool);
  if (found !== undefined) return found;
  const names = tools.map(({ name }) => String(name));
  const suggestion = closest(tool, names);
  const known = names.length === 0 ? "It has no tools." : `Its tools are ${shortList(names)}.`;
  throw new CodedError("MG6305", `the server has no tool ${JSON.stringify(tool)}`, {
    next: suggestion === undefined ? known : `Did you mean ${suggestion}?`,
  });
}

/** Twenty names at most. */
export function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 20);
  return names.length > shown.length
    ? `${shown.join(", ")} and ${names.length - shown.length} more`
    : shown.join(", ");
}

/** Before 2025-11-25 wrong arguments of a tool are an error of the protocol: the caller's, not the server's. */
function invalidArgumentsError(error: unknown): CodedError | undefined {
  if (!isRuntimeError(error) || error.rpcCode !== invalidParams) return undefined;
  return new CodedError("MG6306", oneLine(error.message, "; "), {
    next: "Correct the arguments; `mcpgen list SOURCE` shows the types, `mcpgen capture SOURCE --out -` the schema of each tool.",
    cause: error,
  });
}

/** JSON-RPC 2.0, section 5.1. */
const invalidParams = -32602;

function outcomeOf(
  result: JsonObject,
  saved: readonly Saved[],
  tool: string,
  source: ServerSource,
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
  const finding: Finding = {
    code: "MG6304",
    severity: "error",
    message: `the tool ${JSON.stringify(tool)} returned an error`,
    place: { file: shownSource(source) },
  };
  if (console.settings.format !== "text") return { text, data, findings: [finding] };
  // Standard output holds what the tool said, and nothing else.
  console.error(findingText(finding, console.paintError));
  return { text, data, failed: true };
}
