import { Agent } from "@mastra/core/agent";
import { MCPClient } from "@mastra/mcp";

export const framework = {
  package: "@mastra/mcp",
  lacks: {},
  async connect({ url, headers, command, args, env }, { onProgress, onQuestion }) {
    const target = url ? { url: new URL(url), requestInit: { headers } } : { command, args, env };
    const client = new MCPClient({
      id: crypto.randomUUID(),
      servers: {
        trips: {
          ...target,
          enableProgressTracking: true,
          inputRequests: async ({ params }) => onQuestion(params),
        },
      },
    });
    const tools = await client.listTools();
    await client.progress.onUpdate("trips", ({ progress }) => onProgress(progress));
    return {
      async ask({ model, signal }) {
        const llm = { id: "fake/m", url: `${model}/v1`, apiKey: "none" };
        const agent = new Agent({
          id: "agent",
          name: "agent",
          instructions: "go",
          model: llm,
          tools,
          maxRetries: 0,
        });
        await agent.generate("go", { abortSignal: signal });
      },
      close: () => client.disconnect(),
    };
  },
};
