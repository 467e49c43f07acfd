import { isObject } from "../jsonrpc/message.js";

/**
 * What is wrong with the tool use in a conversation (2025-11-25, sampling, message content constraints):
 * a message with tool results holds nothing else, and answers each tool use of the message before it.
 */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return "messages is not a list";
  let asked: ReadonlySet<unknown> = new Set();
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length)
      return `messages[${index}] mixes tool results with other content`;
    const answered = new Set(results.map(({ toolUseId }) => toolUseId));
    for (const id of asked)
      if (!answered.has(id)) return `messages[${index}] has no result for tool use ${JSON.stringify(id)}`;
    for (const id of answered)
      if (!asked.has(id))
        return `messages[${index}] has a result for ${JSON.stringify(id)}, which was not asked for`;
    asked = new Set(blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id));
  }
  for (const id of asked) return `no message has a result for tool use ${JSON.stringify(id)}`;
  return undefined;
}

interface Block {
  readonly type?: unknown;
  readonly id?: unknown;
  readonly toolUseId?: unknown;
}

function blocksOf(message: unknown): readonly Block[] {
  const content = isObject(message) ? message["content"] : undefined;
  return (Array.isArray(content) ? content : [content]).filter(isObject);
}
