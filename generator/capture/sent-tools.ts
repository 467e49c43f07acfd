import { type JsonObject, groupBy, isJsonObject } from "@mcpgen/engine";
import type { Contract } from "../contract/contract.js";
import { messagesIn } from "./messages.js";

/** The tools of lists as a server sends them: hosts get members that are null, which mcpgen's client takes for absent. */
export class SentTools {
  /** The last of each name. */
  readonly byName = new Map<string, JsonObject>();

  /** Notes the tools of a message, if it is the result of a list. */
  received({ result }: JsonObject): void {
    const tools = isJsonObject(result!) ? result["tools"] : undefined;
    if (!Array.isArray(tools)) return;
    for (const tool of tools) if (isJsonObject(tool)) this.byName.set(String(tool["name"]), tool);
  }

  /** Notes the tools of the messages in a text. */
  heard(text: string): void {
    if (text.includes('"tools"')) for (const message of messagesIn(text)) this.received(message);
  }

  /** A contract whose tools have the schemas that the server sent. Which of two tools with one name is meant is not known: they stay. */
  in(contract: Contract): Contract {
    const { tools } = contract;
    if (!tools || this.byName.size === 0) return contract;
    const sameName = groupBy(tools, ({ name }) => name);
    const asSent = tools.map((tool) => {
      const isOne = sameName.get(tool.name)!.length === 1;
      const sent = isOne ? (this.byName.get(tool.name) ?? {}) : {};
      const schemas = ["inputSchema", "outputSchema"].filter((member) => isJsonObject(sent[member]!));
      return { ...tool, ...Object.fromEntries(schemas.map((member) => [member, sent[member]])) };
    });
    return { ...contract, tools: asSent };
  }
}
