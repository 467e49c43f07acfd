import { createOpenAI } from "@ai-sdk/openai";
import { Agent, MCPConfiguration } from "@voltagent/core";

const none = "the framework offers nothing for it";

export const framework = {
  package: "@voltagent/core",
  lacks: { progress: none },
  async connect({ url, headers, command, args, env }, { onQuestion }) {
    const trips = url
      ? { type: "streamable-http", url, requestInit: { headers } }
      : { type: "stdio", command, args, env };
    const configuration = new MCPConfiguration({ servers: { trips } });
    const tools = await configuration.getTools();
    const { trips: client } = await configuration.getClients();
    client.elicitation.setHandler(async (params) => onQuestion(params));
    return {
      async ask({ model, signal }) {
        const provider = createOpenAI({ baseURL: `${model}/v1`, apiKey: "none" });
        const agent = new Agent({
          name: "agent",
          instructions: "go",
          model: provider("m"),
          tools,
          maxRetries: 0,
        });
        await agent.generateText("go", { abortSignal: signal });
      },
      close: () => configuration.disconnect(),
    };
  },
};
