import { isObject } from "../peer/message.js";

/**
 * What is wrong with the tool use in a conversation (2025-11-25, sampling, message content constraints):
 * a message with tool results holds nothing else, and answers each tool use of the message before it.
 */
export function messagesProblem(messages: unknown): string | undefined {
  if (!Array.isArray(messages)) return "messages is not a list";
  let asked: readonly unknown[] = [];
  for (const [index, message] of messages.entries()) {
    const blocks = blocksOf(message);
    const results = blocks.filter(({ type }) => type === "tool_result");
    if (results.length > 0 && results.length < blocks.length)
      return `messages[${index}] mixes tool results with other content`;
    const answered = results.map(({ toolUseId }) => toolUseId);
    const open = asked.find((id) => !answered.includes(id));
    if (open !== undefined) return `messages[${index}] has no result for tool use ${JSON.stringify(open)}`;
    const stray = answered.find((id) => !asked.includes(id));
    if (stray !== undefined)
      return `messages[${index}] has a result for ${JSON.stringify(stray)}, which was not asked for`;
    asked = blocks.filter(({ type }) => type === "tool_use").map(({ id }) => id);
  }
  return asked.length === 0 ? undefined : `no message has a result for tool use ${JSON.stringify(asked[0])}`;
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
