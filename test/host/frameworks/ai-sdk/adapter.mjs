import { ElicitationRequestSchema, createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as StdioTransport } from "@ai-sdk/mcp/mcp-stdio";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs } from "ai";

export const framework = {
  package: "@ai-sdk/mcp",
  lacks: { progress: "the framework offers nothing for it" },
  async connect({ url, headers, command, args, env }, { onQuestion }) {
    const client = await createMCPClient({
      transport: url ? { type: "http", url, headers } : new StdioTransport({ command, args, env }),
      protocolVersionDiscovery: true,
      capabilities: { elicitation: {} },
    });
    client.onElicitationRequest(ElicitationRequestSchema, ({ params }) => onQuestion(params));
    const tools = await client.tools();
    return {
      async ask({ model, signal }) {
        const provider = createOpenAI({ baseURL: `${model}/v1`, apiKey: "none" });
        await generateText({
          ...{ model: provider("m"), tools, prompt: "go", maxRetries: 0 },
          ...{ stopWhen: stepCountIs(5), abortSignal: signal },
        });
      },
      close: () => client.close(),
    };
  },
};
