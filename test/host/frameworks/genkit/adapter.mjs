import { openAICompatible } from "@genkit-ai/compat-oai";
import { createMcpHost } from "@genkit-ai/mcp";
import { genkit } from "genkit";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@genkit-ai/mcp",
  lacks: { elicit: none, progress: none, cancel: none },
  async connect({ url, headers, command, args, env }) {
    const trips = url ? { url, requestInit: { headers } } : { command, args, env };
    const host = createMcpHost({ name: "host", mcpServers: { trips } });
    await host.ready();
    return {
      async ask({ model }) {
        const plugin = openAICompatible({ name: "fake", apiKey: "none", baseURL: `${model}/v1` });
        const ai = genkit({ plugins: [plugin] });
        const tools = await host.getActiveTools(ai);
        await ai.generate({ model: "fake/m", prompt: "go", tools });
      },
      close: () => host.close(),
    };
  },
};
