import type { JsonObject } from "@mcpgen/engine";
import type { LiveClient, LiveOptions, LiveProgress } from "../contract/capture/runtime.js";
import { oneLine } from "../contract/capture/one-line.js";
import { isRuntimeError } from "../contract/capture/server-error.js";
import { shownSource } from "../contract/capture/shown-source.js";
import { withServer } from "../contract/capture/with-server.js";
import { CodedError } from "../diagnostics/coded-error.js";
import type { Finding } from "../diagnostics/finding.js";
import { closest } from "../diagnostics/suggest.js";
import { resultText } from "./call/result-text.js";
import { toolArguments } from "./call/tool-arguments.js";
import type { CommandContext, RunCommand } from "./context.js";
import type { Outcome } from "./outcome.js";
import { findingText } from "./present.js";
import { printable } from "./terminal-text.js";
import { expectReach, serverOptions } from "./server-options.js";

export const call: RunCommand = async (args, context) => {
  const [source, tool] = [args.required("source"), args.required("tool")];
  const given = await toolArguments(args.string("args"), context);
  const options = serverOptions(args, context);
  expectReach(args, source);
  const result = await withServer(source, options, async (client) => {
    await expectTool(client, tool, options.timeout);
    return client.callTool(tool, given, requestOptions(options.timeout, context)).catch((error: unknown) => {
      throw refused(error) ?? error;
    });
  });
  return outcomeOf(result, tool, source, context);
};

function requestOptions(timeout: number | undefined, { console }: CommandContext): LiveOptions {
  return {
    ...(timeout !== undefined && { timeout }),
    onProgress: (progress) => console.note(progressText(progress)),
  };
}

function progressText({ progress, total, message }: LiveProgress): string {
  const done = total === undefined ? String(progress) : `${progress}/${total}`;
  return printable(message === undefined ? done : `${done} ${message}`);
}

/** Listing first costs a request, and gains the check of what the tool promises, headers, and the name meant. */
async function expectTool(client: LiveClient, tool: string, timeout: number | undefined): Promise<void> {
  const tools = client.serverCapabilities["tools"] === undefined ? [] : await namesOf(client, timeout);
  if (tools.includes(tool)) return;
  const suggestion = closest(tool, tools);
  const known = tools.length === 0 ? "It has no tools." : `Its tools are ${shortList(tools)}.`;
  throw new CodedError("MG6305", `the server has no tool ${JSON.stringify(tool)}`, {
    next: suggestion === undefined ? known : `Did you mean ${suggestion}?`,
  });
}

async function namesOf(client: LiveClient, timeout: number | undefined): Promise<string[]> {
  const { items } = await client.listTools(timeout === undefined ? {} : { timeout });
  return items.map(({ name }) => String(name));
}

function shortList(names: readonly string[]): string {
  const shown = names.slice(0, 20);
  return names.length > shown.length
    ? `${shown.join(", ")} and ${names.length - shown.length} more`
    : shown.join(", ");
}

/** Before 2025-11-25 wrong arguments of a tool are an error of the protocol: the caller's, not the server's. */
function refused(error: unknown): CodedError | undefined {
  if (!isRuntimeError(error) || error.rpcCode !== invalidParams) return undefined;
  return new CodedError("MG6306", oneLine(error.message, "; "), {
    next: "Correct --args; `mcpgen capture SOURCE --out -` shows the schema of each tool's arguments.",
    cause: error,
  });
}

/** JSON-RPC 2.0, section 5.1. */
const invalidParams = -32602;

function outcomeOf(
  { content = [], structuredContent, isError }: JsonObject,
  tool: string,
  source: string,
  { console }: CommandContext,
): Outcome {
  const structured = structuredContent === undefined ? {} : { structuredContent };
  const text = resultText({ content, ...structured });
  const data = { tool, content, ...structured, isError: isError === true };
  if (isError !== true) return { text, data };
  const finding: Finding = {
    code: "MG6304",
    severity: "error",
    message: `the tool ${JSON.stringify(tool)} ended with an error`,
    place: { file: shownSource(source) },
  };
  if (console.settings.format !== "text") return { text, data, findings: [finding] };
  // Standard output holds what the tool said, and nothing else.
  console.error(findingText(finding, console.paintError));
  return { text, data, failed: true };
}
