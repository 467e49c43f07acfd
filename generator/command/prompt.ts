import { type JsonObject, type JsonValue, isJsonObject } from "@mcpgen/engine";
import { namedEntry } from "../capture/look-up.js";
import { askServer } from "./ask/ask-server.js";
import { readPairs } from "./call/pairs.js";
import { typedArguments } from "./call/typed-arguments.js";
import { type Saved, contentText, withFiles, binaryPieces, expectFree, savePieces } from "./content.js";
import type { RunCommand } from "./context.js";
import { promptArguments, promptSignature } from "./signature.js";
import { serverSource } from "./servers/named-servers.js";

/** Gets one prompt: its messages, with the arguments filled in. */
export const prompt: RunCommand = async (args, context) => {
  const name = args.required("name");
  const pairs = readPairs(args.strings("arguments") ?? []);
  expectFree(args, context);
  const source = await serverSource(args.required("source"), args, context);
  const result = await askServer(source, args, context, async (client, options, listing) => {
    const given = pairs.map(({ key }) => ({ name: key }));
    const definition = await namedEntry(client, "prompt", { name, arguments: given }, listing);
    const target = {
      schema: schemaOf(definition),
      owner: `the prompt ${JSON.stringify(name)}`,
      signature: promptSignature(definition),
    };
    const values = typedArguments(pairs, target) as Record<string, string>;
    return client.getPrompt(name, values, options);
  });
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
};

/** Arguments of prompts are texts, and no others may be given. */
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
