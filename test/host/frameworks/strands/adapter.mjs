import { Agent, McpClient } from "@strands-agents/sdk";
import { OpenAIModel } from "@strands-agents/sdk/models/openai";
import { clientTransport } from "../shared/sdk-v1-client.mjs";

export const framework = {
  package: "@strands-agents/sdk",
  lacks: { progress: "the framework offers nothing for it" },
  async connect(target, { onQuestion }) {
    const client = new McpClient({
      ...(target.url ? { url: target.url, headers: target.headers } : { transport: clientTransport(target) }),
      // One tool with a dot in its name would end every run.
      toolFilters: { rejected: [({ name }) => name.includes(".")] },
      elicitationCallback: (_context, params) => onQuestion(params),
    });
    await client.connect();
    return {
      async ask({ model, signal }) {
        const clientConfig = { baseURL: `${model}/v1`, maxRetries: 0 };
        const llm = new OpenAIModel({ api: "responses", modelId: "m", apiKey: "none", clientConfig });
        const agent = new Agent({ model: llm, tools: [client], printer: false });
        await agent.invoke("go", { cancelSignal: signal });
      },
      close: () => client.disconnect(),
    };
  },
};
