import { resolve } from "node:path";
import { type JsonObject, type JsonValue, isJsonObject, kindOf } from "@mcpgen/engine";
import { oneLine } from "../print/terminal-text.js";
import { type LiveTask, isTask } from "../capture/live-tasks.js";
import { namedEntry } from "../capture/look-up.js";
import type { LiveClient, LiveOptions } from "../capture/runtime.js";
import { errorData, refusesParams } from "../capture/server-error.js";
import { CodedError } from "../diagnostics/coded-error.js";
import {
  type Arguments,
  type CommandContext,
  type RunCommand,
  type Outcome,
  withFindings,
} from "./command.js";
import { askServer } from "./ask/ask-server.js";
import { readPairs } from "./call/pairs.js";
import { toolOutcome } from "./call/tool-outcome.js";
import { typedArguments } from "./call/typed-arguments.js";
import {
  type Saved,
  expectFree,
  contentText,
  withFiles,
  binaryPieces,
  savePieces,
  resourceText,
  resourcePieces,
} from "./content.js";
import { toolSignature, promptArguments, promptSignature } from "./signature.js";
import { serverSource } from "./servers/named-servers.js";
import { ServerTasks } from "./task/server-tasks.js";
import { parseJson } from "../files/json-file.js";
import { sourceText } from "../files/source.js";
import { readRegularFile, decodeText } from "../files/regular-file.js";

/** Calls one tool. If the server makes the call a task, waits for its result, unless `--detach` is given. */
export const call: RunCommand = async (args, context) => {
  const tool = args.required("tool");
  const pairs = readPairs(args.strings("arguments") ?? []);
  const given = await toolArguments(args.string("args"), context);
  const detaches = args.flag("detach");
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const tasks = await ServerTasks.open(source, tool, context);
  const use = async (client: LiveClient, options: LiveOptions, listing: LiveOptions): Promise<Answer> => {
    // This is a repeat after a login. If the poll of a task was refused, the tool was already called: poll
    // again.
    if (tasks.waitedFor) return tasks.result(tasks.waitedFor);
    if (detaches) tasks.expectOffered(client, "Leave --detach out.");
    // Listing first costs a request, but allows checks of the result, headers and argument types, and
    // suggestions for misspelt names.
    const definition = await namedEntry(client, "tool", { name: tool }, listing);
    const target = {
      schema: definition["inputSchema"] ?? {},
      owner: `the tool ${JSON.stringify(tool)}`,
      signature: toolSignature(definition),
    };
    const values =
      pairs.length > 0 || args.string("args") === undefined ? typedArguments(pairs, target, given) : given;
    const answer = detaches
      ? tasks.live.start(tool, values, options)
      : tasks.settled(client.callTool(tool, values, options));
    return answer.catch((error: unknown) => {
      throw invalidArgumentsError(error) ?? error;
    });
  };
  const show = (answer: Answer): Outcome => {
    if (isTask(answer)) return detached(answer, tool, tasks, context);
    if (detaches) context.console.note("the call has ended: there is no task");
    return withFindings(toolOutcome(answer, { tool, source }, args, context), tasks.findings);
  };
  return askServer({ source, args, context, tasks, use, show });
};

/** A task that continues, or the tool's result. */
type Answer = LiveTask | JsonObject;

function detached(task: LiveTask, tool: string, tasks: ServerTasks, { console }: CommandContext): Outcome {
  console.note(tasks.whatNext(task.id));
  return withFindings({ text: task.id, data: { tool, task: { taskId: task.id } } }, tasks.findings);
}

/**
 * Before 2025-11-25 a server reports invalid tool arguments as a JSON-RPC error. They are the caller's
 * mistake, not the server's.
 */
function invalidArgumentsError(error: unknown): CodedError | undefined {
  if (!refusesParams(error)) return undefined;
  return new CodedError("MG6306", oneLine(error.message, "; "), {
    ...errorData(error),
    next: "Correct the arguments; `mcpgen list SOURCE` shows the types, `mcpgen capture SOURCE --out -` the schema of each tool.",
    cause: error,
  });
}

