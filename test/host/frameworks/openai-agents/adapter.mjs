import { Agent, MCPServerStdio, MCPServerStreamableHttp, OpenAIProvider, Runner } from "@openai/agents";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@openai/agents",
  lacks: { elicit: none, progress: none },
  async connect({ url, headers, command, args, env }) {
    // A busy machine takes longer than its 5 seconds to start a server.
    const common = { name: "trips", useStructuredContent: true, clientSessionTimeoutSeconds: 60 };
    const server = url
      ? new MCPServerStreamableHttp({ ...common, url, requestInit: { headers } })
      : new MCPServerStdio({ ...common, command, args, env });
    await server.connect();
    const agent = new Agent({ name: "agent", model: "m", mcpServers: [server] });
    return {
      async ask({ model, signal }) {
        const modelProvider = new OpenAIProvider({ apiKey: "none", baseURL: `${model}/v1` });
        await new Runner({ modelProvider, tracingDisabled: true }).run(agent, "go", { signal });
      },
      close: () => server.close(),
    };
  },
};
