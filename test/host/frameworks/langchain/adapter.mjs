import { MultiServerMCPClient } from "@langchain/mcp-adapters";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent } from "langchain";

export const framework = {
  package: "@langchain/mcp-adapters",
  lacks: { elicit: "the framework offers nothing for it" },
  async connect({ url, headers, command, args, env }, { onProgress }) {
    const trips = url
      ? { transport: "http", url, headers, automaticSSEFallback: false }
      : { transport: "stdio", command, args, env };
    const client = new MultiServerMCPClient({
      mcpServers: { trips },
      onProgress: ({ progress }) => onProgress(progress),
    });
    const tools = await client.getTools();
    return {
      async ask({ model, signal }) {
        const configuration = { baseURL: `${model}/v1` };
        const llm = new ChatOpenAI({ model: "m", apiKey: "none", configuration, maxRetries: 0 });
        await createAgent({ model: llm, tools }).invoke({ messages: [["user", "go"]] }, { signal });
      },
      close: () => client.close(),
    };
  },
};