/**
 * Reads the tool arguments of the command line: JSON, `@FILE`, or `@-` for standard input. Without them, an
 * empty object.
 *
 * @throws CodedError MG10xx for input that cannot be read or is not JSON, MG2004 for JSON that is not an
 * object
 */
async function toolArguments(given: string | undefined, context: CommandContext): Promise<JsonObject> {
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

/** Reads JSON from the command line. Errors name no file, since there is none. */
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
  return sourceText(file, context);
}

/** Gets one prompt: its messages, with the arguments filled in. */
export const prompt: RunCommand = async (args, context) => {
  const name = args.required("name");
  const pairs = readPairs(args.strings("arguments") ?? []);
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const use = async (client: LiveClient, options: LiveOptions, listing: LiveOptions): Promise<JsonObject> => {
    const given = pairs.map(({ key }) => ({ name: key }));
    const definition = await namedEntry(client, "prompt", { name, arguments: given }, listing);
    const target = {
      schema: schemaOf(definition),
      owner: `the prompt ${JSON.stringify(name)}`,
      signature: promptSignature(definition),
    };
    const values = typedArguments(pairs, target) as Record<string, string>;
    return client.getPrompt(name, values, options);
  };
  const show = (result: JsonObject): Outcome => promptOutcome(name, result, args, context);
  return askServer({ source, args, context, use, show });
};

function promptOutcome(name: string, result: JsonObject, args: Arguments, context: CommandContext): Outcome {
  const messages = (Array.isArray(result["messages"]) ? result["messages"] : []).filter(isJsonObject);
  const blocks = messages.map(({ content }) => content ?? null);
  const saved = savePieces(binaryPieces(blocks), args, context);
  const { description } = result;
  return {
    text: messages.map((message) => messageText(message, saved)).join("\n"),
    data: {
      prompt: name,
      ...(description !== undefined && { description }),
      messages: withFiles(messages, saved),
      ...(saved.length > 0 && { files: saved.map(({ file }) => file) }),
    },
  };
}

/** The schema of a prompt's arguments: strings under the declared names, no others. */
function schemaOf(definition: JsonObject): JsonValue {
  const args = promptArguments(definition["arguments"]);
  return {
    type: "object",
    properties: Object.fromEntries(args.map(({ name }) => [name, { type: "string" }])),
    required: args.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  };
}

function messageText({ role, content }: JsonObject, saved: readonly Saved[]): string {
  const blocks = Array.isArray(content) ? content : [content ?? null];
  return [`${String(role)}:`, ...blocks.flatMap((block) => contentText(block, saved).split("\n"))].join(
    "\n  ",
  );
}

/** Reads one resource. */
export const read: RunCommand = async (args, context) => {
  const uri = args.required("uri");
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  return askServer({
    ...{ source, args, context },
    use: (client, options) => client.readResource(uri, options),
    show: (result) => resourceOutcome(uri, result, args, context),
  });
};

function resourceOutcome(uri: string, result: JsonObject, args: Arguments, context: CommandContext): Outcome {
  const contents = Array.isArray(result["contents"]) ? result["contents"] : [];
  const saved = savePieces(resourcePieces(contents), args, context);
  const files = saved.map(({ file }) => file);
  const [only] = contents;
  // Print only the text if there is a single text content: the user knows its URI.
  const isPlain =
    contents.length === 1 && saved.length === 0 && isJsonObject(only!) && typeof only["text"] === "string";
  return {
    text: isPlain
      ? String(only["text"])
      : contents
          .filter(isJsonObject)
          .map((content) => resourceText(content, saved))
          .join("\n"),
    data: { uri, contents: withFiles(contents, saved), ...(files.length > 0 && { files }) },
  };
}
